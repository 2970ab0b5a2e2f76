#include "replay/engine/steady/counted_before.h"

#include "replay/engine/steady/state.h"

#include <cmath>
#include <utility>

namespace timeless::replay {

namespace {

constexpr std::size_t amounts_per_rank = 3;
constexpr std::size_t amounts_per_part = 4;
// Bits that a time at a cut keeps below those of what passed since the cut before: what rounding leaves in the others
// would stand between states that are the same.
constexpr int kept_bits = 40;

/// Adds a counter to a sum, and sets it to 0. Returns false where it cannot be added.
template <typename Sum>
bool move_to(Sum& sum, double& counter) {
  if (!Sum::holds(counter)) return false;
  sum.add(counter);
  counter = 0;
  return true;
}

/// Calls visit(sum, other) for each of the sums and its like. Earlier sums have no more parts.
template <typename Visit>
void for_each_pair(CountedBefore::Sums& sums, const CountedBefore::Sums& earlier, Visit&& visit) {
  const auto each = [&](auto& all, const auto& other) {
    for (std::size_t i = 0; i < other.size(); ++i)
      visit(all[i], other[i]);
  };
  each(sums.times, earlier.times);
  each(sums.counters, earlier.counters);
  each(sums.overheads, earlier.overheads);
  each(sums.behind, earlier.behind);
  each(sums.amounts, earlier.amounts);
  each(sums.part_counters, earlier.part_counters);
  each(sums.part_overheads, earlier.part_overheads);
  each(sums.part_amounts, earlier.part_amounts);
}

} // namespace

CountedBefore::Sums CountedBefore::since(const Sums& before) const {
  Sums grown = sums_;
  for_each_pair(grown, before, [](auto& sum, const auto& other) { sum.subtract(other); });
  return grown;
}

void CountedBefore::add(const Sums& counted, std::uint64_t times) {
  for_each_pair(sums_, counted, [&](auto& sum, const auto& other) { sum.add(other, times); });
}

void CountedBefore::make_room() {
  const LaneModel& model = core_.clocks.model;
  sums_.times.resize(model.values());
  sums_.counters.resize(core_.ranks.size() * counters_per_rank());
  sums_.overheads.resize(core_.ranks.size());
  sums_.behind.resize(core_.clocks.incasts().size());
  sums_.amounts.resize(core_.ranks.size() * amounts_per_rank);
  any_ = true;
}

bool CountedBefore::count_from(const std::vector<double>& latest) {
  LaneModel& model = core_.clocks.model;
  const std::size_t lanes = model.lanes();
  if (!any_) make_room();
  offsets_.assign(model.values(), 0.0);
  auto& paths = core_.explanation.paths;
  const std::size_t counted = model.values() - (paths ? lanes : 0); // the last one of a path is no time
  for (std::size_t value = 0; value < counted; ++value)
    if (ExactSeconds::holds(latest[value % lanes]) && ExactSeconds::holds(latest[value])) {
      offsets_[value] = latest[value];
      sums_.times[value].add(latest[value]);
    }
  roundings_.assign(model.values(), 0.0);
  for (std::size_t value = 0; value < counted; ++value) {
    // A number that leaves sums with it no bits beyond.
    const double passed = std::abs(offsets_[value % lanes]);
    roundings_[value] = passed > 0 ? std::ldexp(1.5, std::ilogb(passed) + 52 - kept_bits) : 0;
  }
  model.pool.shift_held(offsets_, roundings_);
  if (paths)
    paths->cut(
        held_moments(core_),
        [&](std::size_t value, double time) { return shifted(time, offsets_[value], roundings_[value]); },
        PathFrame(sums_.times));
  if (auto& observation = core_.explanation.observation) observation->count_from(sums_.times[observation->lane()]);
  bool all = count_parts();
  for (std::uint32_t number = 0; number < core_.ranks.size(); ++number)
    all &= count_clock(number);
  for (std::size_t number = 0; number < sums_.behind.size(); ++number)
    all &= move_to(sums_.behind[number], core_.clocks.incasts()[number].close());
  return all;
}

bool CountedBefore::count_clock(std::uint32_t number) {
  Clock& clock = core_.clocks[number];
  const std::size_t counters = counters_per_rank();
  bool all = true;
  const auto move_counters = [&] {
    for (std::size_t i = 0; i < counters; ++i)
      all &= move_to(sums_.counters[number * counters + i], clock.counters[i]);
  };
  if (auto& observation = core_.explanation.observation)
    observation->across(number, core_.clocks, clock, move_counters);
  else
    move_counters();
  all &= move_to(sums_.overheads[number], clock.overhead_folded);
  ExactAmount* const amounts = &sums_.amounts[number * amounts_per_rank];
  all &= move_to(amounts[0], clock.volume_folded);
  all &= move_to(amounts[1], clock.copied_folded);
  all &= move_to(amounts[2], clock.reduced);
  if (auto& attributor = core_.explanation.attributor) attributor->follow(number);
  return all;
}

bool CountedBefore::count_parts() {
  auto& attributor = core_.explanation.attributor;
  if (!attributor) return true;
  for (std::uint32_t number = 0; number < core_.ranks.size(); ++number)
    attributor->count_to(number, core_.ranks[number].whole_sequence(), core_.ranks[number].position);
  attributor->settle_all();
  const std::size_t counters = counters_per_rank();
  sums_.part_counters.resize(attributor->parts() * counters);
  sums_.part_overheads.resize(attributor->parts());
  sums_.part_amounts.resize(attributor->parts() * amounts_per_part);
  bool all = true;
  attributor->for_each_part([&](Attributor::Part& part) {
    for (std::size_t i = 0; part.counters && i < counters; ++i)
      all &= move_to(sums_.part_counters[part.place * counters + i], part.counters[i]);
    all &= move_to(sums_.part_overheads[part.place], part.scalars.overhead);
    ExactAmount* const amounts = &sums_.part_amounts[part.place * amounts_per_part];
    all &= move_to(amounts[0], part.scalars.volume);
    all &= move_to(amounts[1], part.scalars.copied);
    all &= move_to(amounts[2], part.scalars.reduced);
    auto actions = static_cast<double>(part.count);
    all &= move_to(amounts[3], actions);
    part.count = static_cast<std::uint64_t>(actions);
  });
  return all;
}

void CountedBefore::restore() {
  if (!any_) return;
  restore_parts();
  for (std::uint32_t number = 0; number < core_.local_ranks.size(); ++number)
    restore_clock(number);
  for (std::size_t number = 0; number < sums_.behind.size(); ++number) {
    double& behind = core_.clocks.incasts()[number].close();
    behind = sums_.behind[number].plus(behind);
  }
  any_ = false;
}

void CountedBefore::restore_clock(std::uint32_t number) {
  LaneModel& model = core_.clocks.model;
  const std::size_t counters = counters_per_rank();
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
  if (auto& attributor = core_.explanation.attributor) attributor->follow(number);
}

void CountedBefore::restore_parts() {
  auto& attributor = core_.explanation.attributor;
  if (!attributor) return;
  for (std::uint32_t number = 0; number < core_.local_ranks.size(); ++number)
    core_.clocks.settle(core_.clocks[number]);
  attributor->settle_all();
  const std::size_t counters = counters_per_rank();
  attributor->for_each_part([&](Attributor::Part& part) {
    if (part.place >= sums_.part_overheads.size()) return; // made since the last cut
    for (std::size_t i = 0; part.counters && i < counters; ++i)
      part.counters[i] = sums_.part_counters[part.place * counters + i].plus(part.counters[i]);
    part.scalars.overhead = sums_.part_overheads[part.place].plus(part.scalars.overhead);
    const ExactAmount* const amounts = &sums_.part_amounts[part.place * amounts_per_part];
    part.scalars.volume = amounts[0].plus(part.scalars.volume);
    part.scalars.copied = amounts[1].plus(part.scalars.copied);
    part.scalars.reduced = amounts[2].plus(part.scalars.reduced);
    part.count = static_cast<std::uint64_t>(amounts[3].plus(static_cast<double>(part.count)));
  });
}

} // namespace timeless::replay
