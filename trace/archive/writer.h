#pragma once

#include "trace/archive/shared_structures.h"
#include "trace/codec/definitions/definitions.h"
#include "trace/codec/format.h"
#include "trace/model/action_block.h"

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace timeless::trace {

/// How an archive is written.
struct WriterOptions {
  int compression_level = 3; ///< zstd's; shared structures are compressed as well as they can be
};

/// Writes an archive front to back: each segment stands alone and is handed to the system whole, so that whatever
/// happens to the process, the segments before are readable.
///
/// Memory: one segment, and some bytes for each rank or block of definitions. Throws Error(runtime) when the file
/// cannot be created or written; the file then keeps its whole blocks, and can be finished if there is room for that
/// much. Not thread-safe.
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
  /// Writes a segment of a rank's actions, the next after those already written of that rank, with a structure of its
  /// own, and its times if it has them.
  void write(Rank rank, const ActionBlock& block);
  /// Copies a block of a rank as another archive holds it, payload untouched: the next after those already written of
  /// that rank.
  void copy(const BlockHeader& header, std::string_view payload);

  /// Writes structures for ranks to share, as blocks of a good size; to be followed by a layout. Returns the number of
  /// the first.
  std::uint32_t share(std::span<const std::string> structures);
  /// Says which shared structures the segments follow that have none of their own, rank by rank.
  void write(const Layout& layout);

  /// Leaves room for ranks' blocks that the caller writes into the file itself, as other archives hold them, and takes
  /// it from the disk already where the file system can. Returns where it begins. Before anything else is written,
  /// adopt() must have been told of each rank's, in the order of the file.
  std::uint64_t leave_room(std::uint64_t bytes);
  void adopt(Rank rank, std::uint64_t bytes);

  /// Writes the index and the footer, and closes the file. Throws Error(runtime) also when somebody has removed it.
  void finish();

  /// Returns how often the file had to be opened again, because the process had closed its descriptor (GuardedFile).
  unsigned times_reopened() const;
  /// Returns the number of actions of this rank in the segments written so far.
  std::uint64_t actions_written(Rank rank) const;

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace timeless::trace
