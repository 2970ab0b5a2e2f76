#include "replay/result/result.h"

#include "base/error.h"
#include "base/escaping.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <limits>
#include <map>
#include <numeric>

namespace timeless::replay {

std::string waits_for_unrecorded(std::uint64_t waiting, std::uint64_t ranks) {
  return std::to_string(waiting) + " of " + std::to_string(ranks) +
         " ranks wait in the end for what was not recorded: their times end where they begin to wait";
}

namespace {

/// 30 thousand million years; up to there, sums and quotients of times stay numbers.
constexpr double most_seconds = 1e18;

void require_times(const LaneResult& lane) {
  const auto demand = [&](double seconds, std::size_t rank) {
    if (std::abs(seconds) <= most_seconds) return; // nan is not
    throw Error(Failure::invalid_input, fmt::format("no prediction: rank {} would take {:g} s", rank, seconds),
                in_quotes(std::string_view(lane.name)),
                "look for a compute rate, bandwidth, latency or factor that no machine has");
  };
  for (std::size_t rank = 0; rank < lane.ranks.size(); ++rank) {
    demand(lane.ranks[rank].end, rank);
    for (double RankTimes::*const counter : rank_counters)
      demand(lane.ranks[rank].*counter, rank);
  }
}

} // namespace

void find_makespan(LaneResult& lane) {
  require_times(lane);
  const auto last = std::ranges::max_element(lane.ranks, {}, &RankTimes::end);
  if (last == lane.ranks.end()) return;
  lane.makespan = last->end;
  if (!lane.rank_sensitivities.empty())
    lane.sensitivity = lane.rank_sensitivities[static_cast<std::size_t>(last - lane.ranks.begin())];
}

RankTimes mean(const LaneResult& lane) {
  RankTimes average;
  if (lane.ranks.empty()) return average;
  const auto take_mean = [&](double RankTimes::*field) {
    for (const RankTimes& rank : lane.ranks)
      average.*field += rank.*field;
    average.*field /= static_cast<double>(lane.ranks.size());
  };
  take_mean(&RankTimes::end);
  for (double RankTimes::*const field : rank_counters)
    take_mean(field);
  return average;
}

Shares shares(const LaneResult& lane) {
  const RankTimes average = mean(lane);
  if (average.end <= 0) return {};
  const auto percent = [&](double seconds) { return 100 * seconds / average.end; };
  return {.computation = percent(average.compute + average.memory_copy),
          .overhead = percent(average.overhead),
          .wait = percent(average.wait),
          .latency = percent(average.latency),
          .bandwidth = percent(average.bandwidth),
          .files = percent(average.files)};
}

namespace {

/// Changes one of the parts until they add up; false when no value of it does.
bool close_with(double& part, std::span<double> parts, double total) {
  constexpr int most_tries = 16;
  double share = 1; // of what lacks: less once a step went too far
  double before = 0;
  for (int tries = 0; tries < most_tries; ++tries) {
    const double lacks = total - std::accumulate(parts.begin(), parts.end(), 0.0);
    if (lacks == 0) return true;
    if (lacks * before < 0) share /= 2;
    before = lacks;
    const double closer = part + share * lacks;
    // Less than the part's own rounding: the next number, then.
    part = closer != part ? closer : std::nextafter(part, lacks * std::numeric_limits<double>::infinity());
  }
  return false;
}

} // namespace

void close_sum(std::span<double> parts, double total) {
  // One part will do but for ties that are rounded to even numbers alternately.
  std::vector<std::size_t> places(parts.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::ranges::stable_sort(places, std::greater{}, [&](std::size_t place) { return parts[place]; });
  for (const std::size_t place : places)
    if (close_with(parts[place], parts, total)) return;
}

std::vector<AttributedTimes> mean_parts(const Result& result) {
  std::map<std::uint32_t, AttributedTimes> means;
  for (const AttributedTimes& part : result.attribution.parts) {
    AttributedTimes& mean = means[part.subject];
    mean.subject = part.subject;
    mean.count += part.count;
    mean.lanes.resize(result.lanes.size());
    for (std::size_t lane = 0; lane < part.lanes.size(); ++lane) {
      const auto ranks = static_cast<double>(result.lanes[lane].ranks.size());
      for (double RankTimes::*const counter : rank_counters)
        if (ranks > 0) mean.lanes[lane].*counter += part.lanes[lane].*counter / ranks;
      if (ranks > 0 && !result.attributed) mean.lanes[lane].end += part.lanes[lane].end / ranks;
    }
  }
  std::vector<AttributedTimes> parts;
  for (auto& [subject, mean] : means)
    parts.push_back(std::move(mean));
  std::vector<double> values(parts.size());
  for (std::size_t lane = 0; lane < result.lanes.size(); ++lane) {
    if (result.lanes[lane].ranks.empty()) continue; // it ended in a deadlock
    const RankTimes total = mean(result.lanes[lane]);
    for (double RankTimes::*const counter : rank_counters) {
      std::ranges::transform(parts, values.begin(), [&](const auto& part) { return part.lanes[lane].*counter; });
      close_sum(values, total.*counter);
      for (std::size_t i = 0; i < parts.size(); ++i)
        parts[i].lanes[lane].*counter = values[i];
    }
    for (AttributedTimes& part : parts)
      for (double RankTimes::*const counter : rank_counters)
        part.lanes[lane].end += part.lanes[lane].*counter;
  }
  return parts;
}

void SteadyReport::add(const SteadyReport& further) {
  const std::optional<Sampled> estimated = sampled ? sampled : further.sampled;
  if (further.actions < actions) *this = further;
  sampled = estimated;
}

} // namespace timeless::replay
