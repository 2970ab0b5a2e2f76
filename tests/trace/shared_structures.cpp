#include "tests/trace/shared_structures.h"

#include "trace/archive/structure_builder.h"
#include "trace/archive/writer.h"

#include <map>
#include <string>
#include <vector>

namespace timeless::trace::test {

std::vector<std::string> whole_structures(const ArchiveReader& archive, Rank rank, const RankNumbers& numbers,
                                          std::uint64_t end) {
  StructureBuilder builder(archive, rank, numbers);
  for (const std::uint32_t number : archive.shared_structures(rank))
    builder.append_shared(decode_structure(archive.shared_structure(number), ~std::uint64_t{0}));
  for (const ActionSegment& segment : archive.segments(rank))
    if (segment.structure && segment.first_action + segment.actions <= end) builder.append(*archive.structure(segment));
  return builder.finish();
}

std::size_t share_structures(const ArchiveReader& archive, const std::filesystem::path& path) {
  ArchiveWriter writer(path);
  Definitions definitions = definitions_of(archive.run());
  for (const RankRecord& record : archive.run().ranks)
    definitions.numbers.push_back({.rank = record.rank, .communicators = archive.numbers(record.rank).communicators});
  writer.define(definitions);
  std::map<std::string, std::uint32_t> known;
  Layout layout;
  for (const RankRecord& record : archive.run().ranks) {
    std::vector<std::uint32_t> numbers;
    for (const std::string& structure :
         whole_structures(archive, record.rank, archive.numbers(record.rank), record.actions)) {
      const auto [found, added] = known.try_emplace(structure, static_cast<std::uint32_t>(known.size()));
      if (added) writer.share(std::vector{structure});
      numbers.push_back(found->second);
    }
    layout.add(numbers);
  }
  writer.write(layout);
  for (const RankRecord& record : archive.run().ranks)
    for (const ActionSegment& segment : archive.segments(record.rank)) {
      writer.copy(segment.volumes.header, archive.payload(segment.volumes));
      if (segment.times) writer.copy(segment.times->header, archive.payload(*segment.times));
    }
  writer.finish();
  return known.size();
}

} // namespace timeless::trace::test
