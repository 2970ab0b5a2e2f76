#include "gather/parts/structures.h"

#include "base/error.h"
#include "trace/archive/structure_builder.h"
#include "trace/codec/structure/structure.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace timeless::gather {

namespace {

std::vector<std::string> decoded_structures(const trace::ArchiveReader& archive, const Inventory& inventory,
                                            const RankBlocks& rank, const trace::RankNumbers& numbers) {
  trace::StructureBuilder builder(archive, rank.rank, numbers);
  for (const std::uint32_t number : archive.shared_structures(rank.rank))
    builder.append_shared(trace::decode_structure(archive.shared_structure(number), ~std::uint64_t{0}));
  BlockReader blocks(archive, inventory, rank);
  while (blocks.next())
    if (!blocks.copied()) builder.append(trace::ArchiveReader::structure(blocks.bytes()));
  return builder.finish();
}

} // namespace

std::vector<std::string> structures_of(const trace::ArchiveReader& archive, const Inventory& inventory,
                                       const RankBlocks& rank, const trace::RankNumbers& numbers) {
  try {
    return decoded_structures(archive, inventory, rank, numbers);
  } catch (const Error& problem) {
    // What is decoded does not know its file.
    if (problem.where().find(inventory.path.string()) != std::string::npos) throw;
    throw Error(problem.failure(), problem.description() + (problem.where().empty() ? "" : ", " + problem.where()),
                inventory.label + ", rank " + std::to_string(rank.rank),
                "the file is damaged; take it again from its source");
  }
}

StructureName name_of(std::string_view structure) {
  const XXH128_hash_t hash = XXH3_128bits(structure.data(), structure.size());
  return {.high = hash.high64, .low = hash.low64, .bytes = structure.size()};
}

std::vector<StructureName> names_of(std::span<const std::string> structures) {
  std::vector<StructureName> names;
  for (const std::string& structure : structures)
    names.push_back(name_of(structure));
  return names;
}

std::vector<WantedStructure> StructureNumbering::add(std::span<const StructureName> structures) {
  std::vector<WantedStructure> wanted;
  std::vector<std::uint32_t> numbers;
  for (std::size_t place = 0; place < structures.size(); ++place) {
    const auto [known, added] = numbers_.try_emplace(structures[place], static_cast<std::uint32_t>(names_.size()));
    numbers.push_back(known->second);
    if (!added) continue;
    names_.push_back(structures[place]);
    wanted.push_back({.place = place, .offset = bytes_});
    bytes_ += structures[place].bytes;
  }
  layout_.add(numbers);
  return wanted;
}

} // namespace timeless::gather
