#include "tools/replaying/rate_range.h"

#include <fmt/format.h>

#include <string_view>

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

} // namespace

RateRange rate_range(const PresetMachineOptions& machine, const ComputeBasis& compute) {
  RateRange range;
  if (const auto& calibrated = machine.calibrated) {
    if (calibrated->fastest == calibrated->slowest) return range;
    range.from = calibrated->borrowed > hardly_any ? "borrowed" : "launches";
    range.speeds = {1 / calibrated->slowest, 1 / calibrated->fastest};
  } else if (machine.rate_within > 1) {
    range.from = basis_of_rate(compute);
    if (!range.from.empty()) range.speeds = {1 / machine.rate_within, machine.rate_within};
  }
  return range;
}

std::string range_words(const RateRange& range) {
  if (range.from.empty()) return "none: the rate is taken as it is";
  if (range.from == "launches") return "from the fastest to the slowest of the launches that the rates are from";
  const std::string ends = fmt::format("from {:.3g} to {:.3g} times ", range.speeds.slowest, range.speeds.fastest);
  if (range.from == "assumed") return ends + "the assumed rate";
  if (range.from == "machine") return ends + "the rates that the machine's measurements give";
  if (range.from == "borrowed") return ends + "the rates, which are in part another program's";
  return ends + "the given rate, which is one for all kernels";
}

} // namespace timeless::tools
