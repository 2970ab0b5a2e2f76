#include "tools/machines/named_networks.h"

#include "tools/cli/console.h"
#include "tools/cli/locate.h"
#include "tools/cli/nearest.h"
#include "tools/machines/named_platforms.h"

#include "base/error.h"
#include "base/units.h"
#include "replay/network/presets.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>

namespace timeless::tools {

namespace {

namespace fs = std::filesystem;

fs::path networks_directory() {
  return platforms_directory() / "networks";
}

std::vector<std::string> shipped_networks() {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(networks_directory(), ignored))
    if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
  std::ranges::sort(names);
  return names;
}

std::optional<fs::path> network_file(const std::string& name) {
  std::error_code ignored;
  // A folder of that name nearby is no network.
  if (fs::exists(name, ignored) && !fs::is_directory(name, ignored)) return name;
  if (name.empty() || name.find('/') != std::string::npos) return std::nullopt;
  for (const std::string& file : {name + ".json", name}) {
    fs::path shipped = networks_directory() / file;
    if (fs::is_regular_file(shipped, ignored)) return shipped;
  }
  return std::nullopt;
}

bool is_preset(const std::string& name) {
  return std::ranges::find(replay::presets(), name, &replay::Preset::name) != replay::presets().end();
}

/// Reads "10Gb/s" or "1.25GB/s", in bytes per second.
std::optional<double> bandwidth_in(const std::string& text) {
  if (!text.ends_with("b/s")) return rate_in(text);
  const auto rate = rate_in(text.substr(0, text.size() - 3) + "B/s");
  return rate ? std::optional(*rate / 8) : std::nullopt;
}

/// Reads "10Gb/s,5us" as a network; nothing for what is no such pair.
std::optional<replay::NetworkDescription> network_of_figures(const std::string& name) {
  const std::size_t comma = name.find(',');
  if (comma == std::string::npos) return {};
  const auto bandwidth = bandwidth_in(name.substr(0, comma));
  const auto latency = seconds_in(name.substr(comma + 1));
  const auto possible = [](double seconds) {
    return seconds >= replay::shortest_network_seconds && seconds <= replay::longest_network_seconds;
  };
  if (!bandwidth || !latency || !possible(1 / *bandwidth) || !possible(*latency)) return {};
  replay::NetworkDescription network = replay::description({.name = name,
                                                            .description = "",
                                                            .latency = *latency,
                                                            .bits_per_second = 8 * *bandwidth,
                                                            .source = "as asked for",
                                                            .trust = {}});
  return network;
}

} // namespace

replay::NetworkDescription named_network(const std::string& name) {
  if (const auto figures = network_of_figures(name)) return *figures;
  if (is_preset(name)) return replay::description(replay::preset(name));
  if (const auto file = network_file(name)) return replay::read_network(*file);
  const std::vector<std::string> platforms = known_platforms();
  if (std::ranges::find(platforms, name) != platforms.end())
    throw Error(Failure::usage, fmt::format("'{}' is a platform, no network", name), {}, "give --platform " + name);
  if (bandwidth_in(name) || seconds_in(name))
    throw Error(Failure::usage, fmt::format("'{}' is a bandwidth or a latency, a network has both", name), {},
                fmt::format("write {}", bandwidth_in(name) ? name + ",5us" : "10Gb/s," + name));
  throw Error(Failure::usage, fmt::format("there is no network called '{}'", name), {},
              fmt::format("{}name a network file, or choose one of {}", did_you_mean(known_networks(), name),
                          fmt::join(known_networks(), ", ")));
}

std::vector<replay::NetworkDescription> named_networks(const std::vector<std::string>& names) {
  std::vector<replay::NetworkDescription> networks;
  for (const std::string& name : names)
    networks.push_back(named_network(name));
  return networks;
}

std::vector<std::string> known_networks() {
  std::vector<std::string> names;
  for (const replay::Preset& preset : replay::presets())
    names.emplace_back(preset.name);
  std::ranges::move(shipped_networks(), std::back_inserter(names));
  return names;
}

bool is_pair_of_figures(const std::string& name) {
  return network_of_figures(name).has_value();
}

NetworkFigures figures(const replay::NetworkDescription& network) {
  const replay::MessageCosts& empty = network.between_nodes.of(0);
  const double byte_time = network.between_nodes.sizes.back().byte_time;
  return {.latency = empty.latency + empty.transfer,
          .bandwidth = byte_time > 0 ? 1 / byte_time : std::numeric_limits<double>::infinity()};
}

double bits_per_second(double bandwidth) {
  if (!std::isfinite(bandwidth)) return 8 * bandwidth;
  return std::strtod(fmt::format("{:.14g}", 8 * bandwidth).c_str(), nullptr);
}

std::string trust_of(const replay::NetworkDescription& network) {
  if (network.measured) return network.measured_within_only ? "measured within a node" : "measured";
  if (!network.trust.empty()) return network.trust;
  if (network.file.empty()) return "given"; // as figures
  return network.source.empty() ? "not said" : "described by its file: " + in_quotes(network.source);
}

std::string latency_words(const replay::NetworkDescription& network) {
  const auto [latency, bandwidth] = figures(network);
  const replay::MessageCosts& empty = network.between_nodes.of(0);
  const bool at_the_ends = empty.send.fixed > 0 || empty.receive.fixed > 0;
  return latency == 0 && at_the_ends ? "latency in the overheads" : fmt::format("{:g} us", latency * 1e6);
}

std::string bandwidth_words(const replay::NetworkDescription& network) {
  const double bandwidth = figures(network).bandwidth;
  const auto& node = network.between_nodes.node;
  if (std::isfinite(bandwidth))
    return fmt::format("{:.4g} Gb/s{}", 8 * bandwidth / 1e9,
                       node ? fmt::format(", {:.4g} Gb/s a node", 8 * node->most / 1e9) : "");
  const replay::MessageCosts& largest = network.between_nodes.sizes.back();
  const bool at_the_ends = largest.send.per_byte > 0 || largest.receive.per_byte > 0;
  return at_the_ends ? "bytes in the overheads" : "bytes take no time";
}

std::string described(const replay::NetworkDescription& network) {
  return fmt::format("{} ({}{}, {})", network.name, network.description.empty() ? "" : network.description + ": ",
                     latency_words(network), bandwidth_words(network));
}

} // namespace timeless::tools
