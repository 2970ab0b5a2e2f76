#include "replay/engine/steady/near_volumes.h"

#include "base/error.h"
#include "replay/engine/steady/cut_plan.h"
#include "trace/loops/changes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

namespace timeless::replay {

/// A volume of an iteration.
struct PlacedVolume {
  std::uint32_t place = 0; ///< of its action within the iteration
  bool computed = false;   ///< by the rank's thread, alone
  trace::KernelId kernel = trace::no_kernel;
  std::uint64_t volume = 0;
};

namespace {

/// Calls visit(number, volumes) for these iterations of a rank's loop, rising; `number` counts them.
template <typename Visit>
void read_iterations(const trace::Source& source, trace::Rank rank, const trace::Loop& loop,
                     std::span<const std::uint64_t> iterations, Visit&& visit) {
  const auto stream = source.open(rank);
  trace::ActionBlock block;
  std::vector<PlacedVolume> volumes;
  std::uint64_t position = 0;
  std::size_t number = 0;
  while (number < iterations.size()) {
    std::uint64_t begin = loop.first + iterations[number] * loop.actions;
    if (position < begin && stream->skip_to(begin)) position = begin;
    if (!stream->next(block)) throw Error(Failure::invalid_input, "a loop beyond the end of a rank's actions");
    trace::for_each_action(block, [&](const trace::Action& action, std::uint64_t volume) {
      const std::uint64_t ordinal = position++;
      if (number == iterations.size() || ordinal < begin) return;
      const std::uint64_t place = ordinal - begin;
      if (has_volume(action.kind))
        volumes.push_back({.place = static_cast<std::uint32_t>(place),
                           .computed = action.kind == trace::ActionKind::compute,
                           .kernel = action.kernel,
                           .volume = volume});
      if (place + 1 < loop.actions) return;
      visit(number, std::span<const PlacedVolume>(volumes));
      volumes.clear();
      if (++number < iterations.size()) begin = loop.first + iterations[number] * loop.actions;
    });
  }
}

/// Returns the lower weighted median; sorts the values, which are numbers and weights.
std::uint64_t median(std::vector<std::pair<std::uint64_t, std::uint64_t>>& values) {
  std::ranges::sort(values);
  std::uint64_t all = 0;
  for (const auto& [value, weight] : values)
    all += weight;
  std::uint64_t below = 0;
  for (const auto& [value, weight] : values) {
    below += weight;
    if (2 * below >= all) return value;
  }
  return 0;
}

/// Iterations with the same volumes in a row: where they begin, and how many they are.
std::uint64_t length(std::span<const std::uint64_t> begins, std::size_t number, std::uint64_t iterations) {
  return (number + 1 < begins.size() ? begins[number + 1] : iterations) - begins[number];
}

using IterationVolumes = std::vector<PlacedVolume>;

/// Returns the usual volume at each place: the median over iterations, weighed by how many are like each.
std::vector<std::uint64_t> usual_volumes(std::span<const IterationVolumes> iterations,
                                         std::span<const std::uint64_t> weights) {
  std::vector<std::uint64_t> usual;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> values;
  for (std::size_t place = 0; place < iterations.front().size(); ++place) {
    values.clear();
    for (std::size_t i = 0; i < iterations.size(); ++i)
      values.emplace_back(iterations[i].at(place).volume, weights[i]);
    usual.push_back(median(values));
  }
  return usual;
}

} // namespace

NearVolumes::NearVolumes(const trace::Source& source, const Network& network, double within, bool apart)
    : source_(source), network_(network) {
  const trace::Rank size = source.run().size;
  std::vector<double> seconds(static_cast<std::size_t>(size)); // by rank
  for (const CutLoop& cut : plan_cuts(source, {.begin = 0, .end = size}, apart)) {
    SharedLoop& shared = loops_.emplace_back();
    shared.iterations = cut.iterations;
    for (trace::Rank rank = 0; rank < size; ++rank) {
      trace::Loop loop = cut.ranks[static_cast<std::size_t>(rank)];
      loop.iterations = cut.iterations;
      shared.ranks.push_back(described(rank, loop));
      seconds[static_cast<std::size_t>(rank)] += shared.ranks.back().seconds;
    }
  }
  choose(within * (seconds.empty() ? 0 : *std::ranges::max_element(seconds)));
  add_up();
}

NearVolumes::RankLoop NearVolumes::described(trace::Rank rank, const trace::Loop& loop) const {
  RankLoop one{.loop = loop, .changes = trace::changes(source_, rank, loop), .unusual = {}, .places = {}, .usual = {}};
  if (one.changes.empty()) return one;
  std::vector<std::uint64_t> begins{0}; // of iterations like each other
  std::ranges::copy(one.changes, std::back_inserter(begins));
  constexpr std::size_t most = 1024;
  const std::size_t step = (begins.size() + most - 1) / most;
  std::vector<std::uint64_t> looked_at;
  std::vector<std::uint64_t> weights;
  for (std::size_t i = 0; i < begins.size(); i += step) {
    looked_at.push_back(begins[i]);
    weights.push_back(length(begins, i, loop.iterations));
  }
  std::vector<IterationVolumes> read;
  read_iterations(source_, rank, loop, looked_at, [&](std::size_t, std::span<const PlacedVolume> volumes) {
    read.emplace_back(volumes.begin(), volumes.end());
  });
  one.usual = usual_volumes(read, weights);
  for (const PlacedVolume& volume : read.front())
    one.places.push_back(volume.place);
  const auto note = [&](std::size_t number, std::span<const PlacedVolume> volumes) {
    note_iterations(
        one, rank, {.begin = begins[number], .end = begins[number] + length(begins, number, loop.iterations)}, volumes);
  };
  if (step > 1)
    read_iterations(source_, rank, loop, begins, note);
  else
    for (std::size_t number = 0; number < begins.size(); ++number)
      note(number, read[number]);
  return one;
}

/// Notes what iterations with the same volumes, which these are, cost to be replaced.
void NearVolumes::note_iterations(RankLoop& one, trace::Rank rank, Unusual found,
                                  std::span<const PlacedVolume> volumes) const {
  const double per_unit = network_.seconds_per_unit(rank);
  double seconds = 0;
  bool same = true;
  for (std::size_t i = 0; i < volumes.size(); ++i) {
    const auto& [place, computed, kernel, volume] = volumes[i];
    const std::uint64_t usual = one.usual.at(i);
    const double of_unit = per_unit * network_.kernel_factor(kernel);
    if (computed) seconds += static_cast<double>(volume) * of_unit;
    if (volume == usual) continue;
    same = false;
    const double much = computed ? of_unit : std::numeric_limits<double>::infinity();
    if (usual > volume) found.above += static_cast<double>(usual - volume) * much;
    if (volume > usual) found.below += static_cast<double>(volume - usual) * much;
  }
  one.seconds += static_cast<double>(found.end - found.begin) * seconds;
  if (!same) one.unusual.push_back(found);
}

void NearVolumes::choose(double budget) {
  std::vector<std::tuple<double, std::size_t, std::uint64_t>> costs; // with loop and iteration
  for (std::size_t number = 0; number < loops_.size(); ++number) {
    SharedLoop& shared = loops_[number];
    std::vector<double> of_iterations(shared.iterations);
    for (const RankLoop& one : shared.ranks)
      for (const Unusual& unusual : one.unusual)
        for (std::uint64_t i = unusual.begin; i < unusual.end; ++i)
          of_iterations[i] += unusual.above + unusual.below;
    shared.replaced.assign(shared.iterations, false);
    for (std::uint64_t i = 0; i < shared.iterations; ++i)
      if (std::isfinite(of_iterations[i])) costs.emplace_back(of_iterations[i], number, i);
  }
  std::ranges::sort(costs);
  double spent = 0;
  for (const auto& [cost, number, iteration] : costs) {
    spent += cost;
    if (spent > budget) break;
    loops_[number].replaced[iteration] = true;
  }
}

void NearVolumes::add_up() {
  for (SharedLoop& shared : loops_) {
    std::vector<bool> moved(shared.iterations);
    for (RankLoop& one : shared.ranks)
      for (const Unusual& unusual : one.unusual)
        for (std::uint64_t i = unusual.begin; i < unusual.end; ++i) {
          if (!shared.replaced[i]) continue;
          moved[i] = one.replaces = true;
          earlier_ += unusual.above;
          later_ += unusual.below;
        }
    iterations_ += static_cast<std::uint64_t>(std::ranges::count(moved, true));
  }
}

namespace {

/// Returns the stretch that holds an iteration, or the end.
template <typename Stretches>
auto stretch_of(const Stretches& stretches, std::uint64_t iteration) {
  const auto found = std::ranges::upper_bound(stretches, iteration, {}, [](const auto& one) { return one.begin; });
  if (found == stretches.begin() || std::prev(found)->end <= iteration) return stretches.end();
  return std::prev(found);
}

} // namespace

std::optional<std::vector<std::uint64_t>> NearVolumes::known_changes(trace::Rank rank, const trace::Loop& loop) const {
  for (const SharedLoop& shared : loops_) {
    const RankLoop& one = shared.ranks[static_cast<std::size_t>(rank)];
    if (one.loop.first != loop.first || one.loop.actions != loop.actions || shared.iterations < loop.iterations)
      continue;
    const auto as_recorded = [&](std::uint64_t iteration) {
      return stretch_of(one.unusual, iteration) != one.unusual.end() && !shared.replaced[iteration];
    };
    std::vector<std::uint64_t> changes;
    for (std::uint64_t i = 1; i < loop.iterations; ++i)
      if (as_recorded(i) != as_recorded(i - 1) || (as_recorded(i) && std::ranges::binary_search(one.changes, i)))
        changes.push_back(i);
    return changes;
  }
  return {};
}

class NearVolumes::Stream : public trace::RankStream {
public:
  Stream(const NearVolumes& all, trace::Rank rank)
      : stream_(all.source_.open(rank)), loops_(all.loops_), rank_(static_cast<std::size_t>(rank)) {}

