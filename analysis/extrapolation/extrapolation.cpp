#include "analysis/extrapolation/extrapolation.h"

#include "analysis/extrapolation/arrival_order.h"
#include "analysis/extrapolation/extrapolated_source.h"
#include "analysis/extrapolation/grid_assumptions.h"
#include "analysis/extrapolation/rank_numbers.h"
#include "analysis/extrapolation/shared_numbers.h"
#include "base/error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <iterator>
#include <tuple>

namespace timeless::analysis {

namespace {

using trace::KernelId;

const char* const figure_names[action_figures] = {"bytes",           "bytes received", "bytes to each",
                                                  "bytes from each", "the tag",        "the tag received"};

bool counted_exactly(const trace::Run& run) {
  return run.counter.exactness == trace::Exactness::exact || run.counter.unit == trace::VolumeUnit::none;
}

/// Tries one assumption.
class Attempt {
public:
  Attempt(const ExtrapolationQuestion& question, const GridAssumption& assumption, SharedNumbers& numbers)
      : question_(question), patterns_(std::make_shared<PatternTable>(figures_)), grids_(assumption.grids),
        forecast_(assumption.grids, *assumption.target, !assumption.by_rule, true, question.seed.has_value()) {
    result_.assumption = assumption.text;
    result_.grid = *assumption.target;
    for (std::size_t run = 0; run < question.runs.size(); ++run) {
      const trace::Run& of = question.runs[run].source->run();
      runs_.push_back({question.runs[run].name, question.runs[run].source, assumption.grids[run], numbers.kernels(of),
                       numbers.regions(of)});
    }
    kernels_of_largest_ = question.runs.back().source->run().kernels.size();
    pooled_ = question.seed && !counted_exactly(question.runs.back().source->run());
  }

  Extrapolation run() {
    for (trace::Rank rank = 0; rank < question_.ranks; ++rank) {
      const std::string at = position(result_.grid, rank);
      const auto [found, fresh] = class_of_.try_emplace(at, result_.classes.size());
      if (fresh) result_.classes.push_back({.position = at});
      ++result_.classes[found->second].ranks;
      if (fresh) targets_.emplace_back();
      targets_[found->second].push_back(rank);
    }
    members_.resize(result_.classes.size());
    for (auto& of : members_)
      of.resize(runs_.size());
    for (std::size_t run = 0; run < runs_.size(); ++run)
      for (trace::Rank rank = 0; rank < runs_[run].grid.ranks(); ++rank)
        if (const auto found = class_of_.find(position(runs_[run].grid, rank)); found != class_of_.end())
          members_[found->second][run].push_back(rank);
    for (std::size_t number = 0; number < result_.classes.size(); ++number)
      demand_enough(number);
    for (std::size_t number = 0; number < result_.classes.size(); ++number)
      read(number);
    demand_enough_for_constants();
    learn_points();
    for (std::size_t number = 0; number < result_.classes.size(); ++number) {
      forecast_.of_class(targets_[number]);
      target_numbers_.clear();
      target_figures_.clear();
      drawn_figures_.clear();
      decide(result_.classes[number], actions_[number]);
    }
    result_.patterns = patterns_;
    if (drawn_work_ > 0) {
      result_.seed = question_.seed;
      result_.drawn_share = drawn_work_ / work_;
      result_.recordings = runs_;
    }
    std::ranges::stable_sort(result_.laws, std::greater{}, &UsedLaw::there);
    result_.even_shares = forecast_.took_shares_for_even();
    return std::move(result_);
  }

  std::uint64_t ranks_read() const { return ranks_read_; }

private:
  void demand_enough(std::size_t number) {
    ExtrapolatedClass& one = result_.classes[number];
    for (std::size_t run = 0; run < runs_.size(); ++run)
      if (!members_[number][run].empty()) one.runs.push_back(runs_[run].name);
    one.donors = donors_in(members_[number]);
    if (one.runs.size() < fewest_runs_of_constant) refuse_few(one, "");
  }

