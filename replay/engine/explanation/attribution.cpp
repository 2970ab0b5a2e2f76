#include "replay/engine/explanation/attribution.h"

#include "replay/engine/clocks/readings.h"
#include <algorithm>
#include <utility>

namespace timeless::replay {

namespace {

constexpr std::uint32_t computation = 0; ///< among calls

} // namespace

Attributor::Attributor(const ReplayOptions& options, Clocks& clocks, std::size_t ranks)
    : by_(options.attribute), clocks_(clocks), ranks_(ranks), calls_{{"computation", computation}},
      bytes_left_(options.attribution_bytes), part_bytes_(part_bytes(options, clocks.model.lanes())) {
  for (OfRank& rank : ranks_)
    rank.lanes = list();
}

std::size_t Attributor::part_bytes(const ReplayOptions& options, std::size_t lanes) {
  // Of networks where clocks have fewer counters, too.
  constexpr std::size_t most_counters = 5;
  // CountedBefore's sums: those of now, those that are kept, and their difference.
  constexpr std::size_t sums = 3 * 2 * sizeof(double);
  const std::size_t of_counter = sizeof(double) + (options.jumps == Jumps::none ? 0 : sums);
  return sizeof(Part) + sizeof(AttributedTimes) + most_counters * lanes * of_counter + lanes * sizeof(RankTimes);
}

std::unique_ptr<double[]> Attributor::list() {
  return std::make_unique<double[]>(list_length());
}

std::uint32_t Attributor::subject(const trace::Action& action) {
  if (by_ == AttributeBy::kernels) return trace::has_volume(action.kind) ? action.kernel : same_as_before;
  if (trace::has_volume(action.kind)) return computation;
  const bool waits = action.kind == trace::ActionKind::thread_await;
  if ((!trace::is_call(action.kind) && !waits) || action.kind == trace::ActionKind::finalize) return same_as_before;
  return calls_.try_emplace(trace::mpi_name(action), static_cast<std::uint32_t>(calls_.size())).first->second;
}

void Attributor::make_room(std::size_t ranks) {
  while (ranks_.size() < ranks)
    ranks_.emplace_back().lanes = list();
}

void Attributor::enter_block(std::size_t rank, std::span<const trace::Action> dictionary, bool known,
                             Program& program) {
  OfRank& of = ranks_[rank];
  of.counted_to = 0;
  if (known) return;
  of.subjects.clear();
  of.counts.clear();
  for (const trace::Action& action : dictionary) {
    of.subjects.push_back(subject(action));
    of.counts.push_back(of.subjects.back() != same_as_before && !trace::of_workers(action.kind));
  }
  if (by_ == AttributeBy::kernels)
    for (Operation& operation : program.operations)
      if (operation.step == Step::compute) operation.step = Step::compute_in_kernel;
}

void Attributor::count_to(std::size_t rank, std::span<const std::uint32_t> sequence, std::size_t position) {
  OfRank& of = ranks_[rank];
  if (of.counted_to >= position) return;
  const auto stretch = sequence.subspan(of.counted_to, position - of.counted_to);
  of.counted_to = position;
  scratch_.resize(std::max(scratch_.size(), of.subjects.size()));
  for (const std::uint32_t entry : stretch)
    ++scratch_[entry];
  for (const std::uint32_t entry : stretch)
    if (const std::uint64_t count = std::exchange(scratch_[entry], 0); count > 0 && of.counts[entry])
      part(of, of.subjects[entry]).count += count;
}

Attributor::Part& Attributor::part(OfRank& rank, std::uint32_t subject) {
  const auto found = rank.parts.find(subject);
  if (found != rank.parts.end()) return found->second;
  if (bytes_left_ < part_bytes_ && subject != other_subjects) {
    crowded_ = true;
    return part(rank, other_subjects);
  }
  bytes_left_ -= std::min(bytes_left_, part_bytes_);
  Part& made = rank.parts[subject];
  made.place = parts_++;
  return made;
}

Attributor::Scalars Attributor::scalars(const Clock& clock) {
  return {.volume = clock.volume_folded + clock.volume,
          .copied = clock.copied_folded + clock.copied,
          .overhead = clock.overhead_folded + clock.overhead,
          .reduced = clock.reduced};
}

void Attributor::change(std::size_t rank, std::uint32_t subject) {
  settle(rank);
  ranks_[rank].subject = subject;
}

/// Adds what the clock has counted since the last time to the subject of that time.
void Attributor::settle(std::size_t rank) {
  OfRank& of = ranks_[rank];
  const Clock& clock = clocks_[rank];
  const Scalars now = scalars(clock);
  const double volume = now.volume - std::exchange(of.counted.volume, now.volume);
  Part& here = part(of, of.subject);
  // Computing is no call, even where it came before one in the same breath.
  if (volume != 0) part(of, by_ == AttributeBy::calls ? computation : of.subject).scalars.volume += volume;
  here.scalars.copied += now.copied - std::exchange(of.counted.copied, now.copied);
  here.scalars.overhead += now.overhead - std::exchange(of.counted.overhead, now.overhead);
  here.scalars.reduced += now.reduced - std::exchange(of.counted.reduced, now.reduced);
  const std::size_t length = list_length();
  if (std::equal(clock.counters, clock.counters + length, of.lanes.get())) return;
  if (!here.counters) here.counters = list();
  for (std::size_t i = 0; i < length; ++i) {
    here.counters[i] += clock.counters[i] - of.lanes[i];
    of.lanes[i] = clock.counters[i];
  }
}

void Attributor::settle_all() {
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank)
    settle(rank);
}

