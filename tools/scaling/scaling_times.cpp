#include "tools/scaling/scaling_times.h"

#include "analysis/extrapolation/extrapolated_source.h"
#include "analysis/scaling/time/part_observer.h"
#include "base/error.h"
#include "base/parsing.h"
#include "base/units.h"
#include "replay/network/compute_costs.h"
#include "tools/cli/trace_input.h"
#include "tools/replaying/calibrated.h"
#include "tools/replaying/options/request.h"
#include "tools/replaying/served_platforms.h"
#include "tools/scaling/scaling_request.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <set>
#include <utility>

namespace timeless::tools {

namespace {

using analysis::ScaledRun;
using analysis::ScalePlace;
using analysis::Scaling;
using analysis::TimedRun;

/// A run that somebody else keeps open.
class BorrowedSource : public trace::Source {
public:
  explicit BorrowedSource(const trace::Source& lender) : lender_(lender) {}
  const trace::Run& run() const override { return lender_.run(); }
  std::unique_ptr<trace::RankStream> open(trace::Rank rank) const override { return lender_.open(rank); }

private:
  const trace::Source& lender_;
};

/// An extrapolated run with the profile of the run that its kernels are of, whose rates it then has.
class ProfiledSource : public trace::Source {
public:
  ProfiledSource(std::unique_ptr<trace::Source> source, const trace::Run& profiled)
      : source_(std::move(source)), run_(source_->run()) {
    run_.profile_events = profiled.profile_events;
    for (std::size_t rank = 0; rank < std::min(run_.ranks.size(), profiled.ranks.size()); ++rank)
      run_.ranks[rank].profile = profiled.ranks[rank].profile;
  }
  const trace::Run& run() const override { return run_; }
  std::unique_ptr<trace::RankStream> open(trace::Rank rank) const override { return source_->open(rank); }

private:
  std::unique_ptr<trace::Source> source_;
  trace::Run run_;
};

/// Replays runs on the machine of a request, with what is to be said of them.
class RunTimer {
public:
  RunTimer(const ScalingRequest& request, const Scaling& scaling, ScalingTimes& times)
      : request_(request), scaling_(scaling), times_(times) {}

  TimedRun time(std::unique_ptr<trace::Source> run, const std::string& name, const ScalePlace& place) {
    PredictionOptions options;
    options.trace = name;
    options.from = request_.from;
    options.machine = request_.machine;
    options.platforms = request_.platforms;
    const auto source = rated(std::move(run), options.machine);
    analysis::PartObserver observer;
    options.observer = &observer;
    options.attribute = replay::AttributeBy::kernels;
    options.critical_path = true;
    const Prediction prediction = predict_as_far_as_known(*source, options, predict_without_simgrid);
    if (prediction.result.lanes.front().deadlock)
      throw Error(Failure::invalid_input, "this run ends in a deadlock on " + prediction.machine, name,
                  "see why with: timeless replay " + name);
    note(prediction, *source, options);
    const auto parts = observer.parts();
    TimedRun timed = analysis::timed_run(source->run(), prediction.result, parts ? *parts : by_call(*source, options),
                                         *prediction.critical_path);
    timed.place = place;
    if (const std::vector<double> shares = memory_shares(source->run(), prediction); !shares.empty())
      analysis::add_memory(timed, source->run(), shares);
    return timed;
  }

  /// Says how the ranks of all runs stand on the machine.
  void tell_mappings() {
    for (const auto& [sentence, ranks] : mappings_)
      times_.mappings.push_back(ranks.empty() ? sentence : fmt::format("{} {}", fmt::join(ranks, ", "), sentence));
    if (likewise_) times_.mappings.emplace_back("those that are extrapolated likewise");
  }

private:
  /// Returns the share of each kernel's time that is for lines which are not in the first cache, by what these cost;
  /// nothing where no machine says that, or the run has no profile of memory.
  std::vector<double> memory_shares(const trace::Run& run, const Prediction& prediction) const {
    const std::vector<std::vector<double>> counted = replay::counted_of_memory(run);
    if (request_.machine.costs.empty() || counted.empty()) return {};
    std::map<std::string, std::uint32_t> of_node;
    for (const std::string& node : prediction.bases.front().nodes)
      ++of_node[node];
    std::uint32_t together = 1;
    for (const auto& [node, ranks] : of_node)
      together = std::max(together, ranks);
    const auto machine = replay::read_machine(request_.machine.costs);
    std::vector<double> shares(counted.size());
    for (std::size_t kernel = 0; kernel < counted.size(); ++kernel)
      if (!counted[kernel].empty()) shares[kernel] = memory_share(machine, counted[kernel], together);
    return shares;
  }

