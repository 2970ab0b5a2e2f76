#include "tests/replay/scalar/scalar_class.h"

namespace timeless::replay::test::scalar {

bool ScalarReplay::step_by_step(const Action& action) const {
  if (neighbourhood(action.kind)) return action.tag > 0;
  return options_.collectives == CollectiveModel::schedule;
}

Course ScalarReplay::course(const Action& action, CommunicatorId communicator, Rank rank) {
  const schedules::GroupPosition at = place(action, communicator, rank);
  return {.plan = schedules::plan(shape(action, communicator, rank), action, at),
          .cursor = {},
          .transfer = {},
          .communicator = communicator,
          .ordinal = of(rank).collectives[communicator]++,
          .here = at.base + at.me};
}

Arrival ScalarReplay::departure_within(const WaySent& sent) {
  const auto& [way, place] = sent;
  if (!within_[way].sent.at(place).keeps_sender) return {};
  Arrival departure = arrival(within_[way], place, everyone(std::get<0>(way))[std::get<3>(way)]);
  departure.after = 0;
  departure.port = false;
  return departure;
}

bool ScalarReplay::may_leave_within(const WaySent& sent) {
  const Path& path = within_[sent.first];
  return !path.sent.at(sent.second).keeps_sender || sent.second < path.posted.size();
}

void ScalarReplay::begin(Course& course, ScalarTimes& times) {
  const bool sends_first = network_.library.sends_before_posting;
  if (sends_first) send(course, times);
  if (course.transfer.from != schedules::nobody) {
    auto& posted = within_[{course.communicator, course.ordinal, course.transfer.from, course.here}].posted;
    course.receives = posted.size();
    posted.push_back({times.end, times.path});
  }
  if (!sends_first) send(course, times);
}

void ScalarReplay::send(Course& course, ScalarTimes& times) {
  const auto all = everyone(course.communicator);
  if (course.transfer.to == schedules::nobody) return;
  const auto bytes = static_cast<Bytes>(course.transfer.bytes);
  const LinkClass link = this->link(all[course.here], all[course.transfer.to]);
  const bool blocking = course.transfer.sending == schedules::Sending::blocking;
  work(times, &RankTimes::overhead, overhead(blocking ? Overhead::send : Overhead::nonblocking_send, link, bytes));
  copy(times, !blocking, static_cast<double>(bytes));
  const Way way{course.communicator, course.ordinal, course.here, course.transfer.to};
  auto& sent = within_[way].sent;
  course.sends = sent.size();
  const bool waits = above_limit(bytes);
  const bool held = waits || departs_late(bytes);
  sent.push_back(
      {all[course.here], through_port(times, link, static_cast<double>(bytes), held), bytes, held, false, waits});
  if (course.transfer.sending == schedules::Sending::together) course.sent.emplace_back(way, course.sends);
}

bool ScalarReplay::finish(Course& course, ScalarTimes& times) {
  const auto all = everyone(course.communicator);
  const Path& path = within_[{course.communicator, course.ordinal, course.transfer.from, course.here}];
  const bool receives = course.transfer.from != schedules::nobody;
  if (receives && course.receives >= path.sent.size()) return false;
  const WaySent own{{course.communicator, course.ordinal, course.here, course.transfer.to}, course.sends};
  const bool sends = course.transfer.to != schedules::nobody && course.transfer.sending != schedules::Sending::together;
  if (sends && !may_leave_within(own)) return false;
  std::vector<Arrival> halves;
  if (receives) halves.push_back(arrival(path, course.receives, all[course.here]));
  if (receives) halves.back().port = owner(times).has_value();
  if (sends) halves.push_back(departure_within(own));
  absorb_all(times, halves);
  if (sends) end_sent(times, own);
  return true;
}

bool ScalarReplay::finish_sends(Course& course, ScalarTimes& times) {
  for (const WaySent& sent : course.sent)
    if (!may_leave_within(sent)) return false;
  std::vector<Arrival> departures;
  for (const WaySent& sent : course.sent)
    departures.push_back(departure_within(sent));
  absorb_all(times, departures);
  for (const WaySent& sent : course.sent)
    end_sent(times, sent);
  return true;
}

bool ScalarReplay::begin_together(Course& course, ScalarTimes& times) {
  std::vector<schedules::Transfer> transfers;
  schedules::Transfer next;
  while (transfers.size() < course.plan.together && schedules::next(course.plan, course.cursor, next))
    transfers.push_back(next);
  for (const schedules::Transfer& transfer : transfers) {
    if (transfer.from == schedules::nobody) continue;
    const Way way{course.communicator, course.ordinal, transfer.from, course.here};
    auto& posted = within_[way].posted;
    course.awaited.emplace_back(way, posted.size());
    posted.push_back({times.end, times.path});
  }
  for (const schedules::Transfer& transfer : transfers) {
    course.transfer = transfer;
    send(course, times);
  }
  return !transfers.empty();
}

bool ScalarReplay::finish_together(Course& course, ScalarTimes& times) {
  const auto all = everyone(course.communicator);
  for (const WaySent& one : course.awaited)
    if (one.second >= within_[one.first].sent.size()) return false;
  for (const WaySent& one : course.sent)
    if (!may_leave_within(one)) return false;
  std::vector<Arrival> arrivals;
  for (const WaySent& one : course.awaited) {
    arrivals.push_back(arrival(within_[one.first], one.second, all[course.here]));
    arrivals.back().port = owner(times).has_value();
  }
  for (const WaySent& one : course.sent)
    arrivals.push_back(departure_within(one));
  absorb_all(times, arrivals);
  for (const WaySent& one : course.sent)
    end_sent(times, one);
  course.awaited.clear();
  course.sent.clear();
  return true;
}

bool ScalarReplay::advance_together(Course& course, ScalarTimes& times) {
  for (bool happened = false;; happened = true) {
    if (!course.standing && !begin_together(course, times)) return course.ended = true;
    happened = happened || !course.standing;
    course.standing = true;
    if (!finish_together(course, times)) return happened;
    course.standing = false;
  }
}

bool ScalarReplay::advance(Course& course, ScalarTimes& times) {
  if (course.plan.together > 1) return advance_together(course, times);
  for (bool happened = false;; happened = true) {
    if (!course.standing) {
      if (!schedules::next(course.plan, course.cursor, course.transfer)) {
        course.ended = finish_sends(course, times);
        return course.ended || happened;
      }
      course.standing = happened = true;
      begin(course, times);
    }
    if (!finish(course, times)) return happened;
    work(times, &RankTimes::overhead, course.transfer.reduced_bytes * lane().reduction_byte_time);
    course.standing = false;
  }
}

Arrival ScalarReplay::arrival(const AsyncCollective& async) {
  const ScalarTimes& times = async.times;
  return {times.end - times.latency - times.bandwidth, times.latency, times.bandwidth, 0, times.path, false};
}

} // namespace timeless::replay::test::scalar
