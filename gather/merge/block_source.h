#pragma once

#include "gather/parts/assembly.h"
#include "gather/parts/inventory.h"
#include "gather/tree/chunk.h"
#include "gather/tree/stream.h"
#include "gather/tree/subtree.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace timeless::gather {

/// The blocks of inventoried ranks that go into the archive as they are, and their wanted structures, for a stream.
/// Memory: one archive's index, one block, and the structures of one rank.
class BlockSource : public ChunkSource {
public:
  /// Makes a source of some or all of the inventories' ranks. The inventories must outlive it.
  BlockSource(const std::vector<Inventory>& inventories, std::vector<RankTask> tasks);
  ~BlockSource() override;

  bool fill(Chunk& chunk) override;

private:
  struct Rank;
  bool advance();

  const std::vector<Inventory>& inventories_;
  std::vector<RankTask> tasks_;
  std::size_t next_ = 0;
  std::unique_ptr<Rank> rank_; ///< the one being read
  // What is yet to be put into a chunk, and where it goes.
  std::string bytes_;
  std::string_view left_;
  Space space_ = Space::blocks;
  std::uint64_t offset_ = 0;
};

/// Returns the inventory that holds this rank; there must be one.
const Inventory& inventory_of(const std::vector<Inventory>& inventories, trace::Rank rank);

} // namespace timeless::gather