  [[noreturn]] static void refuse_few(const ExtrapolatedClass& one, const std::string& why) {
    throw NotUnderstood(
        fmt::format("{} rank{} of the target {} at ({}) of their grid, which is so in {} of the runs: laws need {}{}",
                    one.ranks, one.ranks == 1 ? "" : "s", one.ranks == 1 ? "is" : "are", one.position, one.runs.size(),
                    fewest_runs_of_law, why),
        {}, "add runs whose grids have three ranks or more along each side");
  }

  /// Demands that a position that two runs have is not all there is, and that no bytes change with the number of ranks
  /// anywhere, as is so where each rank has as much to do on more ranks.
  void demand_enough_for_constants() const {
    const auto few = [](const ExtrapolatedClass& one) { return one.runs.size() < fewest_runs_of_law; };
    const auto found = std::ranges::find_if(result_.classes, few);
    if (found == result_.classes.end()) return;
    if (std::ranges::all_of(result_.classes, few)) refuse_few(*found, "");
    for (const FigureId figure : figures_of_bytes()) {
      const std::vector<Observation> observed = figures_.observations(figure);
      if (std::ranges::any_of(observed, [&](const Observation& one) { return one.value != observed.front().value; }))
        refuse_few(*found, ", unless no bytes change with the number of ranks");
    }
  }

  void read(std::size_t number) {
    const auto first = std::ranges::find_if(members_[number], [](const auto& ranks) { return !ranks.empty(); });
    const RecordedRun& run = runs_[static_cast<std::size_t>(first - members_[number].begin())];
    ClassActions actions;
    try {
      actions = read(number, {.slots = count_actions(run, first->front())});
    } catch (const NotUnderstood&) {
      const auto layout = with_loops(number);
      if (!layout) throw;
      actions = read(number, *layout);
    }
    take_communicators(actions, number == 0);
    actions_.push_back(std::move(actions));
  }

  ClassActions read(std::size_t number, LoopLayout layout) {
    ClassReader reader(*patterns_, figures_, std::move(layout), pooled_);
    for (std::size_t run = 0; run < runs_.size(); ++run)
      for (const trace::Rank rank : members_[number][run]) {
        reader.add(runs_[run], run, rank);
        ++ranks_read_;
      }
    return reader.finish();
  }

  /// Returns where the actions of ranks stand whose loops make different numbers of trips; nothing where that does not
  /// explain how they differ.
  std::optional<LoopLayout> with_loops(std::size_t number) {
    SymbolTable table;
    std::optional<LoopProgram> program;
    std::vector<std::optional<LoopTrips>> trips(runs_.size());
    for (std::size_t run = runs_.size(); run-- > 0;)
      for (const trace::Rank rank : members_[number][run]) {
        const std::vector<Symbol> symbols = symbols_of(runs_[run], rank, table);
        if (!program) program.emplace(symbols);
        const auto found = program->trips(symbols);
        if (!found || (trips[run] && *trips[run] != *found)) return std::nullopt;
        trips[run] = found;
      }
    return loop_layout(*program, trips);
  }

  std::set<FigureId> figures_of_bytes() const {
    std::set<FigureId> all;
    for (const ClassActions& actions : actions_)
      for (const std::uint32_t pattern : actions.sequence)
        for (const ActionFigure which :
             {ActionFigure::bytes, ActionFigure::receive_bytes, ActionFigure::count, ActionFigure::receive_count})
          if (const FigureId figure = (*patterns_)[pattern].figures[static_cast<std::size_t>(which)];
              figure != no_observations)
            all.insert(figure);
    return all;
  }

