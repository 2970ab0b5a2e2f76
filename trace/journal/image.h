#pragma once

#include "trace/journal/format.h"
#include "trace/journal/segment_log.h"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace timeless::trace {

/// Returns the journal that belongs to a rank's file: DIR/rank-000042.journal for DIR/rank-000042.tia.
std::filesystem::path journal_beside(const std::filesystem::path& archive);

/// A journal as it was at one moment, in memory. Its process may be writing on: what is not whole then fails its check.
///
/// The bytes are untrusted: nothing in them leads beyond them, or to more memory than some times their number.
class JournalImage {
public:
  /// Reads a journal; nothing when there is no such file, or it is no journal whose header is whole.
  static std::optional<JournalImage> read(const std::filesystem::path& path);
  /// Returns the same of bytes in memory.
  static std::optional<JournalImage> of(std::string bytes);

  const JournalHeader& header() const { return header_; }
  std::string host() const;
  JournalSignal signal() const;
  /// Returns the threads that have called MPI.
  std::vector<JournalThread> threads() const;
  /// Returns the MPI function a thread is in ("MPI_Recv"), or empty.
  std::string call_of(const JournalThread& thread) const;
  /// Returns the trace's number of the communicator with this handle, if it is known.
  std::optional<CommunicatorId> communicator(std::uint64_t handle) const;
  /// Calls counted by the name of the MPI function, but not recorded.
  std::map<std::string, std::uint64_t> unrecorded_calls() const;

  /// Where a block's log stands; by rising first action.
  struct Segment {
    std::uint64_t first_action = 0;
    std::size_t offset = 0; ///< of the log
    std::size_t bytes = 0;
    std::uint32_t check = 0;
  };
  const std::vector<Segment>& segments() const { return segments_; }
  SegmentLog log(const Segment& segment) const;

private:
  bool understand();
  void find_segments();
  template <typename Structure>
  Structure at(std::size_t offset) const;

  std::string bytes_;
  JournalHeader header_;
  std::vector<Segment> segments_;
};

} // namespace timeless::trace
