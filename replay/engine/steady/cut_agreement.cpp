#include "replay/engine/steady/cut_agreement.h"

#include "base/error.h"

#include <algorithm>
#include <functional>

namespace timeless::replay {

void take_latest(std::vector<double>& time, const double* other, std::size_t lanes) {
  for (std::size_t lane = 0; lane < lanes; ++lane)
    if (other[lane] > time[lane])
      for (std::size_t value = lane; value < time.size(); value += lanes)
        time[value] = other[value];
}

ReplayOptions NoSteadyStates::without_jumps(const ReplayOptions& options) const {
  if (options.iterations > 0)
    throw Error(Failure::invalid_input, "iterations cannot be added", "",
                why.empty() ? "the run does not end well: replay it without --iterations to see why" : why);
  ReplayOptions played = options;
  played.jumps = why.empty() ? Jumps::dry : Jumps::none;
  return played;
}

SteadyReport NoSteadyStates::report() const {
  return {.actions = 0, .loops = {}, .played_since = {why.empty() ? "the run does not end" : why}};
}

void CutStanding::add(const CutStanding& next, std::size_t lanes) {
  any = any || next.any;
  all = all && next.all;
  finished = finished && next.finished;
  if (obstacle.empty()) obstacle = next.obstacle;
  if (latest.empty())
    latest = next.latest;
  else if (!next.latest.empty())
    take_latest(latest, next.latest.data(), lanes);
}

void CutComparison::add(const CutComparison& next) {
  const auto and_too = [](std::vector<bool>& all, const std::vector<bool>& more) {
    std::transform(all.begin(), all.end(), more.begin(), all.begin(), std::logical_and<>());
  };
  and_too(same, next.same);
  and_too(met, next.met);
  countable = countable && next.countable;
}

std::string why_every_action(const ReplayOptions& options) {
  if (options.ports != Ports::none) return "messages come through ports";
  if (options.clock == StartClock::global) return "clocks begin with recorded times";
  if (options.cores_per_rank > 0) return "threads wait for cores";
  return {};
}

} // namespace timeless::replay
