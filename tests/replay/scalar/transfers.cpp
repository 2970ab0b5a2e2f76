#include "tests/replay/scalar/scalar_class.h"

#include <algorithm>
#include <utility>

namespace timeless::replay::test::scalar {

bool ScalarReplay::transfer(const Action& action, Rank number) {
  RankProgram& rank = of(number);
  if (action.peer == trace::no_rank) {
    if (action.request != trace::no_request) rank.requests[action.request] = {};
    return true;
  }
  const bool there_only = action.kind == ActionKind::put || action.kind == ActionKind::accumulate;
  const double ways = there_only ? 1 : 2;
  const auto bytes = static_cast<double>(action.bytes + action.receive_bytes);
  const auto larger = static_cast<double>(std::max(action.bytes, action.receive_bytes));
  const LinkClass link = this->link(number, world(action.communicator, action.peer));
  const auto [latency, byte_time] = costs(link, larger);
  work(rank.times, &RankTimes::overhead, overhead(Overhead::nonblocking_send, link, action.bytes, false, larger));
  const Arrival way =
      begin(rank.port, rank.times, ways * latency, constant(link, larger) + bytes * byte_time, scales(link));
  auto& last = rank.windows[action.communicator].transfers;
  if (!last || way.end() > last->end()) last = way;
  if (action.request != trace::no_request)
    rank.requests[action.request] = {{.of = OpenRequest::Of::transfer, .way = way}};
  return true;
}

void ScalarReplay::finish_transfers(RankProgram& rank, CommunicatorId window) {
  auto& last = rank.windows[window].transfers;
  if (last) absorb(rank.times, *last);
  last.reset();
}

void ScalarReplay::ask(RankProgram& rank, LinkClass link) {
  const double latency = 2 * costs(link, 0).first;
  absorb(rank.times, {rank.times.end, latency, 2 * constant(link, 0), 0, rank.times.path, scales(link)});
}

PathKey ScalarReplay::notices(Rank from, Rank to, const Action& action, bool of_posts) {
  return {from, to, action.communicator, of_posts ? -1001 : -1002};
}

void ScalarReplay::notify(const Action& action, Rank number, const std::vector<Rank>& group, bool posts) {
  for (const Rank other : group)
    paths_[notices(number, other, action, posts)].sent.push_back({number, now(number), 0, false});
}

bool ScalarReplay::take_notices(const Action& action, Rank number, const std::vector<Rank>& group, bool of_posts) {
  RankProgram& rank = of(number);
  std::vector<std::size_t>& places = rank.windows[action.communicator].places;
  if (!rank.begun) {
    places.clear();
    for (const Rank other : group)
      places.push_back(post(notices(other, number, action, of_posts), now(number)).place);
  }
  rank.begun = true;
  std::vector<Arrival> arrivals;
  for (std::size_t index = 0; index < group.size(); ++index) {
    const PathKey path = notices(group[index], number, action, of_posts);
    if (!has(path, places[index])) return false;
    const SentMessage& notice = paths_[path].sent[places[index]];
    const LinkClass link = this->link(group[index], number);
    arrivals.push_back(
        {notice.start.time, costs(link, 0).first, constant(link, 0), 0, notice.start.path, scales(link)});
  }
  absorb_all(rank.times, std::move(arrivals));
  return true;
}

std::vector<Rank> ScalarReplay::group_of(const Action& action) {
  std::vector<Rank> group;
  for (const Rank member : action.ranks)
    group.push_back(world(action.communicator, member));
  return group;
}

bool ScalarReplay::epoch(const Action& action, Rank number) {
  RankProgram& rank = of(number);
  ScalarWindow& window = rank.windows[action.communicator];
  const bool checked = (action.flags & trace::flag_no_check) == 0;
  switch (action.kind) {
  case ActionKind::win_lock:
    if (checked) ask(rank, this->link(number, world(action.communicator, action.peer)));
    return true;
  case ActionKind::win_lock_all:
    if (checked) ask(rank, this->collective_link(run_.communicators[action.communicator].members));
    return true;
  case ActionKind::win_post:
    window.origins = group_of(action);
    notify(action, number, window.origins, true);
    return true;
  case ActionKind::win_start:
    window.targets = group_of(action);
    if (checked) return take_notices(action, number, window.targets, true);
    for (const Rank other : window.targets)
      post(notices(other, number, action, true), now(number));
    return true;
  case ActionKind::win_complete:
    finish_transfers(rank, action.communicator);
    notify(action, number, window.targets, false);
    return true;
  case ActionKind::win_wait:
  case ActionKind::win_test:
    return take_notices(action, number, window.origins, false);
  case ActionKind::win_sync:
    return true;
  default:
    finish_transfers(rank, action.communicator);
    return true;
  }
}

bool ScalarReplay::window(const Action& action, Rank number) {
  const bool ends = action.kind == ActionKind::win_fence || action.kind == ActionKind::win_free;
  if (ends && !of(number).begun && (action.flags & trace::flag_no_precede) == 0)
    finish_transfers(of(number), action.communicator);
  return collective({.kind = ActionKind::barrier}, action.communicator, number);
}

double ScalarReplay::moving(Bytes own, Bytes all) const {
  const FileSystem& system = options_.file_system;
  return std::max(static_cast<double>(own) * system.byte_time, static_cast<double>(all) * system.aggregate_byte_time);
}

bool ScalarReplay::access_alone(const Action& action, RankProgram& rank) {
  const Arrival way = begin(rank.file_port, rank.times, options_.file_system.latency,
                            moving(std::max(action.bytes, action.receive_bytes), 0), false);
  if (action.request == trace::no_request) {
    absorb_file(rank.times, way);
  } else {
    rank.requests[action.request] = {{.of = OpenRequest::Of::file_transfer, .way = way}};
  }
  return true;
}

Arrival ScalarReplay::file_arrival(CommunicatorId file, std::size_t place, Bytes bytes) {
  const Gathering& gathering = gatherings_[file].at(place);
  const auto [last, path] = latest(gathering);
  return {last, options_.file_system.latency, moving(bytes, gathering.moved), 0, path, false};
}

bool ScalarReplay::file_collective(const Action& action, Rank number) {
  RankProgram& rank = of(number);
  const std::string name(trace::name(action.kind));
  const CommunicatorId file = action.communicator;
  switch (action.kind) {
  case ActionKind::file_set_view:
  case ActionKind::file_set_info:
  case ActionKind::file_set_atomicity:
  case ActionKind::file_seek_shared:
    return collective({.kind = ActionKind::barrier}, file, number);
  default:
    break;
  }
  Action call = action;
  if (action.kind == ActionKind::file_set_size || action.kind == ActionKind::file_preallocate) call.bytes = 0;
  const Bytes bytes = std::max(call.bytes, call.receive_bytes);
  if (name.ends_with("_begin")) {
    rank.splits[file] = {arrive(call, file, number), bytes};
    return true;
  }
  if (name.ends_with("_end")) {
    const auto split = rank.splits.find(file);
    if (split == rank.splits.end()) return true;
    if (!complete(file, split->second.place)) return false;
    absorb_file(rank.times, file_arrival(file, split->second.place, split->second.bytes));
    rank.splits.erase(split);
    return true;
  }
  if (action.request != trace::no_request) {
    OpenRequest request{.of = OpenRequest::Of::file, .communicator = file, .bytes = bytes};
    request.place = arrive(call, file, number);
    rank.requests[action.request] = {request};
    return true;
  }
  if (!rank.begun) rank.place = arrive(call, file, number);
  rank.begun = true;
  if (!complete(file, rank.place)) return false;
  absorb_file(rank.times, file_arrival(file, rank.place, bytes));
  if (action.kind == ActionKind::file_close) rank.splits.erase(file);
  return true;
}

} // namespace timeless::replay::test::scalar
