#include "tools/scaling/scaling_times.h"

#include "analysis/extrapolation/extrapolated_source.h"
#include "base/error.h"
#include "base/parsing.h"
#include "replay/network/compute_costs.h"
#include "tools/cli/trace_input.h"
#include "tools/replaying/calibrated.h"
#include "tools/replaying/options/request.h"
#include "tools/replaying/served_platforms.h"
#include "tools/scaling/scaling_request.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <utility>

namespace timeless::tools {

namespace {

using analysis::ScaledRun;
using analysis::ScalePlace;
using analysis::Scaling;
using analysis::TimedRun;

/// Replays runs on the machine of a request, with what is to be said of them.
class RunTimer {
public:
  RunTimer(const ScalingRequest& request, ScalingTimes& times) : request_(request), times_(times) {}

  TimedRun time(std::unique_ptr<trace::Source> recorded, const std::string& name, const Scaling& scaling,
                const ScalePlace& place) {
    PredictionOptions options;
    options.trace = name;
    options.from = request_.from;
    options.machine = request_.machine;
    options.platforms = request_.platforms;
    const auto source = rated(std::move(recorded), options.machine);
    options.attribute = replay::AttributeBy::calls;
    const Prediction by_call = predict_as_far_as_known(*source, options, predict_without_simgrid);
    if (by_call.result.lanes.front().deadlock)
      throw Error(Failure::invalid_input, "this run ends in a deadlock on " + by_call.machine, name,
                  "see why with: timeless replay " + name);
    options.attribute = replay::AttributeBy::kernels;
    options.critical_path = true;
    const Prediction by_kernel = predict_as_far_as_known(*source, options, predict_without_simgrid);
    note(by_kernel, *source, options);
    std::map<std::string, trace::ActionFamily> families;
    for (const ScaledRun& run : scaling.runs)
      families.insert(run.figures.families.begin(), run.figures.families.end());
    TimedRun timed =
        analysis::timed_run(source->run(), by_kernel.result, by_call.result, *by_kernel.critical_path, families);
    timed.place = place;
    return timed;
  }

private:
  void note(const Prediction& prediction, const trace::Source& source, const PredictionOptions& options) {
    times_.machine = prediction.machine;
    times_.compute = prediction.bases.front().compute;
    std::vector<std::string> notes = rates_notes(options.machine, prediction.bases);
    for (const std::string& one : message_notes(source, prediction.bases))
      notes.push_back(one);
    for (std::string& one : notes)
      if (std::ranges::find(times_.notes, one) == times_.notes.end()) times_.notes.push_back(std::move(one));
  }

