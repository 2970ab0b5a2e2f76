#include "tests/replay/scalar/scalar_class.h"

#include <algorithm>

namespace timeless::replay::test::scalar {

void ScalarReplay::add(RankTimes& times, double sign, const RankTimes& others) {
  for (double RankTimes::*const counter : rank_counters)
    times.*counter += sign * others.*counter;
}

ScalarThread& ScalarReplay::thread_of(RankProgram& rank, Rank number) {
  for (auto& [known, thread] : rank.others)
    if (known == number) return thread;
  ScalarThread& fresh = rank.others.emplace_back(number, ScalarThread{}).second;
  fresh.times.end = fresh.times.start = rank.times.start;
  return fresh;
}

std::size_t ScalarReplay::place_of(const RankProgram& rank, Rank number) {
  std::size_t place = 0;
  while (place < rank.others.size() && rank.others[place].first != number)
    ++place;
  return place;
}

void ScalarReplay::turn_to(RankProgram& rank, Rank number) {
  if (!rank.several) rank.others.emplace_back(0, ScalarThread{});
  rank.several = true;
  thread_of(rank, rank.thread) = {rank.times, rank.beyond, rank.port, rank.file_port, busy_[&rank.times], rank.kernel};
  const ScalarThread& next = thread_of(rank, number);
  rank.thread = number;
  rank.times = next.times;
  rank.beyond = next.beyond;
  rank.port = next.port;
  rank.file_port = next.file_port;
  rank.kernel = next.kernel;
  busy_[&rank.times] = next.busy;
}

void ScalarReplay::turn_to_last(RankProgram& rank) {
  turn_to(rank, rank.thread);
  Rank last = 0;
  double end = -1;
  for (const auto& [number, thread] : rank.others)
    if (thread.times.end > end) {
      last = number;
      end = thread.times.end;
    }
  turn_to(rank, last);
}

Told ScalarReplay::told(const RankProgram& rank) {
  Told all{.thread = rank.thread, .since = {rank.times.end, rank.times.path}, .counted = rank.times};
  add(all.counted, 1, rank.beyond);
  return all;
}

void ScalarReplay::await(RankProgram& rank, const Told& other) {
  if (other.thread == rank.thread) return;
  const bool later = other.since.time > rank.times.end;
  absorb(rank.times, {.start = other.since.time, .path_to_start = other.since.path});
  if (!later) return;
  rank.beyond = other.counted;
  add(rank.beyond, -1, rank.times);
}

void ScalarReplay::mark(RankProgram& rank, const Action& action) {
  if (action.kind == ActionKind::region_begin || action.kind == ActionKind::region_end) return;
  rank.marked = true;
  if (action.kind == ActionKind::thread) return turn_to(rank, action.peer);
  auto& signals = rank.signals[action.peer];
  if (action.kind == ActionKind::thread_await)
    for (const Told& signal : signals)
      await(rank, signal);
  if (action.kind != ActionKind::thread_signal) return;
  std::erase_if(signals, [&](const Told& signal) { return signal.thread == rank.thread; });
  signals.push_back(told(rank));
  std::ranges::sort(signals, {}, [&](const Told& signal) { return place_of(rank, signal.thread); });
}

void ScalarReplay::await_begun(RankProgram& rank, RequestId request) {
  const auto found = rank.begun_by.find(request);
  if (found == rank.begun_by.end()) return;
  const Told begun = found->second;
  rank.begun_by.erase(found);
  await(rank, begun);
}

} // namespace timeless::replay::test::scalar
