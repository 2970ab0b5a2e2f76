#pragma once

#include "gather/parts/run_part.h"
#include "trace/archive/reader.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

/// What an archive contributes to a gathered one: found out first without reading its blocks, then read block by block.
namespace timeless::gather {

/// The blocks of one rank. Those of its structure are made anew in a gathered archive, the others go there as they are.
struct RankBlocks {
  trace::Rank rank = trace::no_rank;
  std::uint64_t blocks = 0; ///< all
  std::uint64_t segments = 0;
  std::uint64_t bytes = 0;              ///< headers and payloads of those that are copied
  std::uint64_t checksum = 0;           ///< of the headers of those that are copied
  std::uint64_t structure_checksum = 0; ///< of the headers of the others
  bool operator==(const RankBlocks&) const = default;
};

/// One archive: a rank's file, or one gathered from several.
struct Inventory {
  std::filesystem::path path;
  std::string label; ///< names it in errors
  std::uint64_t file_bytes = 0;
  RunPart part;
  std::vector<RankBlocks> ranks; ///< of part.run.ranks
  /// The last blocks, header and payload, as far as they stand in a journal, which may have changed when it is read
  /// again. At most what a journal holds.
  std::vector<std::string> journal_blocks;
};

/// Throws as part_of does, or Error when the file cannot be read.
Inventory inventory(const std::filesystem::path& path, const std::string& label);

/// Returns the inventory's entry for a rank it holds.
const RankBlocks& blocks_of(const Inventory& inventory, trace::Rank rank);

/// Returns these blocks of a rank as an inventory says it.
RankBlocks count_blocks(trace::Rank rank, const std::vector<trace::LocatedBlock>& places);

/// Returns the blocks of a rank, in order.
std::vector<trace::LocatedBlock> blocks_of(const trace::ArchiveReader& archive, trace::Rank rank);

/// Returns true for a block of a rank that goes into a gathered archive as it is: not for a structure, which gets the
/// run's numbers of kernels and regions.
bool goes_as_it_is(const trace::BlockHeader& header);

/// Goes through the inventoried blocks of one rank, in order, whatever a program still running has added to the file
/// since. Memory: one archive's index and one block.
class BlockReader {
public:
  /// Reads a rank's blocks. The archive is the one inventoried, opened again; it and the inventory must outlive the
  /// reader. Throws Error(invalid_input) when the file is no longer what was inventoried.
  BlockReader(const trace::ArchiveReader& archive, const Inventory& inventory, const RankBlocks& rank);

  /// Goes to the next block; false after the last.
  bool next();
  const trace::BlockHeader& header() const { return header_; }
  /// Returns true when it goes into a gathered archive as it is.
  bool copied() const { return goes_as_it_is(header_); }
  /// Returns header and payload as stored, checksums verified. Throws Error(invalid_input) when the file is damaged.
  std::string bytes() const;

private:
  const trace::ArchiveReader& archive_;
  const Inventory& inventory_;
  RankBlocks expected_;
  std::vector<trace::LocatedBlock> places_; ///< of the blocks that are not in the journal
  std::uint64_t next_ = 0;
  trace::BlockHeader header_;
};

} // namespace timeless::gather
