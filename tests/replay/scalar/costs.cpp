#include "tests/replay/scalar/scalar_class.h"

#include <algorithm>
#include <utility>

namespace timeless::replay::test::scalar {

double ScalarReplay::ranks_on_node(Rank rank) const {
  return static_cast<double>(std::ranges::count(network_.placement.node_of_rank, network_.node(rank)));
}

std::size_t ScalarReplay::segment(double bytes) {
  const auto& thresholds = network_.thresholds;
  std::size_t segment = 0;
  while (segment < thresholds.size() && bytes >= static_cast<double>(thresholds[segment]) + 1)
    ++segment;
  return segment;
}

LinkClass ScalarReplay::collective_link(std::span<const Rank> members) const {
  std::vector<std::uint32_t> nodes;
  for (const Rank member : members)
    nodes.push_back(network_.node(member));
  return network_.links->collective_link(nodes);
}

std::pair<double, double> ScalarReplay::costs(LinkClass link, double bytes) {
  const bool varies = scales(link);
  return {told(&ClassCosts::latency, link, bytes) * (varies ? lane().latency : 1),
          told(&ClassCosts::byte_time, link, bytes) * (varies ? lane().byte_time : 1)};
}

double ScalarReplay::constant(LinkClass link, double bytes) {
  return told(&ClassCosts::transfer, link, bytes) * (scales(link) ? lane().byte_time : 1);
}

double ScalarReplay::overhead(Overhead which, LinkClass link, Bytes bytes, bool synchronous,
                              std::optional<double> size) {
  const Overheads& same = network_.overheads;
  if (!network_.overheads_by_lane && synchronous && which == Overhead::send) return same.synchronous_send(bytes);
  if (!network_.overheads_by_lane && synchronous && which == Overhead::receive) return same.synchronous_receive(bytes);
  if (!network_.overheads_by_lane)
    return which == Overhead::send      ? same.send(bytes)
           : which == Overhead::receive ? same.receive(bytes)
                                        : same.nonblocking_send(bytes);
  const auto table = which == Overhead::send      ? &ClassCosts::send
                     : which == Overhead::receive ? &ClassCosts::receive
                                                  : &ClassCosts::nonblocking_send;
  const Seconds seconds = told(table, link, size.value_or(static_cast<double>(bytes)));
  return seconds.fixed + static_cast<double>(bytes) * seconds.per_byte;
}

double ScalarReplay::kernel_factor(const Action& action) const {
  return action.kernel == trace::no_kernel ? 1 : network_.kernel_factor(action.kernel);
}

void ScalarReplay::copy(ScalarTimes& times, bool nonblocking, double bytes) const {
  if (nonblocking && !options_.nonblocking_copy) return;
  work(times, &RankTimes::memory_copy, bytes * lane().memory_copy_byte_time);
}

bool ScalarReplay::is_free_creation(const Action& action) const {
  return !options_.creation && trace::family(action.kind) == trace::ActionFamily::communicator;
}

std::optional<Since> ScalarReplay::port_after(const Since& start, LinkClass link, double bytes) {
  if (!network_.ports) return std::nullopt;
  const Seconds busy = told(&ClassCosts::port, link, bytes);
  if (busy.fixed < 0) return std::nullopt;
  const double on_wire = bytes * (busy.per_byte * (scales(link) ? lane().byte_time : 1));
  Since free{start.time + (busy.fixed + on_wire), start.path};
  if (scales(link)) free.path.bandwidth += on_wire;
  return free;
}

Since ScalarReplay::through_port(ScalarTimes& times, LinkClass link, double bytes, bool rendezvous) {
  Since start{times.end, times.path};
  if (!port_after(start, link, bytes)) return start;
  if (times.port_free > start.time) start = {times.port_free, times.port_path};
  if (rendezvous && times.held_port_free > start.time) start = {times.held_port_free, times.held_port_path};
  const Since free = *port_after(start, link, bytes);
  (rendezvous ? times.held_port_free : times.port_free) = free.time;
  (rendezvous ? times.held_port_path : times.port_path) = free.path;
  return start;
}

void ScalarReplay::keep_port(ScalarTimes& times, Since start, LinkClass link, double bytes) {
  const double agreement = handshake(link, bytes);
  start.time += agreement;
  if (scales(link)) start.path.latency += agreement;
  const std::optional<Since> free = port_after(start, link, bytes);
  if (!free || free->time <= times.port_free) return;
  times.port_free = free->time;
  times.port_path = free->path;
}

Rank ScalarReplay::world(CommunicatorId communicator, Rank rank) {
  return run_.communicators.at(communicator).members.at(static_cast<std::size_t>(rank));
}

std::vector<Rank> ScalarReplay::everyone(CommunicatorId id) const {
  const trace::Communicator& communicator = run_.communicators.at(id);
  std::vector<Rank> all = communicator.members;
  all.insert(all.end(), communicator.remote_members.begin(), communicator.remote_members.end());
  return all;
}

PathKey ScalarReplay::incoming(const Action& action, Rank rank, Rank peer, trace::Tag tag) {
  return {world(action.communicator, peer), rank, action.communicator, tag};
}

void ScalarReplay::work(ScalarTimes& times, double RankTimes::*counter, double seconds) {
  times.*counter += seconds;
  times.end += seconds;
  if (counter == &RankTimes::compute) times.path.compute += seconds;
}

void ScalarReplay::absorb(ScalarTimes& times, const Arrival& arrival) {
  const bool latency_first = options_.overlap == Overlap::latency_first;
  const double middle = arrival.start + (latency_first ? arrival.latency : arrival.bandwidth);
  const auto ahead = [&](double from, double to) { return std::max(0.0, to - std::max(from, times.end)); };
  const double wait = ahead(times.end, arrival.start);
  const double first = ahead(arrival.start, middle);
  const double second = ahead(middle, arrival.end());
  times.wait += wait;
  (latency_first ? times.latency : times.bandwidth) += first;
  (latency_first ? times.bandwidth : times.latency) += second;
  if (arrival.end() > times.end) times.path = arrival.path();
  times.end = std::max(times.end, arrival.end());
}

Sensitivity ScalarReplay::combined(Sensitivity path, double sign, const Sensitivity& other) {
  return {path.latency + sign * other.latency, path.bandwidth + sign * other.bandwidth,
          path.compute + sign * other.compute};
}

void ScalarReplay::come_in(const ScalarTimes& times, Arrival& arrival) {
  Busy& busy = busy_[&times];
  if (arrival.end() <= busy.begin.time) return;
  Sensitivity path = arrival.path();
  path.bandwidth -= arrival.bandwidth;
  const Since come{arrival.start + arrival.latency, path};
  Since entry = busy.end;
  if (come.time >= busy.end.time) {
    entry = busy.begin = come;
  } else if (come.time < busy.begin.time) {
    entry.time -= busy.begin.time - come.time;
    entry.path = combined(combined(entry.path, -1, busy.begin.path), 1, come.path);
    busy.begin = come;
  }
  const double share = options_.ports == Ports::node ? ranks_on_node(owner(times).value()) : 1;
  busy.end = {entry.time + share * arrival.bandwidth, entry.path};
  busy.end.path.bandwidth += share * arrival.bandwidth;
  entry.path.bandwidth += arrival.bandwidth;
  arrival.path_through_port = entry.path;
  arrival.bandwidth = entry.time + arrival.bandwidth - come.time;
}

std::optional<Rank> ScalarReplay::owner(const ScalarTimes& times) {
  for (Rank rank = 0; rank < run_.size; ++rank)
    if (&of(rank).times == &times) return rank;
  return std::nullopt;
}

void ScalarReplay::absorb_all(ScalarTimes& times, std::vector<Arrival> arrivals, const std::vector<Arrival>& ways,
                              const std::vector<Arrival>& of_files) {
  const bool queue = options_.ports != Ports::none &&
                     std::ranges::any_of(arrivals, [](const Arrival& arrival) { return arrival.port; });
  if (queue || options_.completions == CompletionOrder::of_arrival)
    std::ranges::stable_sort(arrivals, {}, &Arrival::end);
  for (Arrival& arrival : arrivals) {
    if (options_.ports != Ports::none && arrival.port && arrival.scales) come_in(times, arrival);
    absorb(times, arrival);
    work(times, &RankTimes::overhead, arrival.after);
  }
  for (const Arrival& way : ways)
    absorb(times, way);
  for (const Arrival& way : of_files)
    absorb_file(times, way);
}

void ScalarReplay::absorb_file(ScalarTimes& times, const Arrival& arrival) {
  const double start = std::max(times.end, arrival.start);
  times.wait += start - times.end;
  times.files += std::max(0.0, arrival.end() - start);
  if (arrival.end() > times.end) times.path = arrival.path();
  times.end = std::max(start, arrival.end());
}

Arrival ScalarReplay::begin(ScalarPort& port, const ScalarTimes& times, double latency, double bytes, bool scales) {
  if (times.end >= port.free) {
    port.began = port.free = times.end;
    port.path = times.path;
  }
  port.free += bytes;
  if (scales) port.path.bandwidth += bytes;
  Sensitivity path = port.path;
  if (scales) path.latency += latency;
  return {port.began, latency, port.free - port.began, 0, path, false};
}

} // namespace timeless::replay::test::scalar