void Attributor::follow(std::size_t rank) {
  OfRank& of = ranks_[rank];
  of.counted = scalars(clocks_[rank]);
  std::copy_n(clocks_[rank].counters, list_length(), of.lanes.get());
}

/// Makes the parts of one rank and lane add up to its times.
void Attributor::close(AttributedTimes* first, AttributedTimes* last, std::size_t lane, const RankTimes& total) const {
  std::vector<double> values(static_cast<std::size_t>(last - first));
  for (double RankTimes::*const counter : rank_counters) {
    std::transform(first, last, values.begin(), [&](const AttributedTimes& part) { return part.lanes[lane].*counter; });
    close_sum(values, total.*counter);
    for (std::size_t i = 0; i < values.size(); ++i)
      first[i].lanes[lane].*counter = values[i];
  }
  for (; first != last; ++first) {
    first->lanes[lane].end = 0;
    for (double RankTimes::*const counter : rank_counters)
      first->lanes[lane].end += first->lanes[lane].*counter;
  }
}

/// Numbers calls by their names: the order in which they were met depends on which rank was run first.
void Attributor::name_calls(Attribution& attribution) const {
  attribution.calls.emplace_back("computation");
  std::vector<std::uint32_t> places(calls_.size());
  for (const auto& [name, number] : calls_) {
    if (number == computation) continue;
    places[number] = static_cast<std::uint32_t>(attribution.calls.size());
    attribution.calls.push_back(name);
  }
  for (AttributedTimes& part : attribution.parts)
    if (part.subject < places.size()) part.subject = places[part.subject];
}

/// Returns the part's times as a clock has them that has counted nothing else.
std::vector<RankTimes> Attributor::times_of(std::size_t rank, Part& part, std::size_t lanes) {
  if (!part.counters) part.counters = list();
  const Clock& clock = clocks_[rank];
  const Clock alone{.base = clock.base,
                    .seconds_per_unit = clock.seconds_per_unit,
                    .volume_folded = part.scalars.volume,
                    .copied_folded = part.scalars.copied,
                    .overhead_folded = part.scalars.overhead,
                    .reduced = part.scalars.reduced,
                    .counters = part.counters.get()};
  std::vector<RankTimes> all;
  for (std::size_t lane = 0; lane < lanes; ++lane)
    all.push_back(times(clocks_.model, alone, lane));
  return all;
}

namespace {

void add(std::vector<RankTimes>& to, const std::vector<RankTimes>& more) {
  to.resize(more.size());
  for (std::size_t lane = 0; lane < more.size(); ++lane)
    for (double RankTimes::*const counter : rank_counters)
      to[lane].*counter += more[lane].*counter;
}

} // namespace

