#include "tests/replay/random_program/writer.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace timeless::replay::test::programs {

void ProgramWriter::compute() {
  const auto volume = static_cast<std::uint64_t>(between(0, 3000));
  compute(any_rank(), volume, static_cast<trace::KernelId>(volume % kernels));
}

void ProgramWriter::send() {
  const Rank from = any_rank();
  const CommunicatorId id = communicator_of(from);
  if (chance(3)) {
    send_nowhere(from, id);
    return;
  }
  send(from, id, any_member(id), between(0, 2));
}

void ProgramWriter::send_nowhere(Rank from, CommunicatorId id) {
  Action action{.kind = ActionKind::send, .communicator = id, .bytes = 8};
  if (chance(50)) action.request = new_request(from, {Pending::Of::nothing});
  add(from, action);
}

void ProgramWriter::send(Rank from, CommunicatorId id, Rank to, Tag tag) {
  const Path path{from, to, id, tag};
  if (chance(limits_.posted_before))
    while (paths_[path].posted <= paths_[path].sent)
      post(path);
  ++paths_[path].sent;
  Action action{.kind = ActionKind::send,
                .mode = any_mode(),
                .communicator = id,
                .peer = rank_in(id, to),
                .tag = tag,
                .bytes = any_size()};
  if (chance(50)) {
    action.flags = maybe_persistent();
    action.request = new_request(from, {Pending::Of::send});
  }
  add(from, action);
}

trace::SendMode ProgramWriter::any_mode() {
  using trace::SendMode;
  if (chance(limits_.synchronous)) return SendMode::synchronous;
  constexpr std::array others{SendMode::standard, SendMode::standard, SendMode::buffered, SendMode::ready};
  return others[static_cast<std::size_t>(between(0, 3))];
}

Action ProgramWriter::receive_action(const Path& path) {
  const auto& [from, to, id, tag] = path;
  return {.kind = ActionKind::receive,
          .flags = static_cast<std::uint16_t>(chance(20) ? trace::flag_wildcard : 0),
          .communicator = id,
          .peer = rank_in(id, from),
          .tag = tag,
          .bytes = 100000};
}

void ProgramWriter::post(const Path& path) {
  const Rank to = std::get<1>(path);
  Action action = receive_action(path);
  action.flags |= maybe_persistent();
  Pending pending{Pending::Of::receive, path, paths_[path].posted++};
  pending.probes = paths_[path].probes;
  action.request = new_request(to, pending);
  add(to, action);
}

/// Returns a path on which something may yet be received, used before or new.
ProgramWriter::Path ProgramWriter::any_path() {
  if (!paths_.empty() && chance(80)) {
    auto path = paths_.begin();
    std::advance(path, between(0, static_cast<int>(paths_.size()) - 1));
    return path->first;
  }
  const Rank to = any_rank();
  const CommunicatorId id = communicator_of(to);
  return {any_member(id), to, id, between(0, 2)};
}

void ProgramWriter::receive() {
  const Path path = any_path();
  PathState& so_far = paths_[path];
  if (so_far.posted >= so_far.sent) return post(path);
  const int what = between(1, 10);
  if (what <= 3) return post(path);
  Action action = receive_action(path);
  if (what <= 5) action.kind = chance(50) ? ActionKind::probe : ActionKind::poll;
  ++(what > 5 ? so_far.posted : so_far.probes);
  add(std::get<1>(path), action);
}

void ProgramWriter::post_wildcard() {
  const Rank to = any_rank();
  const CommunicatorId id = communicator_of(to);
  const Path path{any_member(id), to, id, between(0, 2)};
  Pending pending{Pending::Of::wildcard, path, paths_[path].posted++};
  pending.probes = paths_[path].probes;
  const RequestId request = new_request(to, pending);
  const bool known_source = chance(30);
  add(to, {.kind = ActionKind::receive,
           .flags = trace::flag_wildcard,
           .communicator = id,
           .peer = known_source ? rank_in(id, std::get<0>(path)) : trace::any_rank,
           .tag = known_source || chance(50) ? trace::any_tag : std::get<3>(path),
           .bytes = 100000,
           .request = request});
}

void ProgramWriter::resolve(Rank to, RequestId request) {
  Pending& pending = state(to).requests[request];
  pending.of = Pending::Of::receive;
  const auto& [from, receiver, id, tag] = pending.path;
  add(to, {.kind = ActionKind::resolved,
           .communicator = id,
           .peer = rank_in(id, from),
           .tag = tag,
           .bytes = 8,
           .request = request});
}

void ProgramWriter::resolve_one() {
  const Rank rank = any_rank();
  for (const auto& [id, request] : state(rank).requests)
    if (request.of == Pending::Of::wildcard) return resolve(rank, id);
}

void ProgramWriter::exchange() {
  const Rank rank = any_rank();
  const CommunicatorId id = communicator_of(rank);
  Action action{.kind = chance(50) ? ActionKind::exchange : ActionKind::exchange_replace, .communicator = id};
  if (chance(90)) {
    const Rank to = any_member(id);
    action.peer = rank_in(id, to);
    action.tag = between(0, 2);
    action.bytes = any_size();
    ++paths_[{rank, to, id, action.tag}].sent;
  }
  for (auto& [path, so_far] : paths_) {
    const auto& [from, to, communicator, tag] = path;
    if (to != rank || communicator != id || so_far.posted >= so_far.sent || chance(30)) continue;
    action.receive_peer = rank_in(id, from);
    action.receive_tag = tag;
    action.receive_bytes = 100000;
    ++so_far.posted;
    break;
  }
  add(rank, action);
}

/// Some members of a communicator, in a ring: each sends to the next, in one call with its receive from the one
/// before. A message left over on one of the paths would make the receives take that one; so there must be none.
void ProgramWriter::shift() {
  const CommunicatorId id = any_communicator();
  std::vector<Rank> ring = members(id);
  std::ranges::shuffle(ring, random_);
  ring.resize(static_cast<std::size_t>(between(1, static_cast<int>(ring.size()))));
  const Tag tag = between(0, 2);
  const auto next = [&](std::size_t index) { return ring[(index + 1) % ring.size()]; };
  for (std::size_t index = 0; index < ring.size(); ++index)
    if (const PathState& path = paths_[{ring[index], next(index), id, tag}]; path.sent != path.posted) return;
  const bool nonblocking = chance(30);
  for (std::size_t index = 0; index < ring.size(); ++index) {
    const Rank rank = ring[index];
    const Rank from = ring[(index + ring.size() - 1) % ring.size()];
    Action action{.kind = chance(50) ? ActionKind::exchange : ActionKind::exchange_replace,
                  .communicator = id,
                  .peer = rank_in(id, next(index)),
                  .tag = tag,
                  .bytes = any_size(),
                  .receive_peer = rank_in(id, from),
                  .receive_tag = tag,
                  .receive_bytes = 100000};
    const Path path{from, rank, id, tag};
    if (nonblocking) action.request = new_request(rank, {Pending::Of::exchange, path, paths_[path].posted});
    ++paths_[{rank, next(index), id, tag}].sent;
    ++paths_[path].posted;
    add(rank, action);
  }
}

} // namespace timeless::replay::test::programs