  /// Learns from bytes how many points are shared out along each side; what bytes do not tell, from the class with the
  /// most ranks, and its largest volume.
  void learn_points() {
    for (const FigureId figure : figures_of_bytes())
      forecast_.learn_points(figures_.observations(figure));
    const auto largest = std::ranges::max_element(result_.classes, {}, &ExtrapolatedClass::ranks);
    std::vector<Observation> most;
    for (const FigureId figure : actions_[static_cast<std::size_t>(largest - result_.classes.begin())].volumes) {
      if (figure == no_observations) continue;
      std::vector<Observation> volumes = figures_.observations(figure);
      const bool in_loop = std::ranges::any_of(volumes, [](const Observation& one) { return one.trip > 0; });
      if (in_loop && (most.empty() || volumes.back().value > most.back().value)) most = std::move(volumes);
    }
    if (!most.empty()) forecast_.learn_points_roughly(most);
  }

  void take_communicators(const ClassActions& actions, bool first) {
    result_.uses_own_communicator = result_.uses_own_communicator || actions.uses_own_communicator;
    if (first) result_.created = actions.created;
    if (result_.created.size() != actions.created.size())
      throw NotUnderstood("ranks in different positions create different numbers of communicators");
    unsigned large = 0; // the sides that have more than one rank at the target
    for (std::size_t side = 0; side < result_.grid.sides.size(); ++side)
      if (result_.grid.sides[side].extent > 1) large |= 1U << side;
    for (std::size_t i = 0; i < actions.created.size(); ++i) {
      CreatedCommunicator& created = result_.created[i];
      created.masks &= actions.created[i].masks;
      if (created.masks == 0 || created.grid != actions.created[i].grid)
        throw NotUnderstood("ranks in different positions create different communicators at once");
      std::set<unsigned> different;
      for (unsigned mask = 0; mask < 32; ++mask)
        if ((created.masks >> mask & 1U) != 0) different.insert(mask & large);
      if (different.size() > 1) throw NotUnderstood("the runs do not tell which sides of the grid a communicator has");
    }
  }

  /// Says what each action of a class is at the target.
  void decide(ExtrapolatedClass& one, const ClassActions& actions) {
    std::map<std::tuple<KernelId, std::string, bool>, UsedLaw> used;
    double work = 0;
    double error = 0;
    one.layout = actions.layout;
    for (const VariableLoop& loop : actions.layout.loops)
      one.trips.push_back(decided_trips(loop, one));
    KernelId kernel = trace::no_kernel;
    std::size_t loop = 0;
    for (std::size_t slot = 0; slot < actions.layout.slots; ++slot) {
      const std::uint32_t pattern = actions.sequence[slot];
      while (loop < one.trips.size() && slot >= actions.layout.loops[loop].end)
        ++loop;
      const std::uint64_t times =
          loop < one.trips.size() && slot >= actions.layout.loops[loop].begin ? one.trips[loop] : 1;
      one.sequence.push_back(target_action(pattern, pattern_elsewhere(actions, slot), one, kernel, times));
      one.volumes.push_back(0);
      const trace::Action& action = (*patterns_)[pattern].action;
      if (!has_volume(action.kind)) continue;
      kernel = action.kernel;
      if (kernel != trace::no_kernel && kernel >= kernels_of_largest_)
        throw NotUnderstood("a place in the program that the largest run has not computed at");
      const Forecast& there = forecast_(actions.volumes[slot], figures_, times, volume_elsewhere(actions, slot));
      if (there.law.empty()) refuse(one, "the volume of a computation", there, kernel);
      const bool drawn = question_.seed && (pooled_ || there.spread > 0);
      one.volumes.back() = drawn ? drawn_figure(actions.volumes[slot], times, there)
                                 : target_figure(actions.volumes[slot], times, there);
      const double here = static_cast<double>(times * there.there.value);
      work += here;
      drawn_work_ += drawn ? here * static_cast<double>(one.ranks) : 0;
      const double off = there.exact ? 0 : static_cast<double>(times) * there.error;
      error += off;
      UsedLaw& law = used[{kernel, there.exact ? there.law : "", drawn}];
      if (law.times == 0 || there.error > law.error) law.because = there.because;
      if (law.times == 0) law.law = there.law;
      law.kernel = kernel;
      law.there += times * there.there.value;
      law.times += times;
      law.error += off;
      law.exact = law.exact && there.exact && !drawn;
      law.drawn = drawn;
      law.spread = std::max(law.spread, there.spread);
    }
    work_ += work * static_cast<double>(one.ranks);
    one.error = work > 0 ? error / work : 0;
    result_.error = std::max(result_.error, one.error);
    for (auto& [key, law] : used) {
      law.position = one.position;
      law.what = "work";
      result_.laws.push_back(std::move(law));
    }
  }