Attributor::Parts Attributor::counted(std::size_t thread, std::size_t lanes) {
  settle(thread);
  Parts all = ranks_[thread].beyond;
  for (auto& [subject, part] : ranks_[thread].parts)
    add(all[subject], times_of(thread, part, lanes));
  return all;
}

void Attributor::take_over(std::size_t thread, const Parts& other, const std::vector<bool>& lanes) {
  OfRank& of = ranks_[thread];
  const Parts now = counted(thread, lanes.size());
  for (const Parts* parts : {&now, &other})
    for (const auto& [subject, times] : *parts)
      of.beyond[subject].resize(lanes.size());
  for (auto& [subject, beyond] : of.beyond)
    for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
      if (!lanes[lane]) continue;
      const auto has = now.find(subject);
      const auto had = other.find(subject);
      for (double RankTimes::*const counter : rank_counters)
        beyond[lane].*counter +=
            (had == other.end() ? 0 : had->second[lane].*counter) - (has == now.end() ? 0 : has->second[lane].*counter);
    }
}

void Attributor::unite(std::size_t rank, const std::vector<std::uint32_t>& threads,
                       const std::vector<std::uint32_t>& last) {
  Parts all;
  for (const std::uint32_t thread : threads) {
    const Parts one = counted(thread, last.size());
    for (const auto& [subject, times] : one) {
      auto& here = all[subject];
      here.resize(last.size());
      for (std::size_t lane = 0; lane < last.size(); ++lane)
        if (last[lane] == thread) here[lane] = times[lane];
    }
    if (thread == rank) continue;
    for (const auto& [subject, part] : ranks_[thread].parts)
      this->part(ranks_[rank], subject).count += part.count;
  }
  ranks_[rank].united = std::move(all);
}

Attribution Attributor::result(std::size_t lanes, trace::Rank first, std::size_t ranks, const Total& total) {
  Attribution attribution{.by = by_, .calls = {}, .parts = {}};
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    settle(rank);
    const Clock& clock = clocks_[rank];
    if (clock.start > 0)
      attribution.parts.push_back({.rank = first + static_cast<trace::Rank>(rank),
                                   .subject = before_start,
                                   .count = 0,
                                   .lanes = std::vector<RankTimes>(lanes, {.start = clock.start})});
    OfRank& of = ranks_[rank];
    if (of.united)
      for (const auto& [subject, times] : *of.united)
        part(of, subject);
    for (auto& [subject, part] : of.parts) {
      attribution.parts.push_back({.rank = first + static_cast<trace::Rank>(rank),
                                   .subject = subject,
                                   .count = part.count,
                                   .lanes = of.united ? (*of.united)[subject] : times_of(rank, part, lanes)});
      attribution.parts.back().lanes.resize(lanes);
      part.counters.reset();
    }
    ranks_[rank] = {};
  }
  if (by_ == AttributeBy::calls) name_calls(attribution);
  // What says nothing: a rank whose first action was a call has no part before it.
  std::erase_if(attribution.parts, [](const AttributedTimes& part) {
    const auto idle = [](const RankTimes& times) {
      return std::ranges::all_of(rank_counters, [&](double RankTimes::*counter) { return times.*counter == 0; });
    };
    return part.count == 0 && std::ranges::all_of(part.lanes, idle);
  });
  std::ranges::sort(attribution.parts, {},
                    [](const AttributedTimes& part) { return std::pair(part.rank, part.subject); });
  for (std::size_t begin = 0; begin < attribution.parts.size();) {
    AttributedTimes* const parts = attribution.parts.data() + begin;
    const trace::Rank rank = parts->rank;
    std::size_t count = 1;
    while (begin + count < attribution.parts.size() && parts[count].rank == rank)
      ++count;
    for (std::size_t lane = 0; lane < lanes; ++lane)
      close(parts, parts + count, lane, total(static_cast<std::size_t>(rank - first), lane));
    begin += count;
  }
  return attribution;
}

} // namespace timeless::replay
