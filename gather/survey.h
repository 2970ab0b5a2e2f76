#pragma once

#include "gather/run_part.h"
#include "trace/archive/reader.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

/// What an archive contributes to a gathered one: found out first without reading its blocks, then read block by block.
namespace timeless::gather {

/// The blocks of one rank that go into a gathered archive as they are.
struct RankBlocks {
  trace::Rank rank = trace::no_rank;
  std::uint64_t blocks = 0;
  std::uint64_t stretches = 0;
  std::uint64_t bytes = 0;    ///< headers and payloads
  std::uint64_t checksum = 0; ///< of the headers
  bool operator==(const RankBlocks&) const = default;
};

/// One archive: a rank's file, or one gathered from several.
struct Survey {
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
Survey survey(const std::filesystem::path& path, const std::string& label);

/// The survey's entry for a rank it holds.
const RankBlocks& blocks_of(const Survey& survey, trace::Rank rank);

/// These blocks of a rank, as a survey says it.
RankBlocks measure(trace::Rank rank, const std::vector<trace::BlockPlace>& places);

/// The blocks of a rank that go into a gathered archive as they are, in order.
std::vector<trace::BlockPlace> blocks_to_copy(const trace::ArchiveReader& archive, trace::Rank rank);

/// Reads the surveyed blocks of one rank, in order, whatever a program still running has added to the file since.
/// Memory: one archive's index and one block.
class BlockReader {
public:
  /// The archive is the one surveyed, opened again; it and the survey must outlive the reader.
  BlockReader(const trace::ArchiveReader& archive, const Survey& survey, const RankBlocks& rank);

  /// The next block's header and, header and payload as stored, its bytes, checksums verified; false after the last.
  /// Throws Error(invalid_input) when the file is damaged, or no longer what was surveyed.
  bool next(trace::BlockHeader& header, std::string& bytes);

  /// Of the blocks read so far (see add_header); 0 before the first.
  std::uint64_t headers_checksum() const { return headers_checksum_; }

private:
  const trace::ArchiveReader& archive_;
  const Survey& survey_;
  RankBlocks expected_;
  std::vector<trace::BlockPlace> places_; ///< of the blocks that are not in the journal
  std::uint64_t next_ = 0;
  std::uint64_t headers_checksum_ = 0;
};

/// A checksum over block headers and one more, as stored at the beginning of these bytes. Headers hold the checksums of
/// their payloads, so blocks with the same headers are the same.
std::uint64_t add_header(std::uint64_t checksum, std::string_view block);

} // namespace timeless::gather