  /// Returns the actions of the ranks in another position that have the same slots, where there are such.
  const ClassActions* elsewhere(const ClassActions& actions) const {
    if (actions_.size() != 2) return nullptr; // those of a grid with periodic sides
    const ClassActions& other = &actions == &actions_.front() ? actions_.back() : actions_.front();
    return other.layout == actions.layout ? &other : nullptr;
  }
  FigureId volume_elsewhere(const ClassActions& actions, std::size_t slot) const {
    const ClassActions* other = elsewhere(actions);
    return other == nullptr ? no_observations : other->volumes[slot];
  }
  std::uint32_t pattern_elsewhere(const ClassActions& actions, std::size_t slot) const {
    const ClassActions* other = elsewhere(actions);
    return other == nullptr ? actions.sequence[slot] : other->sequence[slot];
  }

  std::uint64_t decided_trips(const VariableLoop& loop, const ExtrapolatedClass& one) {
    const TripLaw law = trip_law(loop, grids_, result_.grid);
    if (!law.there) {
      std::vector<std::uint64_t> trips;
      for (const auto& of_run : loop.trips)
        if (of_run) trips.push_back(*of_run);
      throw NotUnderstood(fmt::format("a loop of {} actions makes {} trips on ranks at ({}): {}", loop.end - loop.begin,
                                      fmt::join(trips, ", "), one.position,
                                      law.law.empty() ? "no law of the ranks or their grid says how many there would be"
                                                      : "several laws fit, and disagree on how many there would be"));
    }
    const UsedLoop used{one.position, loop.end - loop.begin, *law.there, law.law, 1};
    const auto same = std::ranges::find_if(result_.loops, [&](const UsedLoop& other) { return other.alike(used); });
    if (same == result_.loops.end())
      result_.loops.push_back(used);
    else
      ++same->places;
    return *law.there;
  }

  [[noreturn]] static void refuse(const ExtrapolatedClass& one, const std::string& what, const Forecast& forecast,
                                  KernelId kernel, const std::string& call = {}) {
    throw NotUnderstood(fmt::format("{} on ranks at ({}): {}", what, one.position, forecast.because),
                        {.call = call, .kernel = kernel});
  }

  /// Returns the number of the action that a pattern is at the target; `other`: that of the ranks elsewhere.
  std::uint32_t target_action(std::uint32_t number, std::uint32_t other, const ExtrapolatedClass& one, KernelId kernel,
                              std::uint64_t trips) {
    const auto [found, fresh] =
        target_numbers_.try_emplace({number, other, trips}, static_cast<std::uint32_t>(result_.actions.size()));
    if (!fresh) return found->second;
    const Pattern& pattern = (*patterns_)[number];
    TargetAction action{.action = pattern.action,
                        .peer = pattern.peer,
                        .receive_peer = pattern.receive_peer,
                        .tag = pattern.tag,
                        .receive_tag = pattern.receive_tag};
    action.action.counts = {};
    action.action.receive_counts = {};
    for (std::size_t figure = 0; figure < action_figures; ++figure) {
      if (pattern.figures[figure] == no_observations) continue;
      const auto which = static_cast<ActionFigure>(figure);
      const bool tag = which == ActionFigure::tag || which == ActionFigure::receive_tag;
      if (tag && (which == ActionFigure::tag ? pattern.tag : pattern.receive_tag)) continue;
      const Forecast there =
          tag ? forecast_.tag(pattern.figures[figure], figures_, trips)
              : forecast_(pattern.figures[figure], figures_, trips, (*patterns_)[other].figures[figure]);
      const std::string call = "MPI_" + mpi_name(pattern.action);
      if (!there.exact) refuse(one, fmt::format("{} of {}", figure_names[figure], call), there, kernel, call);
      action.figures[figure] = target_figure(pattern.figures[figure], trips, there);
      if (there.there.value > 0 && there.law != fmt::to_string(there.there.value))
        result_.laws.push_back({.position = one.position,
                                .what = fmt::format("{} of {}", figure_names[figure], call),
                                .kernel = kernel,
                                .law = there.law,
                                .there = there.there.value,
                                .times = 1});
    }
    result_.actions.push_back(std::move(action));
    return found->second;
  }

