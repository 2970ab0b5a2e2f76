#include "tests/replay/scalar/scalar_class.h"

#include <stdexcept>
#include <utility>

namespace timeless::replay::test::scalar {

bool ScalarReplay::sender_waits(const Action& action) {
  if (action.mode == trace::SendMode::synchronous) return true;
  if (action.mode == trace::SendMode::buffered) return false;
  return above_limit(action.bytes);
}

bool ScalarReplay::departs_late(Bytes bytes) {
  return !options_.eager_limit && network_.departs_at_once_below != no_eager_limit &&
         bytes >= network_.departs_at_once_below;
}

OpenRequest ScalarReplay::send(const Action& action, Rank rank, bool nonblocking) {
  ScalarTimes& times = of(rank).times;
  const bool synchronous = action.mode == trace::SendMode::synchronous;
  OpenRequest sent{.of = OpenRequest::Of::send};
  sent.path = {rank, world(action.communicator, action.peer), action.communicator, action.tag};
  const LinkClass link = this->link(rank, std::get<1>(sent.path));
  work(times, &RankTimes::overhead,
       overhead(nonblocking ? Overhead::nonblocking_send : Overhead::send, link, action.bytes, synchronous));
  copy(times, nonblocking, static_cast<double>(action.bytes));
  auto& queue = paths_[sent.path].sent;
  sent.place = queue.size();
  const bool waits = sender_waits(action);
  const bool held = waits || departs_late(action.bytes);
  queue.push_back({rank, through_port(times, link, static_cast<double>(action.bytes), held), action.bytes, held,
                   synchronous, waits});
  return sent;
}

OpenRequest ScalarReplay::post(const PathKey& key, Since when) {
  auto& posted = paths_[key].posted;
  posted.push_back(when);
  return {.of = OpenRequest::Of::receive, .path = key, .place = posted.size() - 1};
}

bool ScalarReplay::may_leave(const OpenRequest& sent) {
  const Path& path = paths_[sent.path];
  return !path.sent.at(sent.place).keeps_sender || sent.place < path.posted.size();
}

double ScalarReplay::handshake(LinkClass link, double bytes) {
  if (options_.handshake) return *options_.handshake * costs(link, bytes).first;
  return told(&ClassCosts::handshake, link, bytes) * (scales(link) ? lane().latency : 1);
}

Since ScalarReplay::begin_of(const Path& path, std::size_t place, Rank destination) {
  const SentMessage& message = path.sent.at(place);
  if (!message.rendezvous) return message.start;
  Since start = message.start;
  if (const Since& posted = path.posted.at(place); posted.time > start.time) start = posted;
  start.time += handshake_overhead(this->link(message.source, destination), static_cast<double>(message.bytes));
  return start;
}

Arrival ScalarReplay::arrival(const Path& path, std::size_t place, Rank destination) {
  const SentMessage& message = path.sent.at(place);
  const double bytes = static_cast<double>(message.bytes);
  const LinkClass link = this->link(message.source, destination);
  const auto [latency, byte_time] = costs(link, bytes);
  const Since start = begin_of(path, place, destination);
  const double agreement = message.rendezvous ? handshake(link, bytes) : 0;
  return {start.time,
          latency + agreement,
          constant(link, bytes) + bytes * byte_time,
          overhead(Overhead::receive, link, message.bytes, message.synchronous),
          start.path,
          scales(link),
          true};
}

Arrival ScalarReplay::departure(const OpenRequest& sent) {
  if (!paths_[sent.path].sent.at(sent.place).keeps_sender) return {};
  Arrival departure = arrival(sent.path, sent.place);
  departure.after = 0;
  departure.port = false;
  return departure;
}

void ScalarReplay::end_sent(ScalarTimes& times, const Path& path, std::size_t place, Rank destination) {
  const SentMessage& message = path.sent.at(place);
  if (message.keeps_sender)
    keep_port(times, begin_of(path, place, destination), this->link(message.source, destination),
              static_cast<double>(message.bytes));
}

void ScalarReplay::end_sent(ScalarTimes& times, const OpenRequest& sent) {
  end_sent(times, paths_[sent.path], sent.place, std::get<1>(sent.path));
}

void ScalarReplay::end_sent(ScalarTimes& times, const WaySent& sent) {
  const auto& [communicator, ordinal, from, to] = sent.first;
  end_sent(times, within_[sent.first], sent.second, everyone(communicator)[to]);
}

bool ScalarReplay::send_and_wait(const Action& action, Rank number) {
  RankProgram& rank = of(number);
  if (!rank.begun) rank.sent = send(action, number, false);
  rank.begun = true;
  if (!may_leave(rank.sent)) return false;
  absorb_all(rank.times, {departure(rank.sent)});
  end_sent(rank.times, rank.sent);
  return true;
}

bool ScalarReplay::receive(RankProgram& rank, const PathKey& key) {
  if (!rank.begun) rank.place = post(key, {rank.times.end, rank.times.path}).place;
  rank.begun = true;
  if (!has(key, rank.place)) return false;
  absorb_all(rank.times, {arrival(key, rank.place)});
  return true;
}

bool ScalarReplay::probe(RankProgram& rank, const PathKey& key) {
  const std::size_t place = paths_[key].posted.size();
  if (!has(key, place)) return false;
  const SentMessage& message = paths_[key].sent[place];
  const LinkClass link = this->link(message.source, std::get<1>(key));
  const double latency = costs(link, static_cast<double>(message.bytes)).first;
  absorb_all(
      rank.times,
      {{.start = message.start.time, .latency = latency, .path_to_start = message.start.path, .scales = scales(link)}});
  return true;
}

bool ScalarReplay::exchange(const Action& action, Rank number) {
  RankProgram& rank = of(number);
  const bool sends = action.peer != trace::no_rank;
  const bool receives = action.receive_peer != trace::no_rank;
  const PathKey key = receives ? incoming(action, number, action.receive_peer, action.receive_tag) : PathKey{};
  const bool sends_first = network_.library.sends_before_posting;
  if (!rank.begun && sends && sends_first) rank.sent = send(action, number, true);
  if (!rank.begun && receives) rank.place = post(key, {rank.times.end, rank.times.path}).place;
  if (!rank.begun && sends && !sends_first) rank.sent = send(action, number, true);
  rank.begun = true;
  if (receives && !has(key, rank.place)) return false;
  if (sends && !may_leave(rank.sent)) return false;
  std::vector<Arrival> halves;
  if (receives) halves.push_back(arrival(key, rank.place));
  if (sends) halves.push_back(departure(rank.sent));
  absorb_all(rank.times, halves);
  if (sends) end_sent(rank.times, rank.sent);
  return true;
}

bool ScalarReplay::available(const OpenRequest& request) {
  if (request.of == OpenRequest::Of::wildcard) throw std::logic_error("a wildcard was never resolved");
  if (request.of == OpenRequest::Of::receive) return has(request.path, request.place);
  if (request.of == OpenRequest::Of::send) return may_leave(request);
  if (request.of == OpenRequest::Of::async) return async_collectives_[request.place].course.ended;
  if (request.of == OpenRequest::Of::transfer || request.of == OpenRequest::Of::file_transfer) return true;
  return complete(request.communicator, request.place);
}

bool ScalarReplay::complete(const Action& action, RankProgram& rank) {
  for (const RequestId id : action.requests)
    for (const OpenRequest& request : rank.requests.at(id))
      if (!available(request)) return false;
  std::vector<Arrival> arrivals;
  std::vector<Arrival> ways;
  std::vector<Arrival> of_files;
  std::vector<OpenRequest> sent;
  for (const RequestId id : action.requests) {
    for (const OpenRequest& request : rank.requests.at(id)) {
      if (request.of == OpenRequest::Of::send) sent.push_back(request);
      if (request.of == OpenRequest::Of::send) arrivals.push_back(departure(request));
      if (request.of == OpenRequest::Of::receive) arrivals.push_back(arrival(request.path, request.place));
      if (request.of == OpenRequest::Of::async) arrivals.push_back(arrival(async_collectives_[request.place]));
      if (request.of == OpenRequest::Of::collective) arrivals.push_back(arrival(request.communicator, request.place));
      if (request.of == OpenRequest::Of::transfer) ways.push_back(request.way);
      if (request.of == OpenRequest::Of::file_transfer) of_files.push_back(request.way);
      if (request.of == OpenRequest::Of::file)
        of_files.push_back(file_arrival(request.communicator, request.place, request.bytes));
    }
    rank.requests.erase(id);
  }
  absorb_all(rank.times, std::move(arrivals), ways, of_files);
  for (const OpenRequest& one : sent)
    end_sent(rank.times, one);
  return true;
}

} // namespace timeless::replay::test::scalar