  static double memory_share(const replay::MachineCosts& machine, const std::vector<double>& events,
                             std::uint32_t ranks) {
    const replay::ComputeCosts quantities = replay::compute_quantities(events, machine.caches_of(ranks));
    const replay::ComputeCosts each = machine.costs(ranks);
    double memory = 0;
    double all = 0;
    for (std::size_t i = 0; i < quantities.size(); ++i) {
      const double seconds = quantities.at(i) * each.at(i);
      const std::string_view what = replay::compute_cost_names.at(i);
      const bool of_memory =
          what == "new_line" || what.ends_with("_in_order") || what.ends_with("_random") || what.ends_with("_chained");
      all += seconds;
      if (of_memory) memory += seconds;
    }
    return all > 0 ? memory / all : 0;
  }

  /// Divides the time of a run whose ranks have several threads.
  analysis::TimeByPart by_call(const trace::Source& source, PredictionOptions options) const {
    options.observer = nullptr;
    options.critical_path = false;
    options.attribute = replay::AttributeBy::calls;
    std::map<std::string, trace::ActionFamily> families;
    for (const ScaledRun& run : scaling_.runs)
      families.insert(run.figures.families.begin(), run.figures.families.end());
    return analysis::time_by_part(predict_as_far_as_known(source, options, predict_without_simgrid).result, families);
  }

  void note(const Prediction& prediction, const trace::Source& source, const PredictionOptions& options) {
    times_.machine = prediction.machine;
    times_.compute = prediction.bases.front().compute;
    // Sentences that differ in their number of ranks alone are told once.
    std::string mapping = prediction.mapping_sentence;
    const std::string number = fmt::format("{} ", source.run().size);
    if (const std::size_t at = mapping.find(" " + number + "hosts"); at != std::string::npos)
      mapping.replace(at + 1, number.size(), "as many ");
    const bool extrapolated = !source.run().provenance.extrapolated.empty();
    if (extrapolated && mapping.starts_with(number) && mappings_.contains(mapping.substr(number.size())))
      likewise_ = true;
    else if (mapping.starts_with(number))
      mappings_[mapping.substr(number.size())].insert(source.run().size);
    else if (!mapping.empty())
      mappings_[mapping];
    std::vector<std::string> notes = rates_notes(options.machine, prediction.bases);
    for (const std::string& one : message_notes(source, prediction.bases))
      notes.push_back(one);
    for (std::string& one : notes)
      if (std::ranges::find(times_.notes, one) == times_.notes.end()) times_.notes.push_back(std::move(one));
  }

  const ScalingRequest& request_;
  const Scaling& scaling_;
  ScalingTimes& times_;
  std::map<std::string, std::set<trace::Rank>> mappings_;
  bool likewise_ = false; ///< whether extrapolated runs stand as recorded ones do
};

/// The runs as extrapolation takes them: one of each number of ranks, by these.
struct ExtrapolationRuns {
  std::vector<analysis::ExtrapolationInput> runs = {};
  std::string refused = {}; ///< why none is made of them

