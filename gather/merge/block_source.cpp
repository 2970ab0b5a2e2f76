#include "gather/merge/block_source.h"

#include "gather/parts/structures.h"

#include <algorithm>
#include <utility>

namespace timeless::gather {

struct BlockSource::Rank {
  Rank(const Inventory& holder, const RankTask& its_task)
      : inventory(holder), task(its_task), archive(holder.path), reader(archive, holder, its_task.place.blocks),
        offset(its_task.place.offset) {}

  const Inventory& inventory;
  const RankTask& task;
  trace::ArchiveReader archive;
  BlockReader reader;
  std::uint64_t offset; ///< of the next block
  bool blocks_done = false;
  std::vector<std::string> structures = {};
  std::size_t next_wanted = 0;
};

BlockSource::BlockSource(const std::vector<Inventory>& inventories, std::vector<RankTask> tasks)
    : inventories_(inventories), tasks_(std::move(tasks)) {}

BlockSource::~BlockSource() = default;

/// Reads the next bytes, if any, into left_; false when there are no more.
bool BlockSource::advance() {
  if (!rank_) {
    if (next_ == tasks_.size()) return false;
    const RankTask& task = tasks_[next_++];
    rank_ = std::make_unique<Rank>(inventory_of(inventories_, task.place.blocks.rank), task);
  }
  Rank& rank = *rank_;
  if (!rank.blocks_done) {
    if (rank.reader.next()) {
      if (!rank.reader.copied()) return true;
      bytes_ = rank.reader.bytes();
      space_ = Space::blocks;
      offset_ = rank.offset;
      rank.offset += bytes_.size();
    } else {
      rank.blocks_done = true;
      if (!rank.task.structures.empty())
        rank.structures = structures_of(rank.archive, rank.inventory, rank.task.place.blocks, rank.task.numbers);
      return true;
    }
  } else if (rank.next_wanted < rank.task.structures.size()) {
    const WantedStructure& wanted = rank.task.structures[rank.next_wanted++];
    bytes_ = std::move(rank.structures.at(wanted.place));
    space_ = Space::structures;
    offset_ = wanted.offset;
  } else {
    rank_.reset();
    return true;
  }
  left_ = bytes_;
  return true;
}

bool BlockSource::fill(Chunk& chunk) {
  do {
    while (!left_.empty()) {
      const std::size_t taken = chunk.add(space_, offset_, left_);
      if (taken == 0) return true;
      left_.remove_prefix(taken);
      offset_ += taken;
    }
  } while (advance());
  return false;
}

const Inventory& inventory_of(const std::vector<Inventory>& inventories, trace::Rank rank) {
  return *std::ranges::find_if(inventories, [&](const Inventory& inventory) {
    return std::ranges::binary_search(inventory.ranks, rank, {}, &RankBlocks::rank);
  });
}

} // namespace timeless::gather
