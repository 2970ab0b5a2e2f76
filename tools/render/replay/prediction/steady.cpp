#include "tools/render/replay/prediction/steady.h"

#include "analysis/trace/measured.h"
#include "tools/cli/console.h"
#include "tools/render/figures.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <ranges>

namespace timeless::tools {

namespace {

std::string loop_text(const replay::SteadyReport::Loop& loop) {
  if (loop.blocks > 0)
    return fmt::format("{} of {} iterations, for which {} blocks of others stand", loop.jumped, loop.iterations,
                       loop.blocks);
  std::string text = fmt::format("{} of {} iterations, period {} from iteration {}", loop.jumped, loop.iterations,
                                 loop.period, loop.from + 1);
  if (loop.jumps > 1) text += fmt::format(", in {} jumps", loop.jumps);
  if (loop.added > 0) text += fmt::format("; {} were not recorded: they are as those that were jumped", loop.added);
  return text;
}

std::string replaced_text(const replay::SteadyReport::Replaced& replaced,
                          const std::vector<replay::LaneResult>& lanes) {
  std::string text = text_fact(10, "within", "{} iteration{} replayed with the volumes that are usual at their place",
                               replaced.iterations, replaced.iterations == 1 ? " was" : "s were");
  for (const replay::LaneResult& lane : lanes)
    if (const auto ends = ends_as_recorded(lane))
      text +=
          text_fact(10, "", "{}: with those that were recorded {} to {} s, {} below and {} above", lane.name,
                    rounded_down_text(ends->low, 9), rounded_up_text(ends->high, 9),
                    rounded_up_text(lane.earlier / lane.makespan, 2), rounded_up_text(lane.later / lane.makespan, 2));
  return text;
}

std::string sampled_text(const replay::SteadyReport::Sampled& sampled, const std::vector<replay::LaneResult>& lanes) {
  std::string text = text_fact(10, "sample", "ESTIMATED from {:.6g} % of the iterations, at places drawn from seed {}",
                               100 * sampled.share, sampled.seed);
  for (const replay::LaneResult& lane : lanes) {
    if (lane.deadlock || lane.jumped == 0) continue;
    const auto ends = ends_in_samples(lane);
    text += ends ? text_fact(10, "", "{}: {} in 95 of 100 samples, {:.2g} % of the time to either side", lane.name,
                             seconds_interval_text(ends), 100 * lane.sampling_error / lane.makespan)
                 : text_fact(10, "", "{}: no interval, for all blocks took the same: what happens in none is not known",
                             lane.name);
  }
  return text;
}

/// Returns how much was jumped over; where configurations settle apart, of each.
std::string jumped_text(const replay::Result& result) {
  const auto all = static_cast<double>(std::max<std::uint64_t>(result.actions, 1));
  const auto of_all = [&](std::uint64_t jumped) {
    return jumped == 0 ? std::string("nothing: all actions were played")
                       : fmt::format("{:.1f} % of {} actions", 100 * static_cast<double>(jumped) / all,
                                     human_count(static_cast<double>(result.actions)));
  };
  std::map<std::uint64_t, std::vector<std::string>> lanes;
  for (const replay::LaneResult& lane : result.lanes)
    if (!lane.deadlock) lanes[lane.jumped].push_back(lane.name);
  if (lanes.size() < 2) return text_fact(10, "jumped", "{}", of_all(result.steady->actions));
  std::string text;
  for (const auto& [jumped, names] : std::views::reverse(lanes))
    text += text_fact(10, text.empty() ? "jumped" : "", "on {}: {}", fmt::join(names, ", "), of_all(jumped));
  return text;
}

} // namespace

std::optional<analysis::Interval> ends_as_recorded(const replay::LaneResult& lane) {
  if (lane.deadlock || lane.earlier + lane.later <= 0) return std::nullopt;
  constexpr double rounding = 1e-14; // of the sums that both ends are made of
  return analysis::Interval{.low = (lane.makespan - lane.earlier) * (1 - rounding),
                            .high = (lane.makespan + lane.later) * (1 + rounding)};
}

std::optional<analysis::Interval> ends_in_samples(const replay::LaneResult& lane) {
  if (lane.deadlock || lane.jumped == 0 || lane.sampling_error <= 0) return std::nullopt;
  return analysis::Interval{.low = lane.makespan - lane.sampling_error, .high = lane.makespan + lane.sampling_error};
}

std::string to_text(const replay::SteadyReport& report, const replay::Result& result) {
  std::string text = jumped_text(result);
  constexpr std::size_t most_loops = 5;
  for (std::size_t i = 0; i < std::min(report.loops.size(), most_loops); ++i)
    text += text_fact(10, "", "{}", loop_text(report.loops[i]));
  if (report.loops.size() > most_loops)
    text += text_fact(10, "", "and {} more loops", report.loops.size() - most_loops);
  if (report.sampled) text += sampled_text(*report.sampled, result.lanes);
  if (report.replaced) text += replaced_text(*report.replaced, result.lanes);
  for (const std::string& why : report.played_since)
    text += text_fact(10, "played", "{}, since {}", report.actions == 0 ? "all" : "some iterations", why);
  return text;
}

nlohmann::ordered_json to_json(const replay::SteadyReport& report) {
  nlohmann::ordered_json json;
  json["actions"] = report.actions;
  json["loops"] = nlohmann::ordered_json::array();
  for (const replay::SteadyReport::Loop& loop : report.loops)
    json["loops"].push_back({{"iterations", loop.iterations},
                             {"added", loop.added},
                             {"jumped", loop.jumped},
                             {"jumps", loop.jumps},
                             {"from", loop.from},
                             {"period", loop.period},
                             {"blocks", loop.blocks}});
  if (report.sampled) json["sampled"] = {{"share", report.sampled->share}, {"seed", report.sampled->seed}};
  if (report.replaced)
    json["replaced"] = {{"iterations", report.replaced->iterations}, {"within", report.replaced->share}};
  json["played_since"] = report.played_since;
  return json;
}

std::string why_incomparable(const trace::Run& run, const std::optional<replay::SteadyReport>& steady) {
  if (steady && steady->adds()) return "it is of fewer iterations (--iterations)";
  return analysis::why_incomparable(run);
}

} // namespace timeless::tools
