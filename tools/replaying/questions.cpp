#include "tools/replaying/questions.h"

#include "tools/cli/console.h"
#include "tools/cli/trace_input.h"

#include "base/error.h"
#include "replay/network/variations.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace timeless::tools {

namespace {

using replay::LaneResult;

/// One configuration again, alone.
analysis::CriticalPath critical_path(const trace::Source& source, const replay::Network& network, std::size_t lane,
                                     double makespan, const PredictionOptions& options, Progress& progress) {
  replay::ReplayOptions replaying = replay_options(options, progress);
  replaying.observer = nullptr;
  replaying.ideal = false;
  replaying.sensitivities = false;
  replaying.attribute = replay::AttributeBy::nothing;
  replaying.critical_path = true;
  replay::Result result = options.replay(source, replay::lanes_of(network, std::array{lane}), replaying);
  if (result.lanes[0].makespan != makespan)
    throw std::logic_error("a configuration replayed alone differs from itself beside others");
  return analysis::explain_path(
      source, std::move(result.critical_path), [&](trace::KernelId kernel) { return network.kernel_factor(kernel); },
      [&](std::uint64_t read) { progress.update(read); });
}

} // namespace

analysis::LaneTolerance tolerance(const trace::Source& source, const replay::Network& network, std::size_t lane,
                                  const PredictionOptions& options, std::span<const double> growths,
                                  Progress& progress) {
  replay::ReplayOptions replaying = replay_options(options, progress);
  replaying.ideal = false;
  replaying.attribute = replay::AttributeBy::nothing;
  replaying.observer = nullptr;
  replaying.sensitivities = true;
  return analysis::search_costs(
      [&](std::span<const replay::Variation> variations) {
        return options.replay(source, replay::varied(network, variations), replaying);
      },
      lane, {.growths = {growths.begin(), growths.end()}, .not_convex_because = why_not_convex(replaying)});
}

std::string why_not_convex(const replay::ReplayOptions& options) {
  if (options.ports != replay::Ports::none) return "messages enter a receiver's port in the order in which they come";
  return {};
}

void replay_and_ask(Prediction& prediction, const trace::Source& source, const replay::Network& network,
                    const PredictionOptions& options) {
  Progress progress("replaying " + options.trace, total_actions(source.run()));
  prediction.result = options.replay(source, network, replay_options(options, progress));
  const std::vector<LaneResult>& lanes = prediction.result.lanes;
  const auto ends = std::ranges::find_if(lanes, [](const LaneResult& lane) { return !lane.deadlock; });
  if (options.critical_path && ends != lanes.end()) {
    prediction.critical_path_lane = static_cast<std::size_t>(ends - lanes.begin());
    prediction.critical_path =
        critical_path(source, network, prediction.critical_path_lane, ends->makespan, options, progress);
  }
  if (options.tolerance.empty()) return;
  for (std::size_t lane = 0; lane < prediction.result.lanes.size(); ++lane) {
    if (prediction.result.lanes[lane].deadlock) {
      prediction.tolerances.emplace_back();
      continue;
    }
    prediction.tolerances.push_back(tolerance(source, network, lane, options, options.tolerance, progress));
    if (prediction.tolerances.back().latency.makespan != prediction.result.lanes[lane].makespan)
      throw std::logic_error("a configuration derived from another one with all factors 1 differs from it");
  }
}

std::vector<double> parse_growths(const std::string& text, const std::string& option) {
  std::vector<double> growths;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    std::string_view word = std::string_view(text).substr(begin, end - begin);
    begin = end + 1;
    const bool percent = word.ends_with('%');
    if (percent) word.remove_suffix(1);
    double value = 0;
    const auto [rest, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error == std::errc{} && rest == word.data() + word.size() && value == 0)
      throw Error(Failure::usage, "'" + text + "': 0% is no change", option, "write more than 0%, as 1%,2%,5%");
    if (error != std::errc{} || rest != word.data() + word.size() || !(value > 0) || !std::isfinite(value))
      throw Error(Failure::usage, "'" + text + "' is not a list of growths", option, "write 1%,2%,5%");
    // 5 may mean 5 % or five times as long: it is not for us to choose.
    if (!percent)
      throw Error(Failure::usage, "'" + std::string(word) + "' has no %", option,
                  "write " + std::string(word) + "% if it is per cent");
    constexpr double least = 1e-4;
    constexpr double most = 1e6;
    if (value < least || value > most)
      throw Error(Failure::usage, fmt::format("'{}%' is no change to ask for", word), option,
                  fmt::format("write from {:g}% to {:.0f}%, as 1%,2%,5%", least, most));
    growths.push_back(value / 100);
  }
  return growths;
}

} // namespace timeless::tools
