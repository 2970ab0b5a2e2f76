#include "replay/simgrid/simgrid_network.h"

#include "base/error.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

namespace timeless::replay {

namespace {

void require_positive(double value, const std::string& what) {
  if (!(value > 0) || !std::isfinite(value))
    throw Error(Failure::usage, what + " must be above 0", std::to_string(value));
}

/// Bytes per second of a route under a lane's scaling, before the bandwidth factor.
double scaled_bandwidth(const Route& route, const Scaling& scaling, double tcp_window) {
  const double latency = route.latency * (route.loopback ? 1 : scaling.latency);
  const double links = route.bandwidth * (route.loopback ? 1 : scaling.bandwidth);
  return lone_bandwidth({.latency = latency, .bandwidth = links}, tcp_window);
}

bool slower(const Route& left, const Route& right) {
  if (left.latency != right.latency) return left.latency > right.latency;
  return left.bandwidth < right.bandwidth;
}

} // namespace

double lone_bandwidth(const Route& route, double tcp_window) {
  // A way without links, as between the coordinates of a Vivaldi zone, takes no time but its latency in SimGrid.
  if (std::isinf(route.bandwidth) || route.latency <= 0 || tcp_window == 0) return route.bandwidth;
  return std::min(route.bandwidth, tcp_window / (2 * route.latency));
}

double seconds_per_unit(const trace::Counter& counter, const PlatformHost& host,
                        std::optional<double> units_per_second) {
  switch (counter.unit) {
  case trace::VolumeUnit::none:
    return 0;
  case trace::VolumeUnit::nanoseconds:
    return 1e-9;
  case trace::VolumeUnit::instructions:
    return 1 / units_per_second.value_or(host.speed);
  case trace::VolumeUnit::events:
    break;
  }
  if (!units_per_second)
    throw Error(Failure::usage, "the trace counts " + counter.name + ", not instructions", {},
                "say with --compute-rate how many of these a rank does in a second");
  return 1 / *units_per_second;
}

std::string lane_name(const Platform& platform, const Scaling& scaling) {
  std::ostringstream name;
  name << platform.file().stem().string();
  if (scaling.bandwidth != 1) name << " bandwidth x" << scaling.bandwidth;
  if (scaling.latency != 1) name << " latency x" << scaling.latency;
  if (scaling.compute != 1) name << " compute x" << scaling.compute;
  return name.str();
}

SimgridNetwork::SimgridNetwork(const Platform& platform, const trace::Run& run, const Mapping& mapping,
                               SimgridNetworkOptions options)
    : platform_(platform), options_(std::move(options)), node_of_rank_(mapping.node_of_rank),
      thresholds_(segment_thresholds(platform.settings())) {
  if (options_.lanes.empty()) throw Error(Failure::usage, "a network without configurations");
  if (options_.units_per_second) require_positive(*options_.units_per_second, "a compute rate");
  for (const Scaling& scaling : options_.lanes) {
    require_positive(scaling.bandwidth, "a bandwidth factor");
    require_positive(scaling.latency, "a latency factor");
    require_positive(scaling.compute, "a compute factor");
    names_.push_back(lane_name(platform, scaling));
    compute_scale_.push_back(scaling.compute);
  }
  memory_copy_.assign(options_.lanes.size(), options_.memory_copy_byte_time);
  reduction_.assign(options_.lanes.size(), 0);
  eager_limits_.assign(options_.lanes.size(), std::max<Bytes>(platform.settings().detached_below, 1) - 1);
  for (const std::uint32_t host : node_of_rank_)
    seconds_per_unit_.push_back(
        options_.seconds_per_unit.empty()
            ? replay::seconds_per_unit(run.counter, platform.hosts()[host], options_.units_per_second)
            : options_.seconds_per_unit.at(host));
}

std::uint32_t SimgridNetwork::node(Rank rank) const {
  if (rank < 0 || static_cast<std::size_t>(rank) >= node_of_rank_.size())
    throw Error(Failure::invalid_input, "the mapping has no place for this rank", "rank " + std::to_string(rank));
  return node_of_rank_[static_cast<std::size_t>(rank)];
}

LinkClass SimgridNetwork::link(Rank from, Rank to) {
  return route_class(node(from), node(to));
}

LinkClass SimgridNetwork::route_class(std::uint32_t from, std::uint32_t to) {
  const std::uint64_t pair = std::uint64_t{from} << 32U | to;
  if (const auto found = known_.find(pair); found != known_.end()) return found->second;
  const LinkClass made = class_of(platform_.route(from, to));
  known_.emplace(pair, made);
  return made;
}

LinkClass SimgridNetwork::class_of(const Route& route) {
  const auto found = std::ranges::find_if(classes_, [&](const Route& one) {
    return one.latency == route.latency && one.bandwidth == route.bandwidth && one.loopback == route.loopback;
  });
  if (found == classes_.end()) {
    classes_.push_back(route);
    return static_cast<LinkClass>(classes_.size() - 1);
  }
  return static_cast<LinkClass>(found - classes_.begin());
}

LinkClass SimgridNetwork::collective_link(std::span<const Rank> members) {
  if (members.empty()) throw Error(Failure::invalid_input, "a collective without members");
  const std::uint32_t first = node(members.front());
  std::optional<LinkClass> slowest;
  const auto consider = [&](std::uint32_t from, std::uint32_t to) {
    if (from == to) return;
    const LinkClass candidate = route_class(from, to);
    if (!slowest || slower(classes_[candidate], classes_[*slowest])) slowest = candidate;
  };
  for (std::size_t i = 1; i < members.size(); ++i) {
    consider(node(members[i]), node(members[i - 1]));
    consider(node(members[i]), first);
  }
  return slowest ? *slowest : route_class(first, first);
}

void SimgridNetwork::costs(LinkClass link, std::size_t segment, std::span<double> latency,
                           std::span<double> byte_time) const {
  const SmpiSettings& settings = platform_.settings();
  const Route& route = classes_.at(link);
  // Any size of the segment will do: its factors are constant. The last segment begins after the last threshold.
  const Bytes size = segment < thresholds_.size() ? thresholds_[segment]
                     : thresholds_.empty()        ? 0
                                                  : thresholds_.back() + 1;
  const double on_network = static_cast<double>(size) + SmpiSettings::envelope_bytes;
  const double latency_factor = settings.latency_factor.factor(on_network);
  const double bandwidth_factor = settings.bandwidth_factor.factor(on_network);
  for (std::size_t lane = 0; lane < options_.lanes.size(); ++lane) {
    const Scaling& scaling = options_.lanes[lane];
    byte_time[lane] = 1 / (scaled_bandwidth(route, scaling, settings.tcp_window) * bandwidth_factor);
    latency[lane] = route.latency * (route.loopback ? 1 : scaling.latency) * latency_factor +
                    SmpiSettings::envelope_bytes * byte_time[lane];
  }
}

std::uint32_t SimgridNetwork::ranks_on_node(Rank rank) const {
  return static_cast<std::uint32_t>(std::ranges::count(node_of_rank_, node(rank)));
}

bool SimgridNetwork::scales(LinkClass link) const {
  return !classes_.at(link).loopback;
}

double SimgridNetwork::seconds_per_unit(Rank rank) const {
  return seconds_per_unit_.at(static_cast<std::size_t>(rank));
}

double SimgridNetwork::kernel_factor(trace::KernelId kernel) const {
  return kernel < options_.kernel_factors.size() ? options_.kernel_factors[kernel] : 1;
}

double SimgridNetwork::send_overhead(Bytes bytes) const {
  // A sender that waits for its receive pays no overhead of its own (smpi::Request::start).
  const SmpiSettings& settings = platform_.settings();
  return bytes < settings.detached_below ? settings.send_overhead.seconds(static_cast<double>(bytes)) : 0;
}

double SimgridNetwork::synchronous_send_overhead(Bytes bytes) const {
  return platform_.settings().send_overhead.seconds(static_cast<double>(bytes));
}

double SimgridNetwork::isend_overhead(Bytes bytes) const {
  return platform_.settings().isend_overhead.seconds(static_cast<double>(bytes));
}

double SimgridNetwork::receive_overhead(Bytes bytes) const {
  const SmpiSettings& settings = platform_.settings();
  if (bytes >= settings.detached_below) return 0;
  return settings.receive_overhead.seconds(static_cast<double>(bytes));
}

void SimgridNetwork::handshake(LinkClass, std::size_t, std::span<double> seconds) const {
  std::ranges::fill(seconds, 0.0);
}

Bytes SimgridNetwork::departs_at_once_below() const {
  return platform_.settings().asynchronous_below;
}

} // namespace timeless::replay
