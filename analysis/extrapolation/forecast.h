#pragma once

#include "analysis/extrapolation/patterns.h"
#include "analysis/scaling/law.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

/// What a figure comes to on more ranks.
namespace timeless::analysis {

/// The fewest runs that a law is from, the one that it is checked with among them.
inline constexpr std::size_t fewest_runs_of_law = 3;

/// A figure at the target, by a law that is from all runs but the largest, and was checked with that.
struct Forecast {
  bool exact = false; ///< all ranks of a run have the same, the law meets all runs, and says one whole number
  std::uint64_t value = 0;
  double error = 0;         ///< how far off the value may be, where it is not exact
  std::string law = {};     ///< as a formula; empty where there is none
  std::string because = {}; ///< why it is not exact
};

/// Finds laws of figures; those of equal figures once.
class Forecaster {
public:
  /// Forecasts for `target` ranks from runs of these, rising. `constants_only`: nothing says how the ranks' grids grow,
  /// so that no figure may change with the number of ranks.
  Forecaster(std::vector<double> ranks, double target, bool constants_only)
      : ranks_(std::move(ranks)), target_(target), constants_only_(constants_only) {}

  /// Returns the forecast of a figure from the runs that have it, three or more.
  const Forecast& operator()(const FigureSpans& figure);

private:
  struct Search {
    LawSearch but_largest;
    ScalePlace largest;
  };

  Forecast find(const FigureSpans& figure);
  Forecast by_law(const std::vector<std::size_t>& runs, const std::vector<double>& means);
  Search& search(const std::vector<std::size_t>& runs);

  std::vector<double> ranks_;
  double target_;
  bool constants_only_;
  std::map<std::vector<std::size_t>, std::unique_ptr<Search>> searches_; ///< by the runs they are from
  std::map<std::vector<std::uint64_t>, Forecast> known_;
};

} // namespace timeless::analysis
