#pragma once

#include "trace/model/ids.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

/// The journal's layout; docs/archive-format.md specifies it to the byte. The structures here are the file's bytes:
/// the recorder has them in mapped memory, a reader copies them out.
namespace timeless::trace {

static_assert(std::endian::native == std::endian::little, "the journal is memory, and little-endian");

inline constexpr std::string_view journal_magic = "TIMEJRNL";
inline constexpr std::uint16_t journal_version = 1;
inline constexpr std::uint16_t journal_version_with_times = 2; ///< each action is followed by its times
inline constexpr std::string_view journal_extension = ".journal";

inline constexpr std::size_t journal_header_bytes = 4096;
inline constexpr std::size_t journal_threads = 48;
inline constexpr std::size_t journal_communicators = 32;
/// No journal is larger: a reader takes it into memory as a whole.
inline constexpr std::size_t max_journal_bytes = std::size_t{64} << 20U;
inline constexpr std::size_t max_journal_segments = 1024;

/// What is said once, before anything else. The checksum is XXH64 over the bytes before it.
struct JournalHeader {
  char magic[8] = {};
  std::uint16_t version = journal_version;
  std::uint16_t reserved = 0;
  std::int32_t rank = -1;
  std::uint64_t run_identity = 0;
  std::uint32_t calls = 0;        ///< MPI calls that have a name and a count
  std::uint32_t names_offset = 0; ///< their names, each ended by a zero byte, by number
  std::uint32_t names_bytes = 0;
  std::uint32_t counts_offset = 0; ///< a u64 each: how often it was called without being recorded
  std::uint32_t segments_offset = 0;
  std::uint32_t segments = 0;
  std::uint32_t segment_bytes = 0; ///< of each, its header included
  std::uint32_t process = 0;
  std::uint64_t process_start = 0;     ///< in clock ticks after the host started (proc(5), stat, starttime)
  std::uint64_t process_namespace = 0; ///< inode of /proc/self/ns/pid: where the process has that number
  char boot[40] = {};                  ///< the host's boot_id
  char host[96] = {};
  std::uint64_t world = 0; ///< handle of MPI_COMM_WORLD in the process
  std::uint64_t checksum = 0;
};
static_assert(sizeof(JournalHeader) == 224);

/// In the place of a signal's number: MPI has ended the process, with the exit status in the place of the code.
inline constexpr std::uint32_t ended_by_mpi = 1U << 16U;
/// The program has called quick_exit.
inline constexpr std::uint32_t ended_by_quick_exit = ended_by_mpi + 1;

/// The signal that ended the process, if one did. Written by its handler.
struct JournalSignal {
  std::uint32_t number = 0; ///< 0: none
  std::int32_t code = 0;    ///< si_code
  std::int32_t sender = 0;  ///< process that sent it, where the code says that one did
  std::uint32_t reserved = 0;
};

/// What one thread of the program is doing.
struct JournalThread {
  std::uint64_t call = 0;         ///< MPI calls it has begun * 2^16, plus 1 + the number of the one it is in, or plus 0
  std::uint64_t site = 0;         ///< return address of that call
  std::uint64_t communicator = 0; ///< handle, or 0: the call has none
  std::int32_t peer = 0;          ///< destination, source or root as given to MPI
  std::int32_t tag = 0;
  std::uint32_t partners = 0; ///< journal_peer where peer means something, journal_tag where tag does
  std::uint32_t thread = 0;   ///< the system's number; 0: the slot is free
  std::uint64_t reserved[3] = {};
};
static_assert(sizeof(JournalThread) == 64);

/// A communicator's handle in the process, and its number in the trace.
struct JournalCommunicator {
  std::uint64_t handle = 0; ///< 0: no entry
  std::uint32_t id = 0;
  std::uint32_t reserved = 0;
};

/// Bits of JournalThread::partners.
inline constexpr std::uint32_t journal_peer = 1;
inline constexpr std::uint32_t journal_tag = 2;

inline constexpr std::size_t journal_signal_offset = 256;
inline constexpr std::size_t journal_communicators_offset = 512;
inline constexpr std::size_t journal_threads_offset = 1024;
static_assert(journal_communicators_offset + journal_communicators * sizeof(JournalCommunicator) ==
              journal_threads_offset);
static_assert(journal_threads_offset + journal_threads * sizeof(JournalThread) == journal_header_bytes);

inline constexpr std::uint64_t free_segment = ~std::uint64_t{0};

/// Before the log of one block's actions.
struct JournalSegment {
  std::uint64_t first_action = free_segment; ///< ordinal of the block's first action
  /// Bytes of the log that hold whole records, and in the upper half their check. Stored last, with release order.
  std::uint64_t committed = 0;
};

/// What a record starts with; from record_entry on, it is an action equal to a known entry.
enum JournalRecord : std::uint64_t {
  record_check = 0,
  record_new_entry = 1,
  record_replacement = 2,
  record_definitions = 3,
  record_entry = 4,
};

/// At most this many bytes of records stand between two checks.
inline constexpr std::size_t bytes_per_check = 512;

/// The running check over the values of a log's records.
class JournalCheck {
public:
  JournalCheck() = default;
  JournalCheck(std::uint64_t run_identity, std::uint64_t first_action) : state_(run_identity) { add(first_action); }
  void add(std::uint64_t value) {
    state_ = (state_ ^ value) * 0x9e3779b97f4a7c15U;
    state_ ^= state_ >> 32U;
  }
  std::uint32_t value() const { return static_cast<std::uint32_t>(state_); }

private:
  std::uint64_t state_ = 0;
};

} // namespace timeless::trace