  /// Returns the number of a figure of the class that is decided on.
  std::uint32_t target_figure(FigureId figure, std::uint64_t trips, const Forecast& forecast) {
    const auto [found, fresh] =
        target_figures_.try_emplace({figure, trips}, static_cast<std::uint32_t>(result_.figures.size()));
    if (fresh) {
      result_.figures.push_back(forecast.there);
      result_.drawn_from.resize(result_.figures.size());
    }
    return found->second;
  }

  /// Returns the number of a volume of the class that is drawn.
  std::uint32_t drawn_figure(FigureId figure, std::uint64_t trips, const Forecast& forecast) {
    const auto [found, fresh] =
        drawn_figures_.try_emplace({figure, trips}, static_cast<std::uint32_t>(result_.figures.size()));
    if (!fresh) return found->second;
    result_.figures.push_back(forecast.there);
    result_.drawn_from.resize(result_.figures.size());
    result_.drawn_from.back() = means_by_run(figures_.observations(figure), runs_.size(), pooled_);
    return found->second;
  }

  const ExtrapolationQuestion& question_;
  FigureTable figures_;
  std::shared_ptr<PatternTable> patterns_;
  std::vector<RankGrid> grids_;
  Forecaster forecast_;
  std::vector<RecordedRun> runs_;
  std::size_t kernels_of_largest_ = 0;
  std::map<std::string, std::size_t> class_of_;
  std::vector<std::vector<std::vector<trace::Rank>>> members_; ///< by class and run
  std::vector<std::vector<trace::Rank>> targets_;              ///< by class
  std::vector<ClassActions> actions_;                          ///< by class
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>, std::uint32_t>
      target_numbers_; ///< by pattern, that elsewhere, and trips, of the class that is decided on
  std::map<std::pair<FigureId, std::uint64_t>, std::uint32_t> target_figures_; ///< the same of figures
  std::map<std::pair<FigureId, std::uint64_t>, std::uint32_t> drawn_figures_;  ///< the same of those that are drawn
  bool pooled_ = false; ///< all volumes of a kernel are one figure
  double work_ = 0;     ///< of all ranks of the target
  double drawn_work_ = 0;
  std::uint64_t ranks_read_ = 0;
  Extrapolation result_;
};

void demand_target(const ExtrapolationQuestion& question) {
  const trace::Rank most = question.runs.back().source->run().size;
  if (question.ranks <= most)
    throw Error(Failure::usage,
                fmt::format("{} ranks are not more than the {} that were recorded", question.ranks, most), "--ranks",
                "give a larger number");
  if (question.grid.empty()) {
    std::vector<trace::Rank> runs;
    for (const ExtrapolationInput& input : question.runs)
      runs.push_back(input.source->run().size);
    if (const auto unlike = unlike_runs(runs, question.ranks))
      throw NotUnderstood(
          unlike->reason, {},
          fmt::format("ask for {}, or give --grid if the program takes {}", unlike->nearest, question.ranks));
    return;
  }
  std::uint64_t places = 1;
  for (const std::uint32_t extent : question.grid)
    places *= extent;
  if (places != static_cast<std::uint64_t>(question.ranks))
    throw Error(
        Failure::usage,
        fmt::format("a grid of {} has {} places, not {}", fmt::join(question.grid, " x "), places, question.ranks),
        "--grid", "give sides whose product is --ranks");
}

/// What became of the attempts so far.
struct Attempts {
  std::optional<Extrapolation> best = {};
  double error = 0;                          ///< of the best, or of what the runs do not tell
  std::optional<NotUnderstood> untold = {};  ///< of an attempt that is better than any other, but says two things
  std::optional<NotUnderstood> refusal = {}; ///< of the attempt that read most ranks, or of the recorded grid
  std::uint64_t refused_after = 0;
  std::string assumed = {};            ///< of that refusal
  std::string contradicted = {};       ///< the last attempt that was better, but for what it says of the target
  std::vector<std::string> tried = {}; ///< all assumptions

