#pragma once

#include "trace/action_block.h"
#include "trace/archive/definitions.h"
#include "trace/archive/format.h"

#include <filesystem>
#include <memory>
#include <span>
#include <string_view>

namespace timeless::trace {

struct WriterOptions {
  int compression_level = 3; ///< zstd's
};

/// Writes an archive front to back: each block stands alone and is handed to the system whole, so that whatever
/// happens to the process, the blocks before are readable.
///
/// Memory: one block. Throws Error(runtime) when the file cannot be created or written; the file then keeps its whole
/// blocks, and can be finished if there is room for that much. Not thread-safe.
class ArchiveWriter {
public:
  /// Creates the file, which must not exist yet.
  explicit ArchiveWriter(const std::filesystem::path& path, WriterOptions options = {});
  /// Closes the file. Without finish() it has no index and reads as one cut short.
  ~ArchiveWriter();
  ArchiveWriter(ArchiveWriter&&) noexcept;
  ArchiveWriter& operator=(ArchiveWriter&&) noexcept;

  /// Writes a definitions block; must come before the first block that uses what it defines.
  void define(const Definitions& definitions);
  /// Writes a block of a rank's actions, the next after those already written of that rank, and its times if it has
  /// them.
  void write(Rank rank, const ActionBlock& block);
  /// Copies an actions block, or the times of the actions block copied last of its rank, as another archive holds it,
  /// payload untouched.
  void copy(const BlockHeader& header, std::span<const std::byte> payload);
  /// Leaves room for blocks that the caller writes into the file itself, as other archives hold them, and takes it from
  /// the disk already where the file system can. Returns where it begins. Before the next block, or the end, is written,
  /// adopt() must have been told of each of these blocks, in the order of the file.
  std::uint64_t leave_room(std::uint64_t bytes);
  void adopt(const BlockHeader& header);
  /// Writes the index and the footer, and closes the file. Throws Error(runtime) also when somebody has removed it.
  void finish();

  std::uint64_t bytes_written() const;
  /// The header of the block written last; there must be one.
  const BlockHeader& last_block() const;
  /// Actions of this rank in the blocks written so far.
  std::uint64_t actions_written(Rank rank) const;

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace timeless::trace
