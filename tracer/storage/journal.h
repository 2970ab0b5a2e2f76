#pragma once

#include "base/bytes.h"
#include "base/files/guarded_file.h"
#include "trace/journal/format.h"
#include "trace/model/action.h"
#include "trace/model/times.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace timeless::tracer {

class Journal;

/// The log, in the journal, of one block that is not yet in the rank's file. Only stores to mapped memory: what is
/// noted here survives the process, and a reader sees whole records only.
///
/// The functions that note something return false when there is no room for it; the log is then as before. There is
/// always room for a known entry while nearly_full() has been false since the last one. Actions are noted with their
/// times, or with null, as the journal's plan says.
class BlockLog {
public:
  BlockLog() = default;

  /// Returns true when there is a segment to log into.
  explicit operator bool() const { return segment_ != nullptr; }
  /// Returns true when little more fits, beside this many replacements.
  bool nearly_full(std::uint32_t replacements) const {
    return static_cast<std::size_t>(end_ - at_) < spare_bytes + replacements * bytes_per_replacement;
  }

  /// Notes an action by its dictionary entry.
  bool append(std::uint32_t entry, const trace::ActionTimes* times) {
    if (!starts_record(3 * most_value_bytes)) return false;
    put_value(trace::record_entry + entry);
    put_times(times);
    commit();
    return true;
  }
  /// Notes a computation whose entry is known.
  bool append(std::uint32_t entry, std::uint64_t volume, const trace::ActionTimes* times) {
    if (!starts_record(4 * most_value_bytes)) return false;
    put_value(trace::record_entry + entry);
    put_value(volume);
    put_times(times);
    commit();
    return true;
  }
  /// Notes an action whose entry is the next of the dictionary; a computation with its volume.
  bool append_new(const trace::Action& action, std::uint64_t volume, const trace::ActionTimes* times);
  /// Notes that another action stands in the place of one noted before; `fresh` when its entry is new, else null.
  bool replace(std::uint32_t position, std::uint32_t entry, const trace::Action* fresh);
  /// Notes definitions (trace/journal/segment_log.h).
  bool define(std::string_view definitions);

private:
  friend class Journal;
  static constexpr std::size_t spare_bytes = 1024;
  static constexpr std::size_t bytes_per_replacement = 40;
  static constexpr std::size_t most_value_bytes = most_varint_bytes;
  static constexpr std::size_t check_bytes = 5;

  bool starts_record(std::size_t bytes) {
    if (static_cast<std::size_t>(end_ - at_) < bytes + check_bytes) return false;
    if (at_ - checked_ >= static_cast<std::ptrdiff_t>(trace::bytes_per_check)) put_check();
    return true;
  }
  void put_value(std::uint64_t value) {
    check_.add(value);
    at_ = put_varint(at_, value);
  }
  void put_times(const trace::ActionTimes* times) {
    if (times == nullptr) return;
    put_value(zigzag(static_cast<std::int64_t>(times->entry - last_exit_)));
    put_value(times->exit - times->entry);
    last_exit_ = times->exit;
  }
  void put_bytes(std::string_view bytes);
  void put_check();
  void commit() {
    const auto bytes = static_cast<std::uint32_t>(at_ - begin_);
    std::atomic_ref(segment_->committed).store(std::uint64_t{check_.value()} << 32U | bytes, std::memory_order_release);
  }

  trace::JournalSegment* segment_ = nullptr;
  char* begin_ = nullptr;
  char* at_ = nullptr;
  char* end_ = nullptr;
  char* checked_ = nullptr; ///< after the last check
  trace::JournalCheck check_;
  std::uint64_t last_exit_ = 0; ///< of the action noted last
  std::uint32_t number_ = 0;
};

/// The journal beside a rank's file: what is recorded but not yet in the file, what the threads are doing, and the
/// signal that ended the process, in memory that outlives it (docs/archive-format.md, "The journal").
///
/// Disk space is allocated before it is mapped, so that a full disk is an error here and no SIGBUS there.
class Journal {
public:
  struct Setup {
    std::uint64_t run_identity = 0;
    int rank = 0;
    std::uint64_t world = 0;             ///< handle of MPI_COMM_WORLD
    std::vector<const char*> calls = {}; ///< names of the MPI calls, by CallId
    std::size_t blocks = 0;              ///< that may be held at a time
    std::size_t actions_per_block = 0;
    bool times = false; ///< actions are noted with their times
  };

  /// Throws Error(runtime) when there can be no journal here.
  Journal(const std::filesystem::path& path, const Setup& plan);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /// Returns a log for the block that begins with this action of the rank; none when there is no space for one.
  BlockLog open(std::uint64_t first_action);
  /// Closes the log of a block that is in the file: its segment is free again.
  void close(BlockLog& log);

  /// Counts a call that is not recorded.
  void count_unrecorded(std::size_t call) { std::atomic_ref(counts_[call]).fetch_add(1, std::memory_order_relaxed); }
  void name_communicator(std::uint64_t handle, trace::CommunicatorId id);

  /// Returns a place for what the calling thread is doing; null when all are taken.
  trace::JournalThread* claim_thread() noexcept;

  /// Notes a signal; for signal handlers.
  void note_signal(const trace::JournalSignal& signal) noexcept;
  /// Returns true when the address is in the journal's memory.
  bool holds(const void* address) const noexcept;
  /// Puts memory without a file in the place of the journal's: threads may go on writing there. For signal handlers.
  void detach() noexcept;

  /// Returns false once the journal has lost its file: what is noted from then on is lost with the process.
  bool kept() const { return !detached_; }
  /// Gives back nearly all its disk space; what the logs hold is lost.
  void shrink() noexcept;
  /// Removes the file. The memory stays, for threads that are still in a wrapper.
  void remove() noexcept;

private:
  char* at(std::size_t offset) const { return memory_ + offset; }
  void allocate(std::size_t bytes);
  void fill_header(const Setup& plan);

  std::filesystem::path path_;
  GuardedFile file_;
  char* memory_ = nullptr;
  std::size_t bytes_ = 0;     ///< mapped
  std::size_t allocated_ = 0; ///< of those, the ones that have their space on disk
  std::size_t segments_offset_ = 0;
  std::size_t segment_bytes_ = 0;
  std::uint64_t run_identity_ = 0;
  std::uint64_t* counts_ = nullptr;
  std::vector<std::uint32_t> free_; ///< segments; the last freed is used first
  volatile bool detached_ = false;  ///< a signal handler may set it
  bool removed_ = false;
};

} // namespace timeless::tracer
