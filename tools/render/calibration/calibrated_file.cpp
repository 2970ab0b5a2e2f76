#include "tools/render/calibration/calibrated_file.h"

#include "tools/cli/console.h"
#include "tools/render/calibration/provenance.h"

#include "base/escaping.h"
#include "base/units.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <limits>

namespace timeless::tools {

namespace {

using nlohmann::ordered_json;

std::string signed_percent(const ordered_json& share) {
  return fmt::format("{:+.1f}", 100 * share.get<double>());
}

/// "10.3 G to 12.6 G" of a list of two.
std::string range_of(const ordered_json& pair) {
  return human_count(pair.at(0).get<double>()) + " to " + human_count(pair.at(1).get<double>());
}

std::string rates_kernels_text(const ordered_json& instance) {
  Table table({"kernel", "visits", "units a visit", "units/s", "launches", "fitted/measured", "spread %", "rate"});
  for (const ordered_json& kernel : instance.at("kernels")) {
    const ordered_json spread = kernel.value("spread", ordered_json());
    const double explained = kernel.value("explained", 1.0);
    table.add({kernel.at("kernel").get<std::string>(), std::to_string(kernel.value("visits", std::uint64_t{0})),
               human_count(kernel.at("units_per_visit").get<double>()),
               human_count(kernel.at("units_per_second").get<double>()),
               kernel.value("interval", ordered_json()).is_array() ? range_of(kernel.at("interval")) : "-",
               fmt::format("{:.2f}", explained),
               spread.is_null() ? "-" : fmt::format("{:.1f}", 100 * spread.get<double>()),
               kernel.at("own").get<bool>() ? "own" : "pooled"});
  }
  return table.text();
}

/// A rate is by the launches of one clock, never of both.
std::string launches_text(const ordered_json& instance) {
  const ordered_json clocks = instance.value("clocks", ordered_json::object());
  const auto walltime = clocks.value("walltime", std::uint64_t{0});
  const auto cputime = clocks.value("cputime", std::uint64_t{0});
  const auto launches = [](std::uint64_t count) { return fmt::format("{} launch{}", count, count == 1 ? "" : "es"); };
  if (walltime == 0 || cputime == 0) return launches(instance.at("launches").get<std::uint64_t>());
  return fmt::format("{} by walltime and {} by cputime", launches(walltime), cputime);
}

/// Which input was measured, when, where, and by how many launches.
std::string origin_text(const ordered_json& instance) {
  const auto hosts = instance.value("hosts", std::vector<std::string>());
  return text_line("{}: {} on {}, {} ranks, {} on a node, {}, {}", instance.at("name").get<std::string>(),
                   instance.value("date", std::string("no date")), hosts.empty() ? "an unknown host" : hosts.front(),
                   instance.at("ranks").get<std::uint64_t>(), instance.at("ranks_per_node").get<std::uint64_t>(),
                   launches_text(instance), instance.value("counter", std::string()));
}

std::string doubts_text(const ordered_json& instance) {
  std::string text;
  if (instance.contains("noise")) text += noise_line(instance.at("noise"));
  for (const ordered_json& note : instance.value("not_reached", ordered_json::array()))
    text += text_line("not reached  {}", note.get<std::string>());
  return text;
}

/// Of one rate for everything (--whole), and of rates written by hand.
std::string given_rates_text(const ordered_json& rates) {
  std::string text;
  if (rates.contains("measurement")) text += origin_text(rates.at("measurement"));
  if (rates.contains("units_per_second"))
    text += text_line("{} units/s{}", human_count(rates.at("units_per_second").get<double>()),
                      rates.contains("hosts") || rates.contains("kernels") ? ", but for:" : ", for all kernels alike");
  if (const auto launches = rates.value("launches", std::vector<double>()); launches.size() > 1) {
    const auto [least, most] = std::ranges::minmax(launches);
    text += text_line("{} launches by themselves: {} to {} units/s", launches.size(), human_count(least),
                      human_count(most));
  }
  for (const char* const key : {"hosts", "kernels"}) {
    const ordered_json named = rates.value(key, ordered_json::object());
    for (const auto& [name, rate] : named.items())
      text += text_line("  {}: {} units/s", escaped(name), human_count(rate.get<double>()));
  }
  if (rates.contains("measurement")) text += doubts_text(rates.at("measurement"));
  return text;
}

std::string rates_text(const ordered_json& rates) {
  std::string text = text_line("{}", rates.value("source", std::string()));
  if (!rates.contains("instances")) return text + given_rates_text(rates);
  for (const ordered_json& instance : rates.at("instances")) {
    text += "\n" + origin_text(instance);
    text += rates_kernels_text(instance);
    text += text_line("coverage  {:.1f} %; the rates explain {:.1f} % of the time measured",
                      100 * instance.value("coverage", 0.0), 100 * instance.value("explained", 1.0));
    text += doubts_text(instance);
  }
  return text;
}

std::string cost_text(double seconds) {
  return fmt::format("{:.4g} ns", 1e9 * seconds);
}

std::string costs_interval(const ordered_json& machine, const char* when, const std::string& cost) {
  const ordered_json& pair = machine.at("intervals").at(when).at(cost);
  return fmt::format("{:.4g} to {:.4g}", 1e9 * pair.at(0).get<double>(), 1e9 * pair.at(1).get<double>());
}

std::string machine_costs_text(const ordered_json& machine) {
  Table table({"what", "alone", "without one kernel", "all at once", "without one kernel"});
  for (const auto& [cost, seconds] : machine.at("alone").items())
    table.add({cost, cost_text(seconds.get<double>()), costs_interval(machine, "alone", cost),
               cost_text(machine.at("busy").at(cost).get<double>()), costs_interval(machine, "busy", cost)});
  return table.text();
}

std::string machine_kernels_text(const ordered_json& machine) {
  Table table({"kernel", "bytes", "processors", "measured", "spread %", "residual %", "left out %"});
  for (const ordered_json& kernel : machine.at("kernels"))
    table.add({kernel.at("kernel").get<std::string>(), std::to_string(kernel.at("bytes").get<std::uint64_t>()),
               std::to_string(kernel.at("processors").get<std::uint64_t>()),
               human_seconds(kernel.at("seconds").get<double>()),
               fmt::format("{:.1f}", 100 * kernel.at("spread").get<double>()), signed_percent(kernel.at("residual")),
               signed_percent(kernel.at("held_out"))});
  return table.text();
}

std::string caches_text(const ordered_json& machine) {
  const auto size = [&](const char* cache) {
    std::string text = human_bytes(machine.at("caches").at(cache).get<double>());
    if (machine.at("intervals").contains("caches")) {
      const ordered_json& pair = machine.at("intervals").at("caches").at(cache);
      text += fmt::format(" ({} to {})", human_bytes(pair.at(0).get<double>()), human_bytes(pair.at(1).get<double>()));
    }
    return text;
  };
  return text_line("caches: {} and {}, {}", size("second_bytes"), size("last_bytes"),
                   machine.at("measurement").value("caches", std::string("given")));
}

std::string machine_text(const ordered_json& machine) {
  const ordered_json& measurement = machine.at("measurement");
  std::string text = text_line("{}", machine.value("source", std::string())) + "\n" + machine_costs_text(machine) +
                     "\n" + machine_kernels_text(machine) + "\n";
  text += text_line("{} times; error {:.0f} % median; {:.0f} % for a micro-kernel left out of the fit{}",
                    measurement.at("times").get<std::uint64_t>(), 100 * measurement.at("median_residual").get<double>(),
                    100 * measurement.at("median_held_out").get<double>(),
                    measurement.at("drift").get<bool>() ? "; times drifted while they were measured" : "");
  text += caches_text(machine);
  if (measurement.contains("noise")) text += noise_line(measurement.at("noise"));
  for (const ordered_json& note : measurement.value("not_reached", ordered_json::array()))
    text += text_line("not reached  {}", note.get<std::string>());
  return text;
}

} // namespace

ordered_json to_json(const CalibratedFileAnswer& answer) {
  return {{"file", answer.file}, {"content", answer.content}};
}

std::string to_text(const CalibratedFileAnswer& answer) {
  const auto format = answer.content.at("format").get<std::string>();
  if (format == "timeless.rates/1") return rates_text(answer.content);
  if (format == "timeless.machine/1") return machine_text(answer.content);
  std::string text;
  for (const ordered_json& line : answer.content.at("head"))
    text += text_line("{}", line.get<std::string>());
  return text;
}

} // namespace timeless::tools
