#include "tools/replaying/rate_range.h"

#include "analysis/statistics/quantiles.h"
#include "base/files/text_file.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

namespace timeless::tools {

namespace {

/// Shares of what is computed below this do not change what a range is called.
constexpr double hardly_any = 0.1;

std::string basis_of_rate(const ComputeBasis& compute) {
  if (compute.assumed) return "assumed";
  for (const std::string_view from : {"--compute-rate", "--rates", "platform"})
    if (compute.from == from) return "given";
  return compute.from == "--machine" ? "machine" : "";
}

/// A micro-kernel of a machine file, at one of its sizes.
struct MicroKernel {
  std::string name; ///< with the number of processors
  double speed = 1; ///< measured, over that predicted from the other micro-kernels
};

/// Reads how far the micro-kernels of a machine file are off; none where it does not say.
std::vector<MicroKernel> micro_kernels_of(const std::string& file) {
  constexpr std::size_t most_bytes = std::size_t{1} << 26U;
  const auto content = nlohmann::json::parse(read_text(file, most_bytes).value_or(""), nullptr, false);
  std::vector<MicroKernel> kernels;
  if (!content.is_object() || !content.contains("kernels") || !content["kernels"].is_array()) return kernels;
  for (const nlohmann::json& kernel : content["kernels"]) {
    if (!kernel.is_object() || !kernel.contains("held_out") || !kernel["held_out"].is_number()) continue;
    const double held_out = kernel["held_out"];
    if (!(held_out > -1)) continue;
    // Whatever is there: what only differs for two kernels is of two.
    const auto word = [&](const char* key) { return kernel.contains(key) ? kernel[key].dump() : std::string(); };
    kernels.push_back({word("kernel") + " " + word("processors"), 1 + held_out});
  }
  return kernels;
}

std::optional<analysis::SpeedRange> micro_kernel_range(const std::string& file) {
  std::vector<double> speeds;
  for (const MicroKernel& kernel : micro_kernels_of(file))
    speeds.push_back(kernel.speed);
  constexpr std::size_t least = 8;
  if (speeds.size() < least) return std::nullopt;
  return analysis::SpeedRange{std::min(1.0, analysis::quantile(speeds, 0.25)),
                              std::max(1.0, analysis::quantile(speeds, 0.75))};
}

} // namespace

RateRange rate_range(const PresetMachineOptions& machine, const ComputeBasis& compute) {
  RateRange range;
  if (const auto& calibrated = machine.calibrated) {
    if (calibrated->fastest == calibrated->slowest) return range;
    range.from = calibrated->borrowed > hardly_any ? "borrowed" : "launches";
    range.borrowed = calibrated->borrowed;
    range.speeds = {1 / calibrated->slowest, 1 / calibrated->fastest};
  } else if (machine.rate_within > 1) {
    range.from = basis_of_rate(compute);
    if (!range.from.empty()) range.speeds = {1 / machine.rate_within, machine.rate_within};
    const bool as_it_comes = machine.rate_within == PresetMachineOptions{}.rate_within;
    if (range.from == "machine" && as_it_comes)
      if (const auto measured = micro_kernel_range(machine.costs)) {
        range.speeds = *measured;
        range.by_micro_kernels = true;
      }
  }
  return range;
}

std::optional<double> misjudged_working_sets(const std::string& file) {
  std::map<std::string, std::vector<double>> sizes;
  for (const MicroKernel& kernel : micro_kernels_of(file))
    sizes[kernel.name].push_back(std::log(kernel.speed));
  std::vector<double> misjudged; // of each pair of sizes, the logarithm of the factor
  for (const auto& [name, speeds] : sizes)
    for (std::size_t one = 0; one < speeds.size(); ++one)
      for (std::size_t other = 0; other < one; ++other)
        misjudged.push_back(std::abs(speeds[one] - speeds[other]));
  constexpr std::size_t least = 8;
  if (misjudged.size() < least) return std::nullopt;
  return std::exp(analysis::median(misjudged));
}

std::string interval_words(const PresetMachineOptions& machine, const RateRange& range) {
  if (machine.whole_rate || range.from == "launches") {
    const std::string launches = "by the launches that the rates are from";
    if (!machine.calibrated || !machine.calibrated->rescaling_in_range) return launches;
    const std::string costs = "by what the costs of " + machine.costs + " misjudge other working sets";
    return machine.calibrated->launches_in_range ? launches + ", and " + costs : costs;
  }
  return range_words(range);
}

std::string range_words(const RateRange& range) {
  if (range.from.empty()) return "none: the rate is taken as it is";
  if (range.from == "launches") return "from the fastest to the slowest of the launches that the rates are from";
  const std::string ends = fmt::format("from {:.3g} to {:.3g} times ", range.speeds.slowest, range.speeds.fastest);
  if (range.from == "assumed") return ends + "the assumed rate";
  if (range.from == "machine")
    return ends + "the rates that the machine's measurements give" +
           (range.by_micro_kernels ? ": half of its micro-kernels, each predicted from the others, lie within" : "");
  if (range.from == "borrowed")
    return ends + (range.borrowed >= 1 ? "the rates, which are of another program or build"
                                       : "the rates, which are in part of other kernels");
  return ends + "the given rate, which is one for all kernels";
}

} // namespace timeless::tools
