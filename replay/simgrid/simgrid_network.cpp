#include "replay/simgrid/simgrid_network.h"

#include "base/error.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace timeless::replay {

namespace {

void require_positive(double value, const std::string& what) {
  if (!(value > 0) || !std::isfinite(value))
    throw Error(Failure::usage, what + " must be above 0", std::to_string(value));
}

/// Returns bytes per second of a route under a lane's scaling, before the bandwidth factor.
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
  return scaled_name(platform.file().stem().string(), scaling);
}

namespace {

/// Routes between hosts, as replays meet them; each pair is looked up once. LinkTable calls it under its lock, so one
/// thread at a time. The class with number i stands for routes_[i], and has its costs in the table's list.
class PlatformRouter : public Router {
public:
  PlatformRouter(const Platform& platform, std::vector<Scaling> lanes)
      : platform_(platform), thresholds_(segment_thresholds(platform.settings())), lanes_(std::move(lanes)) {}

  LinkClass link(std::uint32_t from, std::uint32_t to, std::deque<ClassCosts>& classes) override {
    const std::uint64_t pair = std::uint64_t{from} << 32U | to;
    if (const auto found = known_.find(pair); found != known_.end()) return found->second;
    const LinkClass made = class_of(platform_.route(from, to), classes);
    known_.emplace(pair, made);
    return made;
  }

  LinkClass collective_link(std::span<const std::uint32_t> nodes, std::deque<ClassCosts>& classes) override {
    if (nodes.empty()) throw Error(Failure::invalid_input, "a collective without members");
    std::optional<LinkClass> costliest;
    const auto consider = [&](std::uint32_t from, std::uint32_t to) {
      if (from == to) return;
      const LinkClass candidate = link(from, to, classes);
      if (!costliest || slower(routes_[candidate], routes_[*costliest])) costliest = candidate;
    };
    for (std::size_t i = 1; i < nodes.size(); ++i) {
      consider(nodes[i], nodes[i - 1]);
      consider(nodes[i], nodes.front());
    }
    return costliest ? *costliest : link(nodes.front(), nodes.front(), classes);
  }

private:
  LinkClass class_of(const Route& route, std::deque<ClassCosts>& classes) {
    const auto [found, first] = class_of_route_.try_emplace({route.latency, route.bandwidth, route.loopback},
                                                            static_cast<LinkClass>(routes_.size()));
    if (first) {
      routes_.push_back(route);
      classes.push_back(costs(route));
    }
    return found->second;
  }

  ClassCosts costs(const Route& route) const {
    const SmpiSettings& settings = platform_.settings();
    ClassCosts all{.columns = lanes_.size(), .scales = !route.loopback};
    all.latency.reserve((thresholds_.size() + 1) * lanes_.size());
    all.byte_time.reserve(all.latency.capacity());
    for (std::size_t segment = 0; segment <= thresholds_.size(); ++segment) {
      // Any size of the segment will do: its factors are constant. The last segment begins after the last threshold.
      const Bytes size = segment < thresholds_.size() ? thresholds_[segment]
                         : thresholds_.empty()        ? 0
                                                      : thresholds_.back() + 1;
      const double on_network = static_cast<double>(size) + SmpiSettings::envelope_bytes;
      const double latency_factor = settings.latency_factor.factor(on_network);
      const double bandwidth_factor = settings.bandwidth_factor.factor(on_network);
      for (const Scaling& scaling : lanes_) {
        const double byte_time = 1 / (scaled_bandwidth(route, scaling, settings.tcp_window) * bandwidth_factor);
        all.byte_time.push_back(byte_time);
        all.latency.push_back(route.latency * (route.loopback ? 1 : scaling.latency) * latency_factor +
                              SmpiSettings::envelope_bytes * byte_time);
      }
    }
    return all;
  }

  const Platform& platform_;
  std::vector<Bytes> thresholds_;
  std::vector<Scaling> lanes_;
  std::unordered_map<std::uint64_t, LinkClass> known_; ///< by pair of hosts
  std::vector<Route> routes_;                          ///< by class
  std::map<std::tuple<double, double, bool>, LinkClass> class_of_route_;
};

/// SMPI's own ways, also in the algorithms that it took from MPICH and Open MPI: alltoall__mvapich2_scatter_dest,
/// Request::sendrecv, alltoallv__bruck, scatter__ompi_binomial, allgather__ring, igatherv and iscatterv.
constexpr MpiLibrary smpi_library{.alltoall_throttle = 4,
                                  .side_by_side = true,
                                  .sends_before_posting = true,
                                  .copies_own_part = true,
                                  .scatters_small_first = true,
                                  .allgathers_directly = true,
                                  .sends_empty_parts = true};

/// Ends of messages that wait for their receives pay no overhead of their own in SMPI (smpi::Request::start,
/// finish_wait); a synchronous sender does, whatever the size.
Overheads smpi_overheads(const SmpiSettings& settings) {
  const Bytes detached_below = settings.detached_below;
  return {.send = by_size(settings.send_overhead, detached_below),
          .nonblocking_send = by_size(settings.isend_overhead),
          .receive = by_size(settings.receive_overhead, detached_below),
          .synchronous_send = by_size(settings.send_overhead)};
}

void require_usable(const SimgridNetworkOptions& options) {
  if (options.lanes.empty()) throw Error(Failure::usage, "a network without configurations");
  if (options.units_per_second) require_positive(*options.units_per_second, "a compute rate");
  for (const Scaling& scaling : options.lanes) {
    require_positive(scaling.bandwidth, "a bandwidth factor");
    require_positive(scaling.latency, "a latency factor");
    require_positive(scaling.compute, "a compute factor");
  }
}

Placement placement_on(const Platform& platform, const trace::Run& run, const Mapping& mapping,
                       const SimgridNetworkOptions& options) {
  Placement placement{
      .node_of_rank = mapping.node_of_rank, .seconds_per_unit = {}, .kernel_factors = options.kernel_factors};
  for (const std::uint32_t host : mapping.node_of_rank)
    placement.seconds_per_unit.push_back(
        options.seconds_per_unit.empty()
            ? seconds_per_unit(run.counter, platform.hosts()[host], options.units_per_second)
            : options.seconds_per_unit.at(host));
  return placement;
}

} // namespace

Network simgrid_network(const Platform& platform, const trace::Run& run, const Mapping& mapping,
                        SimgridNetworkOptions options) {
  require_usable(options);
  const SmpiSettings& settings = platform.settings();
  Network network{.thresholds = segment_thresholds(settings),
                  .placement = placement_on(platform, run, mapping, options),
                  .library = smpi_library,
                  .overheads = smpi_overheads(settings),
                  .departs_at_once_below = settings.asynchronous_below};
  for (const Scaling& scaling : options.lanes)
    network.lanes.push_back({.name = lane_name(platform, scaling),
                             .memory_copy_byte_time = options.memory_copy_byte_time,
                             .compute_scale = scaling.compute,
                             .eager_limit = std::max<Bytes>(settings.detached_below, 1) - 1,
                             .column = network.lanes.size()});
  network.links = std::make_shared<LinkTable>(std::make_unique<PlatformRouter>(platform, std::move(options.lanes)));
  return network;
}

} // namespace timeless::replay
