#include "tests/replay/random_program/writer.h"

#include <algorithm>
#include <array>

namespace timeless::replay::test::programs {

RequestId ProgramWriter::new_request(Rank rank, Pending pending) {
  RequestId id = 0;
  while (state(rank).requests.contains(id))
    ++id;
  if (chance(2)) id += 100000;
  if (state(rank).requests.contains(id)) return new_request(rank, pending);
  state(rank).requests[id] = pending;
  return id;
}

bool ProgramWriter::available(const Pending& pending) {
  switch (pending.of) {
  case Pending::Of::receive:
  case Pending::Of::exchange:
    return pending.ticket < paths_[pending.path].sent;
  case Pending::Of::wildcard:
    return false;
  case Pending::Of::collective:
    return pending.ticket < all_called(pending.communicator);
  default:
    return true;
  }
}

void ProgramWriter::complete() {
  const Rank rank = any_rank();
  std::vector<RequestId> done;
  const bool one = chance(40);
  for (const auto& [id, request] : state(rank).requests)
    if (available(request) && chance(70) && !(one && !done.empty())) done.push_back(id);
  std::ranges::shuffle(done, random_);
  complete(rank, done);
}

void ProgramWriter::complete(Rank rank, const std::vector<RequestId>& done) {
  if (done.empty()) return;
  for (const RequestId id : done)
    state(rank).requests.erase(id);
  constexpr std::array one{ActionKind::wait, ActionKind::test, ActionKind::wait_any, ActionKind::test_any};
  constexpr std::array many{ActionKind::wait_all, ActionKind::wait_some, ActionKind::test_all, ActionKind::test_some};
  const auto which = static_cast<std::size_t>(between(0, 3));
  add(rank, {.kind = done.size() == 1 ? one[which] : many[which], .requests = done});
}

void ProgramWriter::cancel() {
  const Rank rank = any_rank();
  for (auto& [id, request] : state(rank).requests) {
    if (request.of != Pending::Of::receive) continue;
    // Nothing may have gone past it: then it would have received something.
    const PathState& path = paths_[request.path];
    if (request.ticket + 1 != path.posted || request.probes != path.probes) continue;
    --paths_[request.path].posted;
    request = {Pending::Of::nothing};
    add(rank, {.kind = ActionKind::cancelled, .request = id});
    return;
  }
}

void ProgramWriter::free_request() {
  const Rank rank = any_rank();
  for (const auto& [id, request] : state(rank).requests) {
    if (request.of != Pending::Of::send) continue;
    add(rank, {.kind = ActionKind::request_free, .request = id});
    state(rank).requests.erase(id);
    return;
  }
}

} // namespace timeless::replay::test::programs