  bool next(trace::ActionBlock& block) override {
    if (!stream_->next(block)) return false;
    const std::uint64_t end = position_ + block.size();
    if (any_replaced(end)) replace(block);
    position_ = end;
    return true;
  }

  bool skip_to(std::uint64_t action) override {
    if (!stream_->skip_to(action)) return false;
    position_ = action;
    return true;
  }

  void read_times(trace::ActionBlock& block) const override { stream_->read_times(block); }

private:
  const RankLoop& loop(std::size_t number) const { return loops_[number].ranks[rank_]; }

  /// Goes to the loop that holds an action, or else is the next one; false where there is none.
  bool go_to(std::uint64_t action) {
    while (at_ < loops_.size() && loop(at_).loop.end() <= action)
      ++at_;
    return at_ < loops_.size();
  }

  bool any_replaced(std::uint64_t end) {
    if (!go_to(position_)) return false;
    for (std::size_t number = at_; number < loops_.size() && loop(number).loop.first < end; ++number)
      if (loop(number).replaces) return true;
    return false;
  }

  void replace(trace::ActionBlock& block) {
    const std::span<std::uint64_t> volumes = block.refill_volumes(block.volumes().size());
    std::size_t next = 0;
    std::uint64_t action = position_;
    for (const std::uint32_t entry : block.sequence()) {
      if (has_volume(block.dictionary()[entry].kind)) {
        if (go_to(action)) replace(volumes[next], action);
        ++next;
      }
      ++action;
    }
  }

  void replace(std::uint64_t& volume, std::uint64_t action) const {
    const RankLoop& one = loop(at_);
    if (action < one.loop.first || !one.replaces) return;
    const std::uint64_t iteration = (action - one.loop.first) / one.loop.actions;
    if (!loops_[at_].replaced[iteration]) return;
    if (stretch_of(one.unusual, iteration) == one.unusual.end()) return;
    const auto place = static_cast<std::uint32_t>((action - one.loop.first) % one.loop.actions);
    const auto found = std::ranges::lower_bound(one.places, place);
    volume = one.usual.at(static_cast<std::size_t>(found - one.places.begin()));
  }

  std::unique_ptr<trace::RankStream> stream_;
  const std::vector<SharedLoop>& loops_;
  std::size_t rank_;
  std::size_t at_ = 0; ///< loop
  std::uint64_t position_ = 0;
};

std::unique_ptr<trace::RankStream> NearVolumes::open(trace::Rank rank) const {
  return std::make_unique<Stream>(*this, rank);
}

} // namespace timeless::replay
