#include "tests/replay/scalar/scalar_class.h"

#include <algorithm>
#include <utility>

namespace timeless::replay::test::scalar {

CommunicatorId ScalarReplay::collective_communicator(const Action& action) {
  return action.kind == ActionKind::comm_create_group ? action.new_communicator : action.communicator;
}

schedules::GroupPosition ScalarReplay::place(const Action& action, CommunicatorId id, Rank rank) const {
  const trace::Communicator& communicator = run_.communicators.at(id);
  const auto first = static_cast<std::uint32_t>(communicator.members.size());
  const auto second = static_cast<std::uint32_t>(communicator.remote_members.size());
  const auto all = everyone(id);
  const auto here = static_cast<std::uint32_t>(std::ranges::find(all, rank) - all.begin());
  schedules::GroupPosition at{.members = first, .me = here};
  if (second > 0 && here < first) at = {.members = first, .me = here, .remote_base = first, .remote_members = second};
  if (here >= first) at = {.base = first, .members = second, .me = here - first, .remote_members = first};
  if (!rooted(action.kind)) return at;
  if (action.peer == trace::root_of_remote_group) at.root = here;
  if (action.peer >= 0) at.root = (second > 0 ? at.remote_base : 0) + static_cast<std::uint32_t>(action.peer);
  return at;
}

CollectiveShape ScalarReplay::shape(const Action& action, CommunicatorId communicator, Rank rank) const {
  const schedules::GroupPosition at = place(action, communicator, rank);
  CollectiveShape shape{.kind = action.kind, .members = static_cast<std::uint32_t>(everyone(communicator).size())};
  const std::uint32_t peers = at.remote_members > 0 ? at.remote_members : at.members;
  shape.bytes = cost_bytes(action, at.members, peers);
  shape.element_bytes = action.element_bytes;
  shape.user_operation = (action.flags & trace::flag_user_operation) != 0;
  shape.commutative = (action.flags & trace::flag_noncommutative) == 0;
  shape.library = network_.library;
  if (at.remote_members == 0) return shape;
  const bool away_from_root = at.root != schedules::nobody && at.root != at.base + at.me;
  shape.group = !rooted(action.kind) ? std::max(at.members, at.remote_members)
                : away_from_root     ? at.members
                                     : at.remote_members;
  return shape;
}

bool ScalarReplay::idle(const Action& action, CommunicatorId communicator, Rank rank) const {
  const schedules::GroupPosition at = place(action, communicator, rank);
  return at.remote_members > 0 && rooted(action.kind) && at.root == schedules::nobody;
}

std::size_t ScalarReplay::arrive(const Action& action, CommunicatorId communicator, Rank rank) {
  const std::size_t place = of(rank).collectives[communicator]++;
  auto& gatherings = gatherings_[communicator];
  if (place >= gatherings.size()) gatherings.resize(place + 1);
  Gathering& gathering = gatherings[place];
  gathering.came[rank] = {0.0, Sensitivity{}};
  if (!idle(action, communicator, rank)) gathering.came[rank] = {of(rank).times.end, of(rank).times.path};
  const CollectiveShape own = shape(action, communicator, rank);
  CollectiveShape& all = gathering.shape;
  all.kind = own.kind;
  all.members = own.members;
  all.group = std::max(all.group, own.group);
  all.bytes = std::max(all.bytes, own.bytes);
  all.element_bytes = std::max(all.element_bytes, own.element_bytes);
  all.user_operation = all.user_operation || own.user_operation;
  all.commutative = all.commutative && own.commutative;
  all.library = own.library;
  gathering.moved += std::max(action.bytes, action.receive_bytes);
  return place;
}

bool ScalarReplay::complete(CommunicatorId communicator, std::size_t place) {
  return gatherings_[communicator].at(place).came.size() == everyone(communicator).size();
}

std::pair<double, Sensitivity> ScalarReplay::latest(const Gathering& gathering) const {
  const auto order = [&](const std::pair<double, Sensitivity>& came) {
    const auto& [time, path] = came;
    return options_.overlap == Overlap::latency_first ? std::tuple(time, path.latency, path.bandwidth, path.compute)
                                                      : std::tuple(time, path.bandwidth, path.latency, path.compute);
  };
  std::pair<double, Sensitivity> last;
  for (const auto& [rank, came] : gathering.came)
    if (order(came) > order(last)) last = came;
  return last;
}

Arrival ScalarReplay::arrival(CommunicatorId communicator, std::size_t place) {
  const Gathering& gathering = gatherings_[communicator].at(place);
  const CollectiveCost cost = collective_cost(options_.collectives, gathering.shape);
  const double step = cost.message_size();
  const LinkClass link = this->collective_link(everyone(communicator));
  const auto [latency, byte_time] = costs(link, step);
  const auto [last, path] = latest(gathering);
  return {last,
          cost.messages * latency,
          cost.messages * constant(link, step) + cost.bytes * byte_time,
          overheads(cost, link) + cost.reduced_bytes * lane().reduction_byte_time,
          path,
          scales(link)};
}

double ScalarReplay::overheads(const CollectiveCost& cost, LinkClass link) {
  const double step = cost.message_size();
  const auto each = [&](Overhead which) { return overhead(which, link, static_cast<Bytes>(step), false, step); };
  return cost.sends * each(Overhead::send) + cost.nonblocking_sends * each(Overhead::nonblocking_send) +
         cost.receives * each(Overhead::receive);
}

bool ScalarReplay::collective(const Action& action, CommunicatorId communicator, Rank number) {
  RankProgram& rank = of(number);
  if (step_by_step(action)) {
    if (!rank.begun) rank.course = course(action, communicator, number);
    rank.begun = true;
    went_on_ = advance(rank.course, rank.times) || went_on_;
    return rank.course.ended;
  }
  if (!rank.begun) rank.place = arrive(action, communicator, number);
  rank.begun = true;
  if (idle(action, communicator, number)) return true;
  if (!complete(communicator, rank.place)) return false;
  absorb_all(rank.times, {arrival(communicator, rank.place)});
  return true;
}

} // namespace timeless::replay::test::scalar