  const trace::Run& largest() const { return runs.back().source->run(); }
};

/// The check run is not among them: it checks what is extrapolated, too.
ExtrapolationRuns runs_to_extrapolate(const Scaling& scaling, const OpenRecordings& recordings) {
  ExtrapolationRuns found;
  if (scaling.sizes_given) {
    found.refused = "the runs are of several sizes";
    return found;
  }
  for (const ScaledRun& run : scaling.runs) { // by rising number of ranks
    const trace::Source* const source = recordings.at(run.name);
    if (!found.runs.empty() && found.largest().size == source->run().size) continue;
    found.runs.push_back({run.name, source});
    try {
      analysis::demand_extrapolable(run.name, source->run());
    } catch (const Error& error) {
      found.refused = fmt::format("{}: {}", run.name, error.description());
    }
  }
  return found;
}

/// Returns why a target is too large to be replayed here; empty where it is not.
std::string too_large(const trace::Run& largest, double ranks) {
  const double actions = static_cast<double>(total_actions(largest)) / largest.size * ranks;
  const std::string advice = "make the trace with timeless extrapolate, and replay that";
  if (ranks > most_replayed_ranks)
    return fmt::format("{:.0f} ranks are more than the {:.0f} that scale replays: {}", ranks, most_replayed_ranks,
                       advice);
  if (actions <= most_replayed_actions) return {};
  return fmt::format("these are {} actions, more than the {} that scale replays: {}", human_count(actions),
                     human_count(most_replayed_actions), advice);
}

/// Returns the run of a target, or in `target` why there is none. `extents`: of its grid; empty: as MPI_Dims_create has
/// it.
std::unique_ptr<trace::Source> extrapolated(const ExtrapolationRuns& runs, double tolerance, ReplayedTarget& target,
                                            const std::vector<std::uint32_t>& extents = {}) {
  target.refused = runs.refused.empty() ? too_large(runs.largest(), target.place.ranks) : runs.refused;
  if (!target.refused.empty()) return nullptr;
  analysis::ExtrapolationQuestion question{.runs = runs.runs,
                                           .ranks = static_cast<trace::Rank>(target.place.ranks),
                                           .grid = extents,
                                           .tolerance = tolerance};
  try {
    analysis::Extrapolation made = analysis::extrapolation(question);
    target.grid = made.grid;
    target.assumption = made.assumption;
    target.error = made.error;
    auto source = std::make_unique<analysis::ExtrapolatedSource>(std::move(made), runs.largest(), "by timeless scale");
    if (runs.largest().profile_events.empty()) return source;
    return std::make_unique<ProfiledSource>(std::move(source), runs.largest());
  } catch (const analysis::NotUnderstood& reason) {
    target.refused = reason.what();
    target.advice = reason.tolerance.empty() ? "" : "accept that much with --tolerance " + reason.tolerance;
  } catch (const Error& error) { // a target or grid that makes no sense for these runs
    if (error.failure() != Failure::usage) throw;
    target.refused = error.description();
  }
  return nullptr;
}

/// Returns the loads and stores that come from behind the last cache, as a share of all.
std::optional<double> last_cache_misses(const ScalingRequest& request, const trace::Run& run) {
  if (request.machine.costs.empty()) return std::nullopt;
  const auto machine = replay::read_machine(request.machine.costs);
  double missed = 0;
  double accesses = 0;
  for (const std::vector<double>& events : replay::counted_of_memory(run)) {
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

/// Reads a number of ranks to compare.
double compared_ranks(const std::string& word) {
  const auto ranks = whole_number<double>(word);
  if (!ranks)
    throw Error(Failure::usage, fmt::format("'{}' is no number of ranks", word), "--between",
                "give two: --between 8,64");
  return *ranks;
}

/// Returns the run of so many ranks: recorded, or extrapolated.
const TimedRun& timed_of(const ScalingTimes& times, double ranks) {
  for (const TimedRun& run : times.runs)
    if (run.place.ranks == ranks) return run;
  for (const ReplayedTarget& target : times.targets)
    if (target.place.ranks == ranks && target.timed) return *target.timed;
  const auto target =
      std::ranges::find(times.targets, ranks, [](const ReplayedTarget& one) { return one.place.ranks; });
  throw Error(Failure::missing_capability,
              fmt::format("there is no trace of {:.0f} ranks to compare: {}", ranks,
                          target == times.targets.end() ? "it is no target" : target->refused),
              "--between",
              target == times.targets.end() || target->advice.empty()
                  ? "name two numbers of ranks that are recorded"
                  : target->advice + ", or name two numbers of ranks that are recorded");
}

/// Replays the ranks of a target as other grids of as many sides. The laws must be those of the same assumption, lest
/// laws be compared.
template <typename Say>
std::vector<ReplayedTarget> replayed_as_other_grids(const ReplayedTarget& base, Say say) {
  std::vector<ReplayedTarget> all;
  for (const std::vector<std::uint32_t>& extents :
       analysis::extents_of(static_cast<trace::Rank>(base.place.ranks), base.grid.sides.size())) {
    if (std::ranges::equal(extents, base.grid.sides, {}, {}, &trace::GridDimension::extent)) continue;
    if (all.size() == most_other_grids) break;
    ReplayedTarget& other = all.emplace_back(say(base.place, extents));
    if (other.timed && other.assumption != base.assumption) {
      other.timed.reset();
      other.refused = fmt::format("it is understood as {} alone, not as {}", other.assumption, base.assumption);
    }
    other.grid = base.grid;
    for (std::size_t side = 0; side < extents.size(); ++side)
      other.grid.sides[side].extent = extents[side];
  }
  std::ranges::stable_sort(all, {}, [](const ReplayedTarget& one) {
    return one.timed ? one.timed->makespan : std::numeric_limits<double>::infinity();
  });
  return all;
}

void explain_growth(ScalingTimes& times, const ScalingRequest& request, const Scaling& scaling) {
  if (!request.why) return;
  const auto by_ranks = [](const TimedRun& run) { return std::pair(run.place.ranks, run.place.size); };
  const TimedRun& before =
      request.between.empty() ? times.runs.front() : timed_of(times, compared_ranks(request.between[0]));
  const TimedRun& after = request.between.empty() ? *std::ranges::max_element(times.runs, {}, by_ranks)
                                                  : timed_of(times, compared_ranks(request.between[1]));
  times.growth = analysis::growth(before, after, analysis::perfect_factor(before.place, after.place, scaling));
  times.growth_from = ranks_words(before, scaling.sizes_given);
  times.growth_to = ranks_words(after, scaling.sizes_given);
  times.growth_run = after;
  const auto recorded = std::ranges::find(times.runs, after.place, &TimedRun::place);
  if (scaling.classes && recorded != times.runs.end())
    times.positions = analysis::time_by_position(
        after, scaling.classes->runs[static_cast<std::size_t>(recorded - times.runs.begin())]);
}

} // namespace

void demand_answerable(const ScalingRequest& request) {
  const std::size_t machines = request.machine.networks.size() + request.platforms.size();
  if (machines != 1)
    throw Error(Failure::usage, fmt::format("{} machines are given: scale takes one", machines),
                "--network, --platform, --where", "name one of them");
  if (request.between.empty()) return;
  if (request.between.size() != 2)
    throw Error(Failure::usage, "two numbers of ranks are compared", "--between", "give two: --between 8,64");
  if (compared_ranks(request.between[0]) == compared_ranks(request.between[1]))
    throw Error(Failure::usage, fmt::format("{} ranks are compared with themselves", request.between[0]), "--between",
                "give two different numbers of ranks: --between 8,64");
}

void demand_known_ranks(const ScalingRequest& request, std::span<const ScalePlace> places) {
  for (const std::string& word : request.between)
    if (std::ranges::find(places, compared_ranks(word), &ScalePlace::ranks) == places.end())
      throw Error(Failure::usage, fmt::format("there is no run of {} ranks", word), "--between",
                  "name two of the runs, or of --to");
}

ScalingTimes scaling_times(const ScalingRequest& request, const Scaling& scaling, const OpenRecordings& recordings) {
  ScalingTimes times;
  RunTimer timer(request, scaling, times);
  const auto add = [&](const ScaledRun& run) {
    times.names.push_back(run.name);
    times.runs.push_back(timer.time(std::make_unique<BorrowedSource>(*recordings.at(run.name)), run.name, run.place));
  };
  for (const ScaledRun& run : scaling.runs)
    add(run);
  times.equations = analysis::scale_equations(scaling, times.runs);
  const ExtrapolationRuns runs = runs_to_extrapolate(scaling, recordings);
  times.tolerance = analysis::extrapolation_tolerance(runs.runs, request.tolerance);
  const auto replay_as = [&](const ScalePlace& place, const std::vector<std::uint32_t>& extents) {
    ReplayedTarget target{.place = place};
    if (auto source = extrapolated(runs, times.tolerance, target, extents)) try {
        target.timed = timer.time(std::move(source), fmt::format("the run of {:.0f} ranks", place.ranks), place);
      } catch (const Error& error) { // what its ranks do is found out as they do it
        target.refused =
            error.where().empty() ? error.description() : fmt::format("{} ({})", error.description(), error.where());
      }
    return target;
  };
  const auto say = [&](const ScalePlace& place) {
    const std::span<const TimedRun> timed(times.runs.data(), scaling.runs.size());
    times.by_equations.push_back(analysis::equation_time(times.equations, scaling, timed, place));
    return replay_as(place, {});
  };
  if (scaling.check) {
    times.check = say(scaling.check->place);
    add(*scaling.check);
  }
  for (const ScalePlace& place : scaling.targets)
    if (times.check && place == times.check->place) {
      times.targets.push_back(*times.check);
      times.by_equations.push_back(times.by_equations.front());
    } else {
      times.targets.push_back(say(place));
    }
  const auto last = std::ranges::find_if(times.targets.rbegin(), times.targets.rend(),
                                         [](const ReplayedTarget& one) { return one.timed.has_value(); });
  if (request.grids && last != times.targets.rend()) times.other_grids = replayed_as_other_grids(*last, replay_as);
  if (request.grids && times.other_grids.empty())
    times.no_other_grids = last == times.targets.rend()
                               ? "no target has a trace that is extrapolated"
                               : fmt::format("there is none but {} with as many sides", last->grid.text());
  timer.tell_mappings();
  const trace::Run& largest = recordings.at(scaling.runs.back().name)->run();
  times.last_cache_misses = last_cache_misses(request, largest);
  times.memory_profiled = !replay::counted_of_memory(largest).empty();
  explain_growth(times, request, scaling);
  return times;
}

} // namespace timeless::tools
