#include "tracer/record/rank/recorded_thread.h"

#include <utility>

namespace timeless::tracer {

std::size_t RecordedThread::append(const trace::Action& action, std::atomic<std::uint64_t>& tickets) {
  const OptionalLock held(lock_, true);
  filling_.block.append(action);
  stamp_last();
  // Within the lock: who takes this block later has seen every ticket up to its own.
  filling_.tickets.push_back(tickets.fetch_add(1, std::memory_order_relaxed) + 1);
  return filling_.tickets.size();
}

void RecordedThread::append_volume(trace::ActionKind kind, trace::KernelId kernel, std::uint64_t volume) {
  const OptionalLock held(lock_, true);
  filling_.block.append_volume(kind, kernel, volume);
  stamp_last();
  filling_.tickets.push_back(0);
}

void RecordedThread::stamp_last() {
  if (stamp.on()) filling_.block.add_times(stamp.take());
}

void RecordedThread::take(TicketedBlock& empty) {
  const OptionalLock held(lock_, true);
  std::swap(filling_, empty);
}

bool RecordedThread::idle() {
  const OptionalLock held(lock_, true);
  return filling_.tickets.empty();
}

} // namespace timeless::tracer
