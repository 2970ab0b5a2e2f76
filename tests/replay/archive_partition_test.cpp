// Threads that replay from one archive, whose reader they share.
#include "machines.h"
#include "random_program.h"
#include "replay/replay.h"
#include "tests/temporary_directory.h"
#include "trace/archive/reader.h"
#include "trace/archive/structure_builder.h"
#include "trace/archive/writer.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <numeric>
#include <string>
#include <vector>

namespace timeless::replay::test {
namespace {

void write_archive(const trace::Source& source, const std::filesystem::path& path) {
  trace::ArchiveWriter writer(path);
  writer.define(definitions_of(source.run()));
  trace::ActionBlock block;
  for (const trace::RankRecord& record : source.run().ranks)
    for (const auto stream = source.open(record.rank); stream->next(block);)
      writer.write(record.rank, block);
  writer.finish();
}

/// With structures that ranks share, as gathering leaves them.
void share_structures(const trace::ArchiveReader& archive, const std::filesystem::path& path) {
  trace::ArchiveWriter writer(path);
  writer.define(definitions_of(archive.run()));
  std::map<std::string, std::uint32_t> known;
  trace::Layout layout;
  for (const trace::RankRecord& record : archive.run().ranks) {
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
  for (const trace::RankRecord& record : archive.run().ranks)
    for (const trace::Stretch& stretch : archive.stretches(record.rank))
      writer.copy(stretch.volumes.header, archive.payload(stretch.volumes));
  writer.finish();
}

TEST(Slices, of_one_archive_have_the_same_bits_as_of_memory) {
  for (std::uint64_t seed = 6500; seed < 6510; ++seed) {
    const timeless::test::TemporaryDirectory directory;
    const trace::MemorySource program = random_program(seed, {.most_ranks = 6, .most_events = 300});
    write_archive(program, directory / "own.tia");
    const trace::ArchiveReader own(directory / "own.tia");
    share_structures(own, directory / "shared.tia");
    const trace::ArchiveReader shared(directory / "shared.tia");
    std::vector<std::uint64_t> lanes(40);
    std::iota(lanes.begin(), lanes.end(), seed);
    std::vector<Result> results;
    for (const trace::Source* source :
         {static_cast<const trace::Source*>(&program), static_cast<const trace::Source*>(&own),
          static_cast<const trace::Source*>(&shared)}) {
      IntegerMachine machine(program.run().size, seed, lanes);
      ReplayOptions options;
      options.threads = source == &program ? 1 : 4;
      results.push_back(replay(*source, machine, options));
    }
    for (const Result& result : results)
      for (std::size_t lane = 0; lane < lanes.size(); ++lane)
        ASSERT_TRUE(same_bits(result.lanes[lane], results.front().lanes[lane])) << "seed " << seed << ", lane " << lane;
  }
}

} // namespace
} // namespace timeless::replay::test
