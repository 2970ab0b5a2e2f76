#include "tests/replay/scalar/scalar_class.h"

#include <utility>

namespace timeless::replay::test::scalar {

ScalarReplay::ScalarReplay(const trace::Source& source, const Network& network, std::size_t lane,
                           const ReplayOptions& options)
    : run_(source.run()), network_(network), lane_(lane), options_(options) {
  for (Rank rank = 0; rank < run_.size; ++rank)
    read(source, rank);
}

std::optional<std::vector<ScalarTimes>> ScalarReplay::run() {
  bool progress = true;
  while (progress) {
    progress = false;
    for (Rank rank = 0; rank < run_.size; ++rank)
      progress = go_on(of(rank), rank) || progress;
    for (AsyncCollective& async : async_collectives_)
      progress = (!async.course.ended && advance(async.course, async.times)) || progress;
    progress = std::exchange(went_on_, false) || progress;
  }
  std::vector<ScalarTimes> times;
  for (RankProgram& rank : ranks_) {
    if (rank.position < rank.actions.size()) return std::nullopt;
    if (rank.several) turn_to_last(rank);
    times.push_back(rank.times);
    add(times.back(), 1, rank.beyond);
    parts_.push_back(rank.parts);
  }
  return times;
}

bool ScalarReplay::perform_attributed(Rank number) {
  RankProgram& rank = of(number);
  const Action& action = *rank.actions[rank.position].first;
  const bool computes = trace::has_volume(action.kind);
  if (computes) rank.kernel = action.kernel == trace::no_kernel ? "" : std::to_string(action.kernel);
  const std::string call = computes ? "computation" : trace::mpi_name(action);
  const RankTimes before = rank.times;
  const bool done = perform(number, action);
  RankTimes& part = rank.parts[options_.attribute == AttributeBy::kernels ? rank.kernel : call];
  for (double RankTimes::*const counter : rank_counters) {
    part.*counter += rank.times.*counter - before.*counter;
    part.end += rank.times.*counter - before.*counter;
  }
  return done;
}

bool ScalarReplay::go_on(RankProgram& rank, Rank number) {
  const std::size_t position = rank.position;
  const bool begun = rank.begun;
  while (rank.position < rank.actions.size() && perform_attributed(number)) {
    ++rank.position;
    rank.begun = false;
  }
  return rank.position != position || rank.begun != begun;
}

void ScalarReplay::read(const trace::Source& source, Rank rank) {
  RankProgram& program = ranks_.emplace_back();
  const auto stream = source.open(rank);
  for (ActionBlock block; stream->next(block); block = ActionBlock())
    program.blocks.push_back(std::move(block));
  for (const ActionBlock& block : program.blocks)
    trace::for_each_action(
        block, [&](const Action& action, std::uint64_t volume) { program.actions.emplace_back(&action, volume); });
  if (options_.clock == StartClock::global) begin_as_recorded(source, rank);
  std::map<RequestId, std::size_t> started;
  for (std::size_t position = 0; position < program.actions.size(); ++position) {
    const Action& action = *program.actions[position].first;
    if (action.kind == ActionKind::cancelled)
      program.cancelled.insert(started.at(action.request));
    else if (action.kind == ActionKind::resolved)
      program.resolved[started.at(action.request)] = &action;
    else if (trace::nonblocking(action))
      started[action.request] = position;
  }
}

void ScalarReplay::begin_as_recorded(const trace::Source& source, Rank rank) {
  const auto stream = source.open(rank);
  for (ActionBlock block; stream->next(block); block = ActionBlock()) {
    if (block.size() == 0) continue;
    stream->read_times(block);
    of(rank).times.end = of(rank).times.start = static_cast<double>(block.times().front().entry) * 1e-9;
    return;
  }
}

void ScalarReplay::start(const Action& action, Rank number) {
  auto& requests = of(number).requests[action.request];
  requests.clear();
  // What is cancelled in the end is as if it had never been.
  if (of(number).cancelled.contains(of(number).position)) return;
  const Since now = this->now(number);
  const bool exchanges = action.kind == ActionKind::exchange || action.kind == ActionKind::exchange_replace;
  if (trace::family(action.kind) != trace::ActionFamily::point_to_point && step_by_step(action)) {
    requests.push_back({.of = OpenRequest::Of::async, .place = async_collectives_.size()});
    ScalarTimes times;
    times.end = of(number).times.end;
    times.path = of(number).times.path;
    times.port_free = of(number).times.port_free;
    times.port_path = of(number).times.port_path;
    times.held_port_free = of(number).times.held_port_free;
    times.held_port_path = of(number).times.held_port_path;
    async_collectives_.push_back({course(action, collective_communicator(action), number), times});
    advance(async_collectives_.back().course, async_collectives_.back().times);
  } else if (trace::family(action.kind) != trace::ActionFamily::point_to_point) {
    OpenRequest request{.of = OpenRequest::Of::collective, .communicator = collective_communicator(action)};
    request.place = arrive(action, request.communicator, number);
    if (!idle(action, request.communicator, number)) requests.push_back(request);
  } else if (action.kind == ActionKind::receive && (action.peer == trace::any_rank || action.tag == trace::any_tag)) {
    const auto found = of(number).resolved.find(of(number).position);
    requests.push_back(found == of(number).resolved.end()
                           ? OpenRequest{.of = OpenRequest::Of::wildcard}
                           : post(incoming(action, number, found->second->peer, found->second->tag), now));
  } else {
    const Rank from = exchanges                            ? action.receive_peer
                      : action.kind == ActionKind::receive ? action.peer
                                                           : trace::no_rank;
    const auto post_at = [&](Since when) {
      const trace::Tag tag = exchanges ? action.receive_tag : action.tag;
      if (from != trace::no_rank) requests.insert(requests.begin(), post(incoming(action, number, from, tag), when));
    };
    const bool sends_first = network_.library.sends_before_posting;
    if (!sends_first) post_at(now);
    if (action.kind != ActionKind::receive && action.peer != trace::no_rank)
      requests.push_back(send(action, number, true));
    if (sends_first) post_at(this->now(number));
  }
}

bool ScalarReplay::perform(Rank number, const Action& action) {
  RankProgram& rank = of(number);
  for (const RequestId request : action.requests)
    await_begun(rank, request);
  if (action.kind == ActionKind::cancelled || action.kind == ActionKind::request_free)
    await_begun(rank, action.request);
  const bool done = perform_now(number, action);
  if (rank.marked && trace::nonblocking(action)) rank.begun_by[action.request] = told(rank);
  return done;
}

bool ScalarReplay::perform_now(Rank number, const Action& action) {
  RankProgram& rank = of(number);
  switch (action.kind) {
  case ActionKind::compute:
    work(rank.times, &RankTimes::compute,
         static_cast<double>(rank.actions[rank.position].second) * kernel_factor(action) *
             network_.seconds_per_unit(number) * lane().compute_scale);
    return true;
  case ActionKind::cancelled:
    return true;
  case ActionKind::request_free:
    rank.requests.erase(action.request);
    return true;
  case ActionKind::resolved:
  case ActionKind::comm_free:
  case ActionKind::finalize:
    return true;
  default:
    break;
  }
  if (is_free_creation(action)) {
    if (action.request != trace::no_request) rank.requests[action.request] = {};
    return true;
  }
  switch (trace::family(action.kind)) {
  case trace::ActionFamily::mark:
    mark(rank, action);
    return true;
  case trace::ActionFamily::completion:
    return complete(action, rank);
  case trace::ActionFamily::one_sided:
    return transfer(action, number);
  case trace::ActionFamily::epoch:
    return epoch(action, number);
  case trace::ActionFamily::window:
    return window(action, number);
  case trace::ActionFamily::file:
    return access_alone(action, rank);
  case trace::ActionFamily::file_collective:
    return file_collective(action, number);
  default:
    break;
  }
  if (action.request != trace::no_request) {
    start(action, number);
    return true;
  }
  if (trace::family(action.kind) != trace::ActionFamily::point_to_point)
    return collective(action, collective_communicator(action), number);
  if (action.kind == ActionKind::exchange || action.kind == ActionKind::exchange_replace)
    return exchange(action, number);
  if (action.peer == trace::no_rank) return true;
  if (action.kind == ActionKind::send) return send_and_wait(action, number);
  const PathKey key = incoming(action, number, action.peer, action.tag);
  return action.kind == ActionKind::receive ? receive(rank, key) : probe(rank, key);
}

} // namespace timeless::replay::test::scalar
