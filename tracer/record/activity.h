#pragma once

#include "trace/journal/format.h"
#include "tracer/mpi/mpi_library.h"
#include "tracer/mpi/types.h"

#include <atomic>
#include <cstdint>

/// What a thread is doing, shown in its slot of the journal: plain stores, so that a look at a program that hangs
/// finds in which call, and for whom it waits.
namespace timeless::tracer {

class Recorder;

/// The slot of a thread that has none yet, and what happens to be written for it.
extern constinit trace::JournalThread activity_unknown;

/// Returns the calling thread's slot; one that nobody reads when there is no journal, or too many threads.
trace::JournalThread* claim_activity(Recorder& recorder) noexcept;

template <typename Value>
void show(Value& place, Value value) noexcept {
  // Threads without a slot of their own share one.
  std::atomic_ref(place).store(value, std::memory_order_relaxed);
}

inline void begin_call(trace::JournalThread& slot, std::uint16_t call, const void* site) noexcept {
  show(slot.communicator, std::uint64_t{0});
  show(slot.partners, std::uint32_t{0});
  show(slot.site, static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(site)));
  const std::uint64_t calls = std::atomic_ref(slot.call).load(std::memory_order_relaxed) >> 16U;
  show(slot.call, (calls + 1) << 16U | (call + 1U));
}

inline void end_call(trace::JournalThread& slot) noexcept {
  show(slot.call, std::atomic_ref(slot.call).load(std::memory_order_relaxed) & ~std::uint64_t{0xffff});
}

inline void show_partner(trace::JournalThread& slot, MPI_Comm comm) noexcept {
  show(slot.communicator, static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(comm)));
}

inline std::int32_t shown_rank(int peer) noexcept {
  if (peer == mpi().any_source) return trace::any_rank;
  return peer < 0 ? trace::no_rank : peer;
}

inline void show_partner(trace::JournalThread& slot, int peer, MPI_Comm comm) noexcept {
  show(slot.peer, shown_rank(peer));
  show(slot.partners, trace::journal_peer);
  show_partner(slot, comm);
}

inline void show_partner(trace::JournalThread& slot, int peer, int tag, MPI_Comm comm) noexcept {
  show(slot.peer, shown_rank(peer));
  show(slot.tag, static_cast<std::int32_t>(tag));
  show(slot.partners, trace::journal_peer | trace::journal_tag);
  show_partner(slot, comm);
}

/// Forgets the activity in a forked child, whose calls are nobody's.
void forget_activity() noexcept;

} // namespace timeless::tracer
