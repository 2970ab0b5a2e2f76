#include "analysis/sweep/cost_search.h"

#include <iterator>
#include <optional>
#include <vector>

namespace timeless::analysis {

namespace {

using replay::Variation;

/// A cost whose factor is looked for, and the path's seconds that grow with it.
struct Cost {
  double Variation::*factor;
  double replay::Sensitivity::*seconds;
  ToleranceAnswer LaneTolerance::*answer;
};

constexpr Cost searched_costs[] = {
    {&Variation::latency, &replay::Sensitivity::latency, &LaneTolerance::latency},
    {&Variation::byte_time, &replay::Sensitivity::bandwidth, &LaneTolerance::bandwidth},
    {&Variation::compute, &replay::Sensitivity::compute, &LaneTolerance::compute},
};

/// What the searches want next, as lanes; searches[i] gets the i-th list.
struct Round {
  std::vector<Variation> variations;
  std::vector<std::vector<double>> wanted;
};

Round next_round(const std::vector<ToleranceSearch>& searches, std::size_t lane) {
  Round round;
  for (std::size_t i = 0; i < searches.size(); ++i) {
    round.wanted.push_back(searches[i].wanted());
    for (const double factor : round.wanted.back()) {
      Variation& variation = round.variations.emplace_back(Variation{.lane = lane});
      variation.*searched_costs[i].factor = factor;
    }
  }
  return round;
}

} // namespace

LaneTolerance search_costs(const ReplayVariations& replay, std::size_t lane, const ToleranceOptions& options) {
  std::vector<ToleranceSearch> searches(std::size(searched_costs), ToleranceSearch(options));
  for (Round round = next_round(searches, lane); !round.variations.empty(); round = next_round(searches, lane)) {
    const replay::Result replayed = replay(round.variations);
    auto result = replayed.lanes.begin();
    for (std::size_t i = 0; i < searches.size(); ++i) {
      if (replayed.order_matters) searches[i].doubt("receivers work on messages in the order in which they come");
      for (const double factor : round.wanted[i]) {
        // Costs are linear in the factor, so the path's seconds over the factor are the slope.
        const std::optional<double> slope =
            factor > 0 ? std::optional(result->sensitivity.*searched_costs[i].seconds / factor) : std::nullopt;
        searches[i].add({factor, result->makespan, slope});
        ++result;
      }
      searches[i].end_batch();
    }
  }
  LaneTolerance answer;
  for (std::size_t i = 0; i < searches.size(); ++i)
    answer.*searched_costs[i].answer = searches[i].answer();
  return answer;
}

} // namespace timeless::analysis
