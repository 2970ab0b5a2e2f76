#include "replay/engine/steady/steady_states.h"

#include "base/error.h"
#include "base/mixing.h"
#include "replay/engine/clocks/eager_limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <ranges>
#include <utility>

namespace timeless::replay {

namespace {

bool sampling(const ReplayOptions& options) {
  return options.sample > 0 && options.jumps == Jumps::taken;
}

/// Returns why a replay has no cuts; empty when it may.
std::string why_no_cuts(const Core& core) {
  if (std::string why = why_every_action(core.options); !why.empty()) return why;
  if (core.options.observer != nullptr && sampling(core.options)) return "a timeline is asked for";
  if (core.options.critical_path && core.remote != nullptr) return "several processes follow a critical path";
  if (core.options.critical_path && sampling(core.options)) return "a critical path leads through every action";
  // Where ranks come to would depend on which configurations share the replay.
  if (!all_equal(eager_limits(core.network, core.options))) return "configurations have eager limits of their own";
  return {};
}

/// Returns why an operation cannot be jumped over; null when it can.
const char* why_not(const Operation& operation) {
  switch (operation.step) {
  case Step::one_sided:
    return "one-sided communication within iterations";
  case Step::file:
    return "files within iterations";
  case Step::workers:
  case Step::compute_beside_workers:
    return "worker threads compute within iterations";
  case Step::post_wildcard:
  case Step::cancel:
  case Step::release:
    return "receives of any source, cancelled or freed requests within iterations";
  default:
    return nullptr;
  }
}

} // namespace

SteadyStates::SteadyStates(Core& core, const CollectiveMatching& matching, const Rendezvous& rendezvous)
    : core_(core), matching_(matching), rendezvous_(rendezvous), before_(core), errors_(core.clocks.model.lanes()) {
  if (core.options.jumps != Jumps::taken && core.options.jumps != Jumps::dry) return;
  if (std::string why = why_no_cuts(core); !why.empty()) {
    report_.played_since.push_back(std::move(why));
    return;
  }
  walk_ = LoopWalk(core.source, plan_cuts(core.source, {0, core.source.run().size},
                                          core.options.iterations > 0 || sampling(core.options)));
  if (!makes_cuts()) report_.played_since.push_back("no loop of enough iterations is the same on all ranks");
  clean_.resize(core.local_ranks.size());
  if (core.options.iterations > 0 && makes_cuts()) add_iterations(core.options.iterations);
  set_cuts();
}

/// Of the loop with most actions.
void SteadyStates::add_iterations(std::uint64_t iterations) {
  const auto all_actions = [](const CutLoop& loop) { return loop.iterations * loop.actions(); };
  const auto longest = std::ranges::max_element(walk_.shared(), {}, all_actions);
  longest_ = static_cast<std::size_t>(longest - walk_.shared().begin());
  if (iterations < longest->iterations)
    throw Error(Failure::usage,
                fmt::format("{} iterations were recorded of the loop with most actions", longest->iterations),
                fmt::format("{} iterations", iterations), "ask for as many or more");
  to_add_ = iterations - longest->iterations;
}

void SteadyStates::give_up(std::string why) {
  if (before_.any() || (core_.remote != nullptr && makes_cuts())) throw NoSteadyStates{std::move(why)};
  report_.played_since.push_back(std::move(why));
  walk_ = LoopWalk();
  set_cuts();
}

// ---- blocks

void SteadyStates::look_for_obstacles(std::uint32_t number) {
  const RankState& rank = core_.ranks[number];
  const Program& program = rank.program;
  std::vector<const char*> whys;
  for (const Operation& operation : program.operations)
    whys.push_back(why_not(operation));
  for (const auto& [entry, what] : program.unmodelled)
    whys[entry] = "calls that are not modelled within iterations";
  if (program.workers) whys.assign(whys.size(), "worker threads compute within iterations");
  clean_[number] = std::ranges::all_of(whys, [](const char* why) { return why == nullptr; });
  if (clean_[number]) return;
  for (std::size_t at = walk_.shared_number(); at < walk_.shared().size(); ++at) {
    const trace::Loop& here = walk_.shared()[at].ranks[world_rank(number)];
    const std::uint64_t begin = std::max(here.first, rank.actions_before);
    const std::uint64_t end = std::min(here.end(), rank.actions_before + rank.size);
    for (std::uint64_t ordinal = begin; ordinal < end && walk_.refused()[at].empty(); ++ordinal)
      if (const char* const why = whys[rank.sequence[ordinal - rank.actions_before]]) walk_.refuse(at, why);
  }
}

// ---- cuts

/// Sets each rank's next cut.
void SteadyStates::set_cuts() {
  for (std::uint32_t number = 0; number < core_.local_ranks.size(); ++number)
    set_cut(number, walk_.any() ? loop().cut(world_rank(number), next_) : no_cut);
}

void SteadyStates::set_cut(std::uint32_t number, std::uint64_t ordinal) {
  RankState& rank = core_.ranks[number];
  rank.cut = ordinal;
  rank.stop = static_cast<std::uint32_t>(std::min<std::uint64_t>(ordinal - rank.actions_before, rank.size));
}

void SteadyStates::next_loop() {
  walk_.next();
  next_ = 0;
  kept_for_ = 0;
}

bool SteadyStates::pass() {
  if (parked_.empty()) return false;
  if (begin(standing())) finish(comparison());
  return true;
}

CutStanding SteadyStates::standing() {
  CutStanding mine{.any = !parked_.empty(),
                   .all = parked_.size() == core_.local_ranks.size() && core_.ranks.size() == core_.local_ranks.size(),
                   .finished = core_.all_finished(),
                   .obstacle = {},
                   .latest = {}};
  if (!mine.all || !mine.any) return mine;
  for (std::uint32_t number = 0; number < core_.ranks.size(); ++number)
    core_.clocks.settle(core_.clocks[number]);
  mine.obstacle = obstacle();
  mine.latest = latest();
  return mine;
}

/// All ranks stand at a cut: returns why the loop cannot be jumped over; empty where it can.
std::string SteadyStates::obstacle() {
  if (const std::string& why = walk_.refused()[walk_.shared_number()]; !why.empty()) return why;
  if (matching_.under_way() > 0) return "nonblocking collectives are under way where iterations end";
  if (!rendezvous_.idle()) return "messages and receives wait for each other where iterations end";
  return why_not_comparable(core_).value_or("");
}

bool SteadyStates::begin(const CutStanding& all) {
  bool comparable = false;
  if (!all.all) {
    // Some ranks' iterations begin before those of others have ended.
    if (next_ == 0 && walk_.begin_late()) {
      orbits_.erase(walk_.number()); // its iterations begin elsewhere from now on
    } else {
      walk_.refuse(walk_.number(), "some ranks' iterations need the next of others");
      next_loop();
    }
  } else if (!all.obstacle.empty()) {
    walk_.refuse(walk_.number(), all.obstacle);
    next_loop();
  } else {
    countable_ &= before_.count_from(all.latest);
    comparable = look();
  }
  if (!comparable) go_on();
  return comparable;
}

/// At the loop's first cut, looks where volumes change. Returns false where another loop comes first.
bool SteadyStates::look() {
  if (next_ > 0 || sampling(core_.options) || walk_.look(core_.options.iterations == 0)) return true;
  kept_for_ = 0;
  return false;
}

void SteadyStates::finish(const CutComparison& all) {
  countable_ = all.countable;
  cut(all);
  go_on();
}

/// Lets all ranks go on to the next cut.
void SteadyStates::go_on() {
  set_cuts();
  std::ranges::sort(parked_);
  for (const std::uint32_t number : parked_)
    core_.worklist.push(number);
  parked_.clear();
}

/// All ranks stand at cut next_, and count from there. Sets the next one; the last is at the loop's end, since a jump
/// may lead there.
void SteadyStates::cut(const CutComparison& all) {
  if (sampling(core_.options)) return sample();
  if (next_ == loop().iterations) return next_loop();
  compare(all);
  if (next_ == loop().iterations)
    next_loop();
  else
    ++next_;
}

/// Returns whether the present state is to be compared with the one that is kept, not to be kept itself.
bool SteadyStates::searching() const {
  return kept_for_ > 0 && !walk_.hopeless() && next_ < loop().iterations &&
         !std::ranges::binary_search(loop().changes, next_);
}

CutComparison SteadyStates::comparison() const {
  return {.same = searching() ? kept_.lanes_now(core_) : std::vector<bool>(core_.clocks.model.lanes()),
          .met = met(),
          .countable = countable_};
}

/// Returns which of the loop's orbits begin with the present state, and volumes.
std::vector<bool> SteadyStates::met() const {
  std::vector<bool> all;
  const auto known = orbits_.find(walk_.number());
  if (known == orbits_.end() || next_ >= loop().iterations) return all;
  for (const Orbit& orbit : known->second)
    all.push_back(orbit.volumes == loop().volumes[next_] &&
                  std::ranges::all_of(orbit.state.lanes_now(core_), std::identity()));
  return all;
}

/// Jumps along the orbit that is met; false where none is, or it is too long.
bool SteadyStates::meet(const std::vector<bool>& met) {
  const auto found = std::ranges::find(met, true);
  if (found == met.end()) return false;
  const Orbit& orbit = orbits_.at(walk_.number())[static_cast<std::size_t>(found - met.begin())];
  const std::uint64_t times = unwatched(orbit.period, (next_change(next_) - next_) / orbit.period.iterations);
  if (times == 0 || !countable_) return false;
  jump_along(orbit.period, next_, times, 0);
  return true;
}

/// Takes in which lanes the present state is the one that is kept, or keeps it.
void SteadyStates::compare(const CutComparison& all) {
  if (walk_.hopeless() || meet(all.met)) return;
  if (!searching()) return begin_search();
  if (std::ranges::all_of(all.same, std::identity())) return prove();
  note_periods(all.same);
  if (next_ - kept_cut_ == kept_for_) {
    kept_for_ *= 2;
    keep();
  }
}

void SteadyStates::begin_search() {
  kept_for_ = 1;
  search_from_ = next_;
  periods_.assign(core_.clocks.model.lanes(), 0);
  keep();
}

/// Notes which lanes' states have come again. Where those of others have not for long, and iterations are left that
/// hold half of what all loops do, the replay is to begin anew with these apart.
void SteadyStates::note_periods(const std::vector<bool>& same) {
  constexpr std::uint64_t long_enough = 12; // iterations
  constexpr std::uint64_t worth_apart = 4;  // times as many iterations left
  constexpr std::size_t most_groups = 8;    // each plays what lies outside of loops again
  const std::size_t lanes = core_.network.lanes.size();
  for (std::size_t lane = 0; lane < same.size(); ++lane)
    if (same[lane] && periods_[lane] == 0) periods_[lane] = next_ - kept_cut_;
  if (core_.options.jumps != Jumps::taken || next_ - search_from_ < long_enough) return;
  const std::uint64_t left = next_change(next_) - next_;
  if (left < long_enough || 2 * walk_.times_left() * left * loop().actions() < walk_.all_actions()) return;
  // Each time that an inner loop is gone through, states are sought as long anew.
  if (walk_.inner() && left < worth_apart * (next_ - search_from_)) return;
  if (core_.options.ideal && periods_[lanes] == 0) return; // every group has that lane
  std::map<std::uint64_t, std::vector<std::size_t>> by_period;
  for (std::size_t lane = 0; lane < lanes; ++lane)
    by_period[periods_[lane]].push_back(lane);
  if (by_period.size() < 2) return;
  LanesApart apart;
  for (auto& [period, group] : by_period) {
    if (period > 0 && apart.groups.size() == most_groups)
      std::ranges::copy(group, std::back_inserter(apart.groups.back()));
    else
      apart.groups.push_back(std::move(group));
  }
  std::ranges::sort(apart.groups.back());
  throw apart;
}

/// Returns the time of the rank whose clock is the latest, lane by lane.
std::vector<double> SteadyStates::latest() const {
  const LaneModel& model = core_.clocks.model;
  const std::size_t lanes = model.lanes();
  const double* const first = core_.clocks[0].base.values();
  std::vector<double> all(first, first + model.values());
  for (std::size_t number = 1; number < core_.ranks.size(); ++number)
    take_latest(all, core_.clocks[number].base.values(), lanes);
  return all;
}

// ---- proofs

void SteadyStates::keep() {
  kept_.take(core_);
  kept_sums_ = before_.sums();
  kept_cut_ = next_;
  if (const auto& paths = core_.explanation.paths) kept_paths_ = paths->last_cut();
}

/// Returns how many actions each rank did before an iteration of the loop.
std::vector<std::uint64_t> SteadyStates::actions_before(std::uint64_t iteration) const {
  std::vector<std::uint64_t> all;
  for (std::size_t number = 0; number < core_.ranks.size(); ++number)
    all.push_back(loop().cut(world_rank(number), iteration));
  return all;
}

/// Lets the paths lead through periods that are about to be jumped over.
void SteadyStates::follow_paths(const Period& period, std::uint64_t times) {
  if (!period.paths) return;
  std::vector<std::uint64_t> in_period;
  for (std::size_t number = 0; number < core_.ranks.size(); ++number)
    in_period.push_back(period.iterations * loop().ranks[world_rank(number)].actions);
  core_.explanation.paths->jump(held_moments(core_), {.period = period.paths,
                                                      .times = times,
                                                      .began = PathFrame(before_.sums().times),
                                                      .grows = PathFrame(period.counted.times),
                                                      .actions = actions_before(next_),
                                                      .in_period = std::move(in_period)});
}

/// Returns the first iteration after this one whose volumes are not those of the one before.
std::uint64_t SteadyStates::next_change(std::uint64_t iteration) const {
  const auto found = std::ranges::upper_bound(loop().changes, iteration);
  return found == loop().changes.end() ? loop().iterations : *found;
}

/// The present state is the one that is kept: what follows that follows this, as often as volumes stay the same.
void SteadyStates::prove() {
  walk_.note_proof();
  const std::uint64_t period = next_ - kept_cut_;
  const std::uint64_t recorded = next_change(kept_cut_) - next_;
  std::uint64_t added = walk_.number() == longest_ ? to_add_ : 0;
  if ((recorded + added) / period * period < added) added = 0; // too few were recorded after this cut to go on with
  const std::uint64_t times = (recorded + added) / period;
  if (!countable_ || core_.options.jumps != Jumps::taken || (times == 0 && !walk_.inner())) return;
  const auto& tracer = core_.explanation.paths;
  const Period proved{.iterations = period,
                      .counted = before_.since(kept_sums_),
                      .paths = tracer ? tracer->since(kept_paths_, actions_before(kept_cut_)) : nullptr};
  if (tracer && !proved.paths) return;
  if (walk_.inner()) remember(proved);
  if (times == 0) return;
  const std::uint64_t taken = unwatched(proved, times);
  watched_ |= taken < times;
  if (taken == 0) return begin_search();
  if (added > 0) {
    SteadyReport::Loop& reported = reported_loop(kept_cut_, period);
    reported.iterations += added;
    reported.added += added;
    core_.actions += added * local_actions();
    to_add_ -= added;
  }
  jump_along(proved, kept_cut_, taken, added);
}

/// Returns how many of so many periods may be jumped over: none of which an observer wants to see.
std::uint64_t SteadyStates::unwatched(const Period& period, std::uint64_t times) const {
  const auto& observation = core_.explanation.observation;
  if (!observation) return times;
  if (core_.remote != nullptr) return 0; // the ranks of others may be within the window
  const TimeWindow window = observation->window();
  const auto before = [&](std::uint32_t number) {
    return observation->time_of(core_.clocks, core_.clocks[number]) <= window.to;
  };
  const auto ranks = std::views::iota(std::uint32_t{0}, static_cast<std::uint32_t>(core_.ranks.size()));
  if (std::ranges::none_of(ranks, before)) return times;
  // The last rank's time at the cut; of what is left before the window, the last period is played.
  const std::size_t lane = observation->lane();
  const double left = window.from - before_.sums().times[lane].plus(0);
  const double grows = period.counted.times[lane].plus(0);
  if (!(left > 0)) return 0;
  if (!(grows > 0)) return times;
  const double fit = std::floor(left / grows) - 1;
  return fit < static_cast<double>(times) ? static_cast<std::uint64_t>(std::max(fit, 0.0)) : times;
}

/// Keeps the state that is kept for the next time that the inner loop is gone through.
void SteadyStates::remember(Period period) {
  constexpr std::size_t most_orbits = 4;
  std::vector<Orbit>& orbits = orbits_[walk_.number()];
  if (orbits.size() == most_orbits) orbits.erase(orbits.begin());
  orbits.push_back({.state = kept_, .volumes = loop().volumes[kept_cut_], .period = std::move(period)});
}

/// Jumps over so many periods, of which some iterations were added to those that were recorded. The state was met
/// first before iteration `from`.
void SteadyStates::jump_along(const Period& period, std::uint64_t from, std::uint64_t times, std::uint64_t added) {
  report_jump(from, period.iterations, times * period.iterations);
  follow_paths(period, times);
  before_.add(period.counted, times);
  if (auto& observation = core_.explanation.observation)
    observation->count_from(before_.sums().times[observation->lane()]);
  jump(times * period.iterations - added);
  begin_search();
}

void SteadyStates::report_jump(std::uint64_t from, std::uint64_t period, std::uint64_t iterations) {
  SteadyReport::Loop& reported = reported_loop(from, period);
  reported.jumped += iterations * loop().as_one;
  reported.jumps += 1;
  report_.actions += iterations * loop().actions();
}

/// Returns what is reported of the present loop; of a new one, that it was first jumped over from there on.
SteadyReport::Loop& SteadyStates::reported_loop(std::uint64_t from, std::uint64_t period) {
  const auto known = std::ranges::find(report_.loops, walk_.number(), &SteadyReport::Loop::number);
  if (known != report_.loops.end()) return *known;
  return *report_.loops.insert(known, {.number = walk_.number(),
                                       .iterations = walk_.recorded(),
                                       .added = 0,
                                       .jumped = 0,
                                       .jumps = 0,
                                       .from = from * loop().as_one,
                                       .period = period * loop().as_one,
                                       .blocks = 0});
}

// ---- samples

/// All ranks stand where the plan of the loop wants them to. Sets the next cut.
void SteadyStates::sample() {
  if (next_ == 0) {
    const ReplayOptions& options = core_.options;
    plan_ = SamplePlan::make(loop().iterations, options.sample, mix_bits(options.sample_seed) + walk_.number());
    if (!plan_) {
      walk_.refuse(walk_.number(),
                   fmt::format("of a loop that is short for that share, fewer than {} blocks would be played",
                               SamplePlan::least_blocks));
      return next_loop();
    }
    part_ = 0;
    blocks_.clear();
    next_ = plan_->parts().front().first;
    return;
  }
  const SamplePlan::Part& part = plan_->parts()[part_];
  if (next_ == part.measure) {
    kept_sums_ = before_.sums();
    next_ = part.end;
    return;
  }
  if (next_ == part.end) {
    estimate(part);
    jump(part.next - part.end);
    ++part_;
  }
  if (part_ == plan_->parts().size()) {
    errors_.add(*plan_, blocks_);
    return next_loop(); // the rest is played
  }
  const SamplePlan::Part& next = plan_->parts()[part_];
  jump(next.block - next.first);
  next_ = next.measure;
}

/// Adds what a block took for what is skipped of its part.
void SteadyStates::estimate(const SamplePlan::Part& part) {
  if (!countable_) give_up("times or volumes are beyond what is counted");
  std::vector<double>& block = blocks_.emplace_back(core_.clocks.model.lanes());
  for (std::size_t lane = 0; lane < block.size(); ++lane)
    block[lane] = before_.sums().times[lane].since(kept_sums_.times[lane]);
  before_.add(before_.since(kept_sums_), part.times());
  const std::uint64_t skipped = part.times() * SamplePlan::measured;
  report_jump(part.first, SamplePlan::measured, skipped);
  reported_loop(part.first, SamplePlan::measured).blocks += 1;
  report_.sampled = {.share = core_.options.sample, .seed = core_.options.sample_seed};
}

void SteadyStates::tell(Result& result) const {
  if (core_.options.jumps != Jumps::taken) return;
  result.steady = report();
  for (std::size_t lane = 0; lane < result.lanes.size(); ++lane) {
    LaneResult& one = result.lanes[lane];
    one.jumped = report_.actions;
    if (report_.sampled && !one.deadlock) one.sampling_error = errors_.half_width(lane);
  }
}

// ---- jumps

/// Returns how many actions of this process's ranks an iteration of the loop has.
std::uint64_t SteadyStates::local_actions() const {
  std::uint64_t all = 0;
  for (std::size_t number = 0; number < core_.local_ranks.size(); ++number)
    all += loop().ranks[world_rank(number)].actions;
  return all;
}

void SteadyStates::jump(std::uint64_t iterations) {
  for (std::uint32_t number = 0; number < core_.ranks.size(); ++number)
    skip(core_.ranks[number], loop().cut(world_rank(number), next_ + iterations));
  if (auto& attributor = core_.explanation.attributor)
    for (std::uint32_t number = 0; number < core_.ranks.size(); ++number)
      attributor->pass_to(number, core_.ranks[number].position);
  if (auto& observation = core_.explanation.observation)
    for (std::uint32_t number = 0; number < core_.ranks.size(); ++number)
      observation->leave_out(number, core_.clocks, core_.clocks[number]);
  next_ += iterations;
}

/// Makes a rank go on at this action.
void SteadyStates::skip(RankState& rank, std::uint64_t target) {
  const std::uint64_t end = rank.actions_before + rank.size;
  if (target <= end) return rank.pass_over(static_cast<std::uint32_t>(target - rank.action()));
  rank.position = rank.stop = rank.size;
  if (rank.stream->skip_to(target)) {
    core_.actions += target - rank.actions_before - rank.size;
    rank.actions_before = target - rank.size;
  } else {
    rank.to_skip = target - end;
  }
}

// ---- ends

void SteadyStates::demand_iterations() const {
  if (core_.options.iterations == 0 || (makes_cuts() && to_add_ == 0)) return;
  const SteadyReport said = report();
  const bool exact = core_.source.run().counter.exactness == trace::Exactness::exact;
  throw Error(
      Failure::invalid_input, "no iteration of the loop with most actions was proved to repeat",
      said.played_since.empty() ? "" : said.played_since.front(),
      exact ? "its volumes change, or its ranks drift apart, from one iteration to the next; what of the run repeats "
              "is told by --jump"
            : "record with an exact counter (icount)");
}

SteadyReport SteadyStates::report() const {
  SteadyReport report = report_;
  const auto add = [&](const std::string& why) {
    if (!why.empty() && std::ranges::find(report.played_since, why) == report.played_since.end())
      report.played_since.push_back(why);
  };
  if (watched_) add("a timeline shows what they do");
  for (std::size_t number = 0; number < walk_.refused().size(); ++number) {
    const std::string& refused = walk_.refused()[number];
    const bool jumped = std::ranges::find(report.loops, number, &SteadyReport::Loop::number) != report.loops.end();
    if (jumped || walk_.replaced(number) || !refused.empty())
      add(refused);
    else if (!watched_)
      add(nothing_came_again);
  }
  return report;
}

} // namespace timeless::replay
