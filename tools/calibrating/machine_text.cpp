#include "tools/calibrating/machine_text.h"

#include "tools/calibrating/network_text.h"
#include "tools/version.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>
#include <cmath>

namespace timeless::tools {

namespace {

using nlohmann::ordered_json;
using replay::ComputeCosts;

ordered_json of_costs(const ComputeCosts& costs) {
  ordered_json json;
  for (std::size_t cost = 0; cost < costs.size(); ++cost)
    json[std::string(replay::compute_cost_names[cost])] = seven_digits(costs[cost]);
  return json;
}

ordered_json of_intervals(const ComputeCosts& low, const ComputeCosts& high) {
  ordered_json json;
  for (std::size_t cost = 0; cost < low.size(); ++cost)
    json[std::string(replay::compute_cost_names[cost])] = {seven_digits(low[cost]), seven_digits(high[cost])};
  return json;
}

ordered_json of_error(const analysis::CaseError& error) {
  return {{"kernel", error.kernel},
          {"bytes", error.bytes},
          {"processors", error.processors},
          {"seconds", seven_digits(error.seconds)},
          {"spread", seven_digits(error.spread)},
          {"residual", seven_digits(error.residual)},
          {"held_out", seven_digits(error.held_out)}};
}

std::string word(const MachineRaw& raw, const std::string& key) {
  const auto found = raw.head.find(key);
  return found == raw.head.end() ? "unknown" : found->second;
}

} // namespace

std::string machine_text(const analysis::MachineFit& fit, const MachineRaw& raw) {
  ordered_json json{
      {"format", "timeless.machine/1"},
      {"source", fmt::format("measured {} on {}, {}", word(raw, "date"), word(raw, "host"), word(raw, "processor"))
                     .substr(0, 200)}};
  const auto bytes = [](double size) { return static_cast<std::uint64_t>(std::llround(size)); };
  json["caches"] = {{"first_bytes", bytes(fit.machine.caches.first)},
                    {"second_bytes", bytes(fit.machine.caches.second)},
                    {"last_bytes", bytes(fit.machine.caches.last)},
                    {"last_shared_by", fit.machine.last_shared_by}};
  json["processors"] = fit.machine.processors;
  json["alone"] = of_costs(fit.machine.alone);
  json["busy"] = of_costs(fit.machine.busy);
  json["intervals"] = {{"alone", of_intervals(fit.alone_low, fit.alone_high)},
                       {"busy", of_intervals(fit.busy_low, fit.busy_high)}};
  const auto sizes = [&](double replay::CacheSizes::*size) {
    return std::array{bytes(fit.caches_low.*size), bytes(fit.caches_high.*size)};
  };
  if (!fit.caches_given)
    json["intervals"]["caches"] = {{"second_bytes", sizes(&replay::CacheSizes::second)},
                                   {"last_bytes", sizes(&replay::CacheSizes::last)}};
  json["measurement"] = {{"date", word(raw, "date")},
                         {"host", word(raw, "host")},
                         {"processor", word(raw, "processor")},
                         {"version_that_measured", word(raw, "version")},
                         {"version_that_fitted", version},
                         {"caches", fit.caches_given ? "given" : "those that explain the times best"},
                         {"times", raw.measurements},
                         {"drift", raw.drifts},
                         {"median_residual", seven_digits(fit.median_residual)},
                         {"median_held_out", seven_digits(fit.median_held_out)},
                         {"worst_held_out", seven_digits(fit.worst_held_out)}};
  if (raw.noise) json["measurement"]["noise"] = to_json(*raw.noise);
  if (!raw.not_reached.empty()) json["measurement"]["not_reached"] = raw.not_reached;
  json["kernels"] = ordered_json::array();
  for (const analysis::CaseError& error : fit.errors)
    json["kernels"].push_back(of_error(error));
  return json.dump(2) + "\n";
}

} // namespace timeless::tools