  const ScalingRequest& request_;
  ScalingTimes& times_;
};

/// The runs as extrapolation takes them: one of each number of ranks, by these.
struct ExtrapolationRuns {
  std::vector<std::string> names = {};
  std::vector<std::unique_ptr<trace::Source>> sources = {};
  std::string refused = {}; ///< why none is made of them
};

ExtrapolationRuns runs_to_extrapolate(const ScalingRequest& request, const Scaling& scaling) {
  ExtrapolationRuns runs;
  if (scaling.sizes_given) {
    runs.refused = "the runs are of several sizes";
    return runs;
  }
  std::vector<const ScaledRun*> all;
  for (const ScaledRun& run : scaling.runs)
    all.push_back(&run);
  if (scaling.check) all.push_back(&*scaling.check);
  std::ranges::stable_sort(all, {}, [](const ScaledRun* run) { return run->place.ranks; });
  for (const ScaledRun* run : all) {
    if (!runs.sources.empty() && runs.sources.back()->run().size == static_cast<trace::Rank>(run->place.ranks))
      continue;
    runs.names.push_back(run->name);
    runs.sources.push_back(open_trace(run->name, request.from));
    const trace::Run& of = runs.sources.back()->run();
    if (!of.provenance.extrapolated.empty()) runs.refused = run->name + " is itself extrapolated";
    if (of.volume_error > 0) runs.refused = "volumes of " + run->name + " are rounded";
  }
  return runs;
}

/// Returns the run of a target, or in `target` why there is none.
std::unique_ptr<trace::Source> extrapolated(const ExtrapolationRuns& runs, ReplayedTarget& target) {
  if (!runs.refused.empty()) {
    target.refused = runs.refused;
    return nullptr;
  }
  const trace::Run& largest = runs.sources.back()->run();
  analysis::ExtrapolationQuestion question{
      .ranks = static_cast<trace::Rank>(target.place.ranks),
      .tolerance = analysis::extrapolation_tolerance(largest, analysis::usual_extrapolation_tolerance)};
  for (std::size_t i = 0; i < runs.names.size(); ++i)
    question.runs.push_back({runs.names[i], runs.sources[i].get()});
  try {
    analysis::Extrapolation made = analysis::extrapolation(question);
    target.grid = fmt::format("{}, {}", made.grid.text(), made.assumption);
    target.error = made.error;
    return std::make_unique<analysis::ExtrapolatedSource>(std::move(made), largest, "by timeless scale");
  } catch (const analysis::NotUnderstood& reason) {
    target.refused = reason.what();
  } catch (const Error& error) { // a target or grid that makes no sense for these runs
    if (error.failure() != Failure::usage) throw;
    target.refused = error.description();
  }
  return nullptr;
}

/// Returns the loads and stores that come from behind the last cache, as a share of all.
std::optional<double> last_cache_misses(const ScalingRequest& request, const Scaling& scaling) {
  if (request.machine.costs.empty()) return std::nullopt;
  const auto source = open_trace(scaling.runs.back().name, request.from);
  const auto machine = replay::read_machine(request.machine.costs);
  double missed = 0;
  double accesses = 0;
  for (const std::vector<double>& events : replay::counted_of_memory(source->run())) {
    if (events.empty()) continue;
    const replay::ComputeCosts counted = replay::compute_quantities(events, machine.caches_of(1));
    for (std::size_t i = 0; i < counted.size(); ++i) {
      const std::string_view what = replay::compute_cost_names.at(i);
      if (what == "load" || what == "store") accesses += counted.at(i);
      if (what.starts_with("memory_")) missed += counted.at(i);
    }
  }
  return accesses > 0 ? std::optional(missed / accesses) : std::nullopt;
}

std::string ranks_words(const TimedRun& run, bool sizes) {
  return sizes ? fmt::format("{:.0f} ranks (n {:g})", run.place.ranks, run.place.size)
               : fmt::format("{:.0f} ranks", run.place.ranks);
}

/// Returns the run of so many ranks: recorded, or extrapolated.
const TimedRun& timed_of(const ScalingTimes& times, const std::string& word) {
  const auto ranks = whole_number<double>(word);
  if (!ranks)
    throw Error(Failure::usage, fmt::format("'{}' is no number of ranks", word), "--between", "give two: --between 8,64");
  for (const TimedRun& run : times.runs)
    if (run.place.ranks == *ranks) return run;
  for (const ReplayedTarget& target : times.targets) {
    if (target.place.ranks != *ranks) continue;
    if (target.timed) return *target.timed;
    throw Error(Failure::missing_capability, fmt::format("there is no trace of {} ranks: {}", word, target.refused),
                "--between", "name runs that are recorded");
  }
  throw Error(Failure::usage, fmt::format("there is no run of {} ranks", word), "--between",
              "name two of the runs, or of --to");
}

void explain_growth(ScalingTimes& times, const ScalingRequest& request, const Scaling& scaling) {
  if (!request.why) return;
  if (!request.between.empty() && request.between.size() != 2)
    throw Error(Failure::usage, "two numbers of ranks are compared", "--between", "give two: --between 8,64");
  const auto by_ranks = [](const TimedRun& run) { return std::pair(run.place.ranks, run.place.size); };
  const TimedRun& before = request.between.empty() ? times.runs.front() : timed_of(times, request.between[0]);
  const TimedRun& after =
      request.between.empty() ? *std::ranges::max_element(times.runs, {}, by_ranks) : timed_of(times, request.between[1]);
  times.growth = analysis::growth(
      before, after, analysis::perfect_factor(before.place, after.place, scaling.mode, scaling.sizes_given));
  times.growth_from = ranks_words(before, scaling.sizes_given);
  times.growth_to = ranks_words(after, scaling.sizes_given);
  times.growth_run = after;
}

} // namespace

void demand_one_machine(const ScalingRequest& request) {
  const std::size_t machines = request.machine.networks.size() + request.platforms.size();
  if (machines != 1)
    throw Error(Failure::usage, fmt::format("{} machines are given: scale takes one", machines),
                "--network, --platform, --where", "name one of them");
}

ScalingTimes scaling_times(const ScalingRequest& request, const Scaling& scaling) {
  ScalingTimes times;
  RunTimer timer(request, times);
  const auto add = [&](const ScaledRun& run) {
    times.names.push_back(run.name);
    times.runs.push_back(timer.time(open_trace(run.name, request.from), run.name, scaling, run.place));
  };
  for (const ScaledRun& run : scaling.runs)
    add(run);
  times.equations = analysis::scale_equations(scaling, times.runs);
  const auto say = [&](const ScalePlace& place) {
    const std::span<const TimedRun> runs(times.runs.data(), scaling.runs.size());
    times.by_equations.push_back(analysis::equation_time(times.equations, scaling, runs, place));
  };
  if (scaling.check) {
    say(scaling.check->place);
    add(*scaling.check);
  }
  const ExtrapolationRuns runs = runs_to_extrapolate(request, scaling);
  for (const ScalePlace& place : scaling.targets) {
    say(place);
    ReplayedTarget target{.place = place};
    if (auto source = extrapolated(runs, target))
      target.timed = timer.time(std::move(source), fmt::format("the run of {:.0f} ranks", place.ranks), scaling, place);
    times.targets.push_back(std::move(target));
  }
  times.last_cache_misses = last_cache_misses(request, scaling);
  explain_growth(times, request, scaling);
  return times;
}

} // namespace timeless::tools
