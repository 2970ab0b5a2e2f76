#include "tools/platforms/catalogue.h"

#include "base/error.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include <fmt/format.h>

namespace timeless::tools::platforms {

std::vector<HostKind> kinds_of(const replay::Platform& platform) {
  std::vector<HostKind> kinds;
  std::map<std::pair<double, int>, std::size_t> index;
  for (const replay::PlatformHost& host : platform.hosts()) {
    const auto [at, fresh] = index.try_emplace({host.speed, host.cores}, kinds.size());
    if (fresh) kinds.push_back({.speed = host.speed, .cores = host.cores, .hosts = 0, .first = host.name});
    ++kinds[at->second].hosts;
  }
  return kinds;
}

std::size_t host_named(const replay::Platform& platform, const std::string& name) {
  const auto hosts = platform.hosts();
  const auto found = std::ranges::find_if(hosts, [&](const replay::PlatformHost& host) {
    return host.name == name || host.name.substr(0, host.name.find('.')) == name;
  });
  if (found == hosts.end())
    throw Error(Failure::usage, "the platform has no host '" + name + "'", platform.file().string(),
                "its hosts go from " + hosts.front().name + " to " + hosts.back().name);
  return static_cast<std::size_t>(found - hosts.begin());
}

namespace {

/// Returns the route; nothing where none leads there, which is no mistake of a file: ranks may stand elsewhere.
std::optional<replay::Route> route_of(const replay::Platform& platform, std::size_t from, std::size_t to) {
  try {
    return platform.route(from, to);
  } catch (const Error& error) {
    if (error.failure() != Failure::invalid_input) throw;
    return std::nullopt;
  }
}

} // namespace

Distances distances_of(const replay::Platform& platform, std::size_t most_sources) {
  const std::size_t hosts = platform.hosts().size();
  const std::size_t step = std::max<std::size_t>(1, (hosts + most_sources - 1) / most_sources);
  std::map<std::tuple<bool, std::string, std::string>, Distance> kinds;
  Distances all;
  for (std::size_t from = 0; from < hosts; from += step, ++all.sources)
    for (std::size_t to = 0; to < hosts; ++to) {
      const std::optional<replay::Route> found = route_of(platform, from, to);
      if (!found) {
        ++all.unconnected;
        continue;
      }
      const replay::Route& route = *found;
      // Sums in another order differ in their last bits.
      Distance& kind =
          kinds[{from == to, fmt::format("{:.6e}", route.latency), fmt::format("{:.6e}", route.bandwidth)}];
      if (kind.pairs++ == 0)
        kind = {.latency = route.latency,
                .bandwidth = route.bandwidth,
                .loopback = from == to,
                .pairs = 1,
                .from = from,
                .to = to};
    }
  for (const auto& [key, kind] : kinds)
    all.kinds.push_back(kind);
  std::ranges::stable_sort(
      all.kinds, {}, [](const Distance& kind) { return std::tuple(!kind.loopback, kind.latency, -kind.bandwidth); });
  return all;
}

std::optional<BetweenNodes> between_nodes(const replay::Platform& platform) {
  constexpr std::size_t sources = 4;
  constexpr double very_large = 1e12;
  const Distances distances = distances_of(platform, sources);
  const Distance* most = nullptr;
  for (const Distance& kind : distances.kinds)
    if (kind.from != kind.to && (most == nullptr || kind.pairs > most->pairs)) most = &kind;
  if (most == nullptr) return std::nullopt;
  const replay::SmpiSettings& settings = platform.settings();
  return BetweenNodes{.latency = most->latency * settings.latency_factor.factor(replay::SmpiSettings::envelope_bytes),
                      .bandwidth = replay::lone_bandwidth({.latency = most->latency, .bandwidth = most->bandwidth},
                                                          settings.tcp_window) *
                                   settings.bandwidth_factor.factor(very_large)};
}

} // namespace timeless::tools::platforms
