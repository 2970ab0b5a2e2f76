#include "gather/merge/merge.h"

#include "base/error.h"
#include "base/files/new_file.h"
#include "gather/merge/removal.h"
#include "gather/parts/assembly.h"
#include "gather/parts/inventory.h"
#include "gather/parts/reader_pool.h"
#include "gather/parts/run_union.h"
#include "gather/parts/spool.h"
#include "gather/parts/structures.h"
#include "gather/tree/division.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace timeless::gather {

namespace {

using Paths = std::span<const std::filesystem::path>;

const std::string& label(const MergeOptions& options, Paths inputs, std::size_t number) {
  return options.labels.empty() ? inputs[number].native() : options.labels.at(number);
}

/// Large enough that the disk is busy with few requests.
constexpr std::size_t most_bytes_at_once = std::size_t{1} << 20U;

/// Copies a rank's blocks to their place.
void copy_rank(BlockReader reader, const RankPlace& place, Assembly& assembly,
               const std::function<void(std::uint64_t)>& copied) {
  std::string bytes;
  std::uint64_t offset = place.offset;
  const auto put = [&] {
    assembly.put(offset, bytes);
    offset += bytes.size();
    copied(bytes.size());
    bytes.clear();
  };
  while (reader.next()) {
    if (!reader.copied()) continue;
    bytes += reader.bytes();
    if (bytes.size() >= most_bytes_at_once) put();
  }
  if (!bytes.empty()) put();
}

std::uint64_t remove_inputs(Paths inputs, const std::vector<SeenFile>& seen) {
  std::uint64_t removed = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (remove_rank_file(inputs[i], seen[i])) ++removed;
  for (const std::filesystem::path& input : inputs)
    remove_if_empty(input.parent_path());
  return removed;
}

} // namespace

Merged merge(Paths inputs, const std::filesystem::path& output, const MergeOptions& options) {
  demand_output_apart(output, inputs);
  OutputFile file(output, options.force);
  return merge(inputs, file, options);
}

Merged merge(Paths inputs, OutputFile& file, const MergeOptions& options) {
  std::vector<SeenFile> seen;
  if (options.remove) std::ranges::transform(inputs, std::back_inserter(seen), see);
  std::vector<Inventory> inventories;
  RunUnion all;
  for (std::size_t number = 0; number < inputs.size(); ++number) {
    inventories.push_back(inventory(inputs[number], label(options, inputs, number)));
    all.add(std::move(inventories.back().part));
  }
  const UnitedRun united = all.finish();
  std::vector<RankBlocks> ranks;
  for (std::size_t i = 0; i < united.run.ranks.size(); ++i)
    ranks.push_back(blocks_of(inventories[united.inputs[i]], united.run.ranks[i].rank));

  Assembly assembly(file.path(), united, ranks);
  std::uint64_t done = 0;
  const auto copied = [&](std::uint64_t bytes) {
    done += bytes;
    if (options.progress) options.progress(done, assembly.block_bytes());
  };
  StructureNumbering structures;
  Spool spool(directory_of(file.path()));
  ReaderPool archives({inputs.begin(), inputs.end()});
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const auto archive = archives.open(united.inputs[i]);
    const Inventory& inventory = inventories[united.inputs[i]];
    const auto own = structures_of(*archive, inventory, ranks[i], united.numbers[i]);
    for (const WantedStructure& wanted : structures.add(names_of(own)))
      spool.put(wanted.offset, own[wanted.place]);
    copy_rank(BlockReader(*archive, inventory, ranks[i]), assembly.places()[i], assembly, copied);
  }
  Merged merged{.run = united.run};
  merged.segments = assembly.finish(structures, spool);
  assembly.verify(structures, options.remove);
  merged.output_bytes = std::filesystem::file_size(file.path());
  for (const Inventory& input : inventories)
    merged.input_bytes += input.file_bytes;
  file.keep();
  if (options.remove && merged.run.complete()) merged.removed = remove_inputs(inputs, seen);
  return merged;
}

} // namespace timeless::gather
