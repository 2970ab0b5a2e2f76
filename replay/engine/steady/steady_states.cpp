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
#include <utility>

namespace timeless::replay {

namespace {

constexpr std::size_t amounts_per_rank = 3;
// Bits that a time at a cut keeps below those of what passed since the cut before: what rounding leaves in the others
// would stand between states that are the same.
constexpr int kept_bits = 40;

/// Returns why a replay has no cuts; empty when it may.
std::string why_no_cuts(const Core& core) {
  if (std::string why = why_every_action(core.options); !why.empty()) return why;
  // Where ranks come to would depend on which configurations share the replay.
  if (!all_equal(eager_limits(core.network, core.options))) return "configurations have eager limits of their own";
  return {};
}

bool sampling(const ReplayOptions& options) {
  return options.sample > 0 && options.jumps == Jumps::taken;
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

/// Adds a counter to a sum, and sets it to 0. Returns false where it cannot be added.
template <typename Sum>
bool move_to(Sum& sum, double& counter) {
  if (!Sum::holds(counter)) return false;
  sum.add(counter);
  counter = 0;
  return true;
}

} // namespace

SteadyStates::SteadyStates(Core& core, const CollectiveMatching& matching, const Rendezvous& rendezvous)
    : core_(core), matching_(matching), rendezvous_(rendezvous), errors_(core.clocks.model.lanes()) {
  if (core.options.jumps != Jumps::taken && core.options.jumps != Jumps::dry) return;
  if (std::string why = why_no_cuts(core); !why.empty()) {
    report_.played_since.push_back(std::move(why));
    return;
  }
  loops_ = plan_cuts(core.source, {0, core.source.run().size}, core.options.iterations > 0 || sampling(core.options));
  if (loops_.empty()) report_.played_since.push_back("no loop of enough iterations is the same on all ranks");
  refused_.resize(loops_.size());
  clean_.resize(core.local_ranks.size());
  if (core.options.iterations > 0 && !loops_.empty()) add_iterations(core.options.iterations);
  set_cuts();
}

/// Of the loop with most actions.
void SteadyStates::add_iterations(std::uint64_t iterations) {
  const auto all_actions = [](const CutLoop& loop) { return loop.iterations * loop.actions(); };
  const auto longest = std::ranges::max_element(loops_, {}, all_actions);
  longest_ = static_cast<std::size_t>(longest - loops_.begin());
  if (iterations < longest->iterations)
    throw Error(Failure::usage,
                fmt::format("{} iterations were recorded of the loop with most actions", longest->iterations),
                fmt::format("{} iterations", iterations), "ask for as many or more");
  to_add_ = iterations - longest->iterations;
}

void SteadyStates::give_up(std::string why) {
  if (cut_ever_ || (core_.remote != nullptr && makes_cuts())) throw NoSteadyStates{std::move(why)};
  report_.played_since.push_back(std::move(why));
  loops_.clear();
  current_ = 0;
  set_cuts();
}

void SteadyStates::refuse_loop(std::size_t loop, std::string why) {
  if (refused_[loop].empty()) refused_[loop] = std::move(why);
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
  for (std::size_t at = current_; at < loops_.size(); ++at) {
    const trace::Loop& here = loops_[at].ranks[world_rank(number)];
    const std::uint64_t begin = std::max(here.first, rank.actions_before);
    const std::uint64_t end = std::min(here.end(), rank.actions_before + rank.size);
    for (std::uint64_t ordinal = begin; ordinal < end && refused_[at].empty(); ++ordinal)
      if (const char* const why = whys[rank.sequence[ordinal - rank.actions_before]]) refuse_loop(at, why);
  }
}

// ---- cuts

/// Sets each rank's next cut.
void SteadyStates::set_cuts() {
  for (std::uint32_t number = 0; number < core_.local_ranks.size(); ++number)
    set_cut(number, current_ < loops_.size() ? loop().cut(world_rank(number), next_) : no_cut);
}

void SteadyStates::set_cut(std::uint32_t number, std::uint64_t ordinal) {
  RankState& rank = core_.ranks[number];
  rank.cut = ordinal;
  rank.stop = static_cast<std::uint32_t>(std::min<std::uint64_t>(ordinal - rank.actions_before, rank.size));
}

void SteadyStates::next_loop() {
  ++current_;
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
  if (!refused_[current_].empty()) return refused_[current_];
  if (matching_.under_way() > 0) return "nonblocking collectives are under way where iterations end";
  if (!rendezvous_.idle()) return "messages and receives wait for each other where iterations end";
  return why_not_comparable(core_).value_or("");
}

bool SteadyStates::begin(const CutStanding& all) {
  if (!all.all) {
    // Some ranks' iterations begin before those of others have ended.
    if (next_ > 0 || !loop().begin_late()) {
      refuse_loop(current_, "some ranks' iterations need the next of others");
      next_loop();
    }
  } else if (!all.obstacle.empty()) {
    refuse_loop(current_, all.obstacle);
    next_loop();
  } else {
    count_from(all.latest);
    return true;
  }
  go_on();
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
  if (next_ == 0) {
    const RankRange ranks{0, core_.source.run().size};
    find_changes(core_.source, ranks, loop());
    if (core_.options.iterations == 0) take_periods_as_one(core_.source, ranks, loop());
  }
  if (next_ == loop().iterations) return next_loop();
  compare(all.same);
  if (next_ == loop().iterations)
    next_loop();
  else
    ++next_;
}

/// Returns whether the present state is to be compared with the one that is kept, not to be kept itself.
bool SteadyStates::searching() const {
  return kept_for_ > 0 && next_ < loop().iterations && !std::ranges::binary_search(loop().changes, next_);
}

CutComparison SteadyStates::comparison() const {
  return {.same = searching() ? kept_.lanes_now(core_) : std::vector<bool>(core_.clocks.model.lanes()),
          .countable = countable_};
}

/// Takes in which lanes the present state is the one that is kept, or keeps it.
void SteadyStates::compare(const std::vector<bool>& same) {
  if (!searching()) return begin_search();
  if (std::ranges::all_of(same, std::identity())) return prove();
  note_periods(same);
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

/// Notes which lanes' states have come again. Where those of others have not for long, and many iterations are left,
/// the replay is to begin anew with these apart.
void SteadyStates::note_periods(const std::vector<bool>& same) {
  constexpr std::uint64_t long_enough = 12; // iterations
  constexpr std::size_t most_groups = 8;    // each plays what lies outside of loops again
  const std::size_t lanes = core_.network.lanes.size();
  for (std::size_t lane = 0; lane < same.size(); ++lane)
    if (same[lane] && periods_[lane] == 0) periods_[lane] = next_ - kept_cut_;
  if (core_.options.jumps != Jumps::taken || next_ - search_from_ < long_enough) return;
  const std::uint64_t left = next_change(next_) - next_;
  if (left < long_enough || left * loop().actions() < core_.actions) return;
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

/// Makes all times count from these on, the latest, and all counters from 0.
void SteadyStates::count_from(const std::vector<double>& latest) {
  LaneModel& model = core_.clocks.model;
  const std::size_t lanes = model.lanes();
  offsets_.assign(model.values(), 0.0);
  if (!cut_ever_) {
    sums_.times.resize(model.values());
    sums_.counters.resize(core_.ranks.size() * model.counters_per_rank() * lanes);
    sums_.overheads.resize(core_.ranks.size());
    sums_.behind.resize(core_.clocks.incasts().size());
    sums_.amounts.resize(core_.ranks.size() * amounts_per_rank);
    cut_ever_ = true;
  }
  for (std::size_t value = 0; value < model.values(); ++value)
    if (ExactSeconds::holds(latest[value % lanes]) && ExactSeconds::holds(latest[value])) {
      offsets_[value] = latest[value];
      sums_.times[value].add(latest[value]);
    }
  roundings_.resize(model.values());
  for (std::size_t value = 0; value < model.values(); ++value) {
    // A number that leaves sums with it no bits beyond.
    const double passed = std::abs(offsets_[value % lanes]);
    roundings_[value] = passed > 0 ? std::ldexp(1.5, std::ilogb(passed) + 52 - kept_bits) : 0;
  }
  model.pool.shift_held(offsets_, roundings_);
  for (std::uint32_t number = 0; number < core_.ranks.size(); ++number)
    count_clock(number);
  for (std::size_t number = 0; number < sums_.behind.size(); ++number)
    countable_ &= move_to(sums_.behind[number], core_.clocks.incasts()[number].close());
}

void SteadyStates::count_clock(std::uint32_t number) {
  Clock& clock = core_.clocks[number];
  const std::size_t counters = core_.clocks.model.counters_per_rank() * core_.clocks.model.lanes();
  for (std::size_t i = 0; i < counters; ++i)
    countable_ &= move_to(sums_.counters[number * counters + i], clock.counters[i]);
  countable_ &= move_to(sums_.overheads[number], clock.overhead_folded);
  ExactAmount* const amounts = &sums_.amounts[number * amounts_per_rank];
  countable_ &= move_to(amounts[0], clock.volume_folded);
  countable_ &= move_to(amounts[1], clock.copied_folded);
  countable_ &= move_to(amounts[2], clock.reduced);
}

// ---- proofs

void SteadyStates::keep() {
  kept_.take(core_);
  kept_sums_ = sums_;
  kept_cut_ = next_;
}

/// Returns the first iteration after this one whose volumes are not those of the one before.
std::uint64_t SteadyStates::next_change(std::uint64_t iteration) const {
  const auto found = std::ranges::upper_bound(loop().changes, iteration);
  return found == loop().changes.end() ? loop().iterations : *found;
}

/// The present state is the one that is kept: what follows that follows this, as often as volumes stay the same.
void SteadyStates::prove() {
  const std::uint64_t period = next_ - kept_cut_;
  const std::uint64_t recorded = next_change(kept_cut_) - next_;
  std::uint64_t added = current_ == longest_ ? to_add_ : 0;
  if ((recorded + added) / period * period < added) added = 0; // too few were recorded after this cut to go on with
  const std::uint64_t times = (recorded + added) / period;
  if (times == 0 || !countable_) return;
  if (core_.options.jumps != Jumps::taken) return;
  SteadyReport::Loop& reported = reported_loop(kept_cut_, period);
  reported.jumped += times * period * loop().as_one;
  reported.jumps += 1;
  reported.iterations += added;
  reported.added += added;
  report_.actions += times * period * loop().actions();
  core_.actions += added * local_actions();
  to_add_ -= added;
  sums_.repeat(kept_sums_, times);
  jump(times * period - added);
  begin_search();
}

/// Returns what is reported of the present loop; of a new one, that it was first jumped over from there on.
SteadyReport::Loop& SteadyStates::reported_loop(std::uint64_t from, std::uint64_t period) {
  const auto known = std::ranges::find(report_.loops, current_, &SteadyReport::Loop::number);
  if (known != report_.loops.end()) return *known;
  return *report_.loops.insert(known, {.number = current_,
                                       .iterations = loop().recorded,
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
    plan_ = SamplePlan::make(loop().iterations, options.sample, mix_bits(options.sample_seed) + current_);
    if (!plan_) {
      refuse_loop(current_, fmt::format("of a loop that is short for that share, fewer than {} blocks would be played",
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
    kept_sums_ = sums_;
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
    block[lane] = sums_.times[lane].since(kept_sums_.times[lane]);
  sums_.repeat(kept_sums_, part.times());
  const std::uint64_t skipped = part.times() * SamplePlan::measured;
  SteadyReport::Loop& reported = reported_loop(part.first, SamplePlan::measured);
  reported.jumped += skipped;
  reported.jumps += 1;
  reported.blocks += 1;
  report_.actions += skipped * loop().actions();
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

void SteadyStates::Sums::repeat(const Sums& before, std::uint64_t times_more) {
  const auto each = [&](auto& sums, const auto& earlier) {
    for (std::size_t i = 0; i < sums.size(); ++i)
      sums[i].repeat(earlier[i], times_more);
  };
  each(times, before.times);
  each(counters, before.counters);
  each(overheads, before.overheads);
  each(behind, before.behind);
  each(amounts, before.amounts);
}

// ---- ends

void SteadyStates::demand_iterations() const {
  if (core_.options.iterations == 0 || (!loops_.empty() && to_add_ == 0)) return;
  const SteadyReport said = report();
  throw Error(Failure::invalid_input, "no iteration of the loop with most actions was proved to repeat",
              said.played_since.empty() ? "" : said.played_since.front(),
              "record with an exact counter (icount); volumes that depend on data repeat nowhere");
}

void SteadyStates::restore() {
  if (!cut_ever_) return;
  LaneModel& model = core_.clocks.model;
  const std::size_t counters = model.counters_per_rank() * model.lanes();
  for (std::uint32_t number = 0; number < core_.local_ranks.size(); ++number) {
    Clock& clock = core_.clocks[number];
    core_.clocks.settle(clock);
    Snapshot absolute = model.pool.take();
    for (std::size_t value = 0; value < model.values(); ++value)
      absolute.values()[value] = sums_.times[value].plus(clock.base.values()[value]);
    clock.base = std::move(absolute);
    for (std::size_t i = 0; i < counters; ++i)
      clock.counters[i] = sums_.counters[number * counters + i].plus(clock.counters[i]);
    clock.overhead_folded = sums_.overheads[number].plus(clock.overhead_folded);
    const ExactAmount* const amounts = &sums_.amounts[number * amounts_per_rank];
    clock.volume_folded = amounts[0].plus(clock.volume_folded);
    clock.copied_folded = amounts[1].plus(clock.copied_folded);
    clock.reduced = amounts[2].plus(clock.reduced);
  }
  for (std::size_t number = 0; number < sums_.behind.size(); ++number) {
    double& behind = core_.clocks.incasts()[number].close();
    behind = sums_.behind[number].plus(behind);
  }
  cut_ever_ = false;
}

SteadyReport SteadyStates::report() const {
  SteadyReport report = report_;
  const auto add = [&](const std::string& why) {
    if (!why.empty() && std::ranges::find(report.played_since, why) == report.played_since.end())
      report.played_since.push_back(why);
  };
  for (std::size_t number = 0; number < refused_.size(); ++number) {
    const bool jumped = std::ranges::find(report.loops, number, &SteadyReport::Loop::number) != report.loops.end();
    add(refused_[number].empty() && !jumped ? "no state came again while volumes stayed the same" : refused_[number]);
  }
  return report;
}

} // namespace timeless::replay