  bool better(double other) const { return (!best && !untold) || other < error; }

  /// Takes what is better. Throws NotUnderstood where a partner would be no rank of the target.
  void take(Extrapolation made, const trace::Run& largest) {
    const double made_error = made.error;
    const std::string assumption = made.assumption;
    try {
      ExtrapolatedSource there(std::move(made), largest, "");
      there.settle_partners();
      best = there.extrapolation();
      untold.reset();
    } catch (const NotUnderstood& reason) {
      if (!reason.ambiguous) {
        contradicted = fmt::format("assuming {}, {}", assumption, reason.what());
        throw;
      }
      best.reset();
      untold = NotUnderstood(fmt::format("{} (assuming {})", reason.what(), assumption), reason.where, reason.advice);
    }
    error = made_error;
  }

  void refuse(const NotUnderstood& reason, std::uint64_t after, const std::string& assumption) {
    if (refusal && after <= refused_after) return;
    refusal = reason;
    refused_after = after;
    assumed = assumption;
  }

  /// Throws that refusal, with what it assumes, what else was tried, and what in the largest run is by chance.
  [[noreturn]] void refuse(const trace::Source& largest) const {
    std::vector<std::string> others;
    std::ranges::copy_if(tried, std::back_inserter(others), [&](const std::string& one) { return one != assumed; });
    const std::string also = others.empty() ? "" : fmt::format("; nor {}", fmt::join(others, ", "));
    std::string chance;
    if (const auto at = receive_by_chance(largest))
      chance =
          fmt::format("; rank {} of {} takes whichever message comes (MPI_ANY_SOURCE or MPI_ANY_TAG in {}, first in "
                      "action {}): what depends on which comes first follows no law",
                      at->rank, largest.run().size, at->call, at->action);
    throw NotUnderstood(fmt::format("{}{} (assuming {}{})", refusal->what(), chance, assumed, also), refusal->where,
                        refusal->advice);
  }
};

/// `exactly`: volumes were counted so, else laws have to meet them, whatever tolerance was asked for.
std::string too_far(const Extrapolation& best, double tolerance, bool exactly, const std::string& contradicted) {
  const UsedLaw* worst = nullptr;
  for (const UsedLaw& law : best.laws)
    if (worst == nullptr || law.error > worst->error) worst = &law;
  const std::string off = best.error > 1 ? "more than 100 %" : fmt::format("{:.3g} %", 100 * best.error);
  const std::string allowed = exactly || tolerance > 0
                                  ? fmt::format("more than the {:.3g} % of --tolerance", 100 * tolerance)
                                  : "and has to be exact";
  return fmt::format("{} may be {} off, {}; most of it at ({}): {} (assuming {}{})",
                     best.seed ? "the mean of ranks' work" : "a rank's work", off, allowed, worst->position,
                     worst->because, best.assumption, contradicted.empty() ? "" : "; " + contradicted);
}

/// Returns the tolerance that accepts an error, in per cent with two digits, rounded up; empty where none does.
std::string tolerance_that_accepts(double error) {
  const double step = std::pow(10, std::floor(std::log10(100 * error)) - 1);
  const double percent = std::ceil(100 * error / step + 1e-6) * step;
  return percent > 100 ? "" : fmt::format("{:.2g}%", percent);
}

[[noreturn]] void refuse_as_too_far(const Extrapolation& best, const ExtrapolationQuestion& question,
                                    const std::string& contradicted) {
  KernelId kernel = trace::no_kernel;
  double most = -1;
  bool spread = false;
  for (const UsedLaw& law : best.laws) {
    if (law.error > most) std::tie(most, kernel) = std::pair(law.error, law.kernel);
    spread = spread || law.spread > 0;
  }
  const trace::Run& largest = question.runs.back().source->run();
  const std::string reason = too_far(best, question.tolerance, counted_exactly(largest), contradicted);
  if (!question.seed && !counted_exactly(largest))
    throw NotUnderstood(fmt::format("volumes by {} are not exactly repeatable, and follow no exact law; {}",
                                    largest.counter.name, reason),
                        {.kernel = kernel},
                        "record with --counter icount, or have what ranks differ by drawn, with --seed N");
  const std::string tolerance = tolerance_that_accepts(best.error);
  NotUnderstood refusal(
      reason, {.kernel = kernel},
      (tolerance.empty() ? "add runs" : fmt::format("accept that much with --tolerance {}, or add runs", tolerance)) +
          (spread && !question.seed ? "; --seed N asks for the mean of ranks in the same position only, "
                                      "and draws what they differ by"
                                    : ""));
  refusal.tolerance = tolerance;
  throw NotUnderstood(refusal);
}

} // namespace

std::uint64_t ExtrapolatedClass::actions() const {
  std::uint64_t sum = layout.slots;
  for (std::size_t loop = 0; loop < trips.size(); ++loop) {
    const std::uint64_t length = layout.loops[loop].end - layout.loops[loop].begin;
    sum = sum - length + length * trips[loop];
  }
  return sum;
}

Extrapolation extrapolation(const ExtrapolationQuestion& asked,
                            const std::function<void(const std::string&)>& progress) {
  demand_target(asked);
  ExtrapolationQuestion question = asked;
  const auto ordered = std::make_shared<std::deque<OrderedArrivals>>();
  for (ExtrapolationInput& input : question.runs)
    input.source = &ordered->emplace_back(*input.source);
  SharedNumbers numbers(question.runs.back().source->run());
  Attempts attempts;
  for (const GridAssumption& assumption : grid_assumptions(question)) {
    if (progress) progress(assumption.text);
    attempts.tried.push_back(assumption.text);
    if (!assumption.target) {
      attempts.refuse(NotUnderstood("the grids of the runs follow no rule: say the target's with --grid"), ~0ULL,
                      assumption.text);
      continue;
    }
    Attempt attempt(question, assumption, numbers);
    try {
      Extrapolation made = attempt.run();
      made.ordered = ordered;
      if (!attempts.better(made.error)) continue;
      attempts.take(std::move(made), question.runs.back().source->run());
      if (attempts.error == 0) break;
    } catch (const NotUnderstood& reason) {
      attempts.refuse(reason, assumption.recorded ? ~0ULL : attempt.ranks_read(), assumption.text);
    }
  }
  if (attempts.untold) throw NotUnderstood(*attempts.untold);
  if (attempts.best && attempts.best->error <= question.tolerance) return std::move(*attempts.best);
  if (attempts.best) refuse_as_too_far(*attempts.best, question, attempts.contradicted);
  if (attempts.refusal) attempts.refuse(*question.runs.back().source);
  throw Error(Failure::usage, "a grid has one to three sides", "--grid", "such as 32x32");
}

void demand_extrapolable(const std::string& name, const trace::Run& run) {
  if (run.volume_error > 0)
    throw Error(Failure::missing_capability, "volumes of this run are rounded, so no law of them is exact", name,
                "give it as it was recorded");
}

double extrapolation_tolerance(const std::vector<ExtrapolationInput>& runs, double asked, bool drawn) {
  const auto exactly = [](const ExtrapolationInput& input) { return counted_exactly(input.source->run()); };
  return drawn || std::ranges::all_of(runs, exactly) ? asked : 0;
}

} // namespace timeless::analysis
