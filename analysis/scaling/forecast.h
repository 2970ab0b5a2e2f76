#pragma once

#include "analysis/scaling/cell_search.h"
#include "analysis/scaling/law.h"
#include "analysis/scaling/observations.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

/// What a figure comes to on more ranks.
namespace timeless::analysis {

/// The fewest runs that a law is from, the one that it is checked with among them.
inline constexpr std::size_t fewest_runs_of_law = 3;
/// The fewest runs that say of a figure that it is the same on any number of ranks.
inline constexpr std::size_t fewest_runs_of_constant = 2;

/// A figure on the ranks of a class at the target.
struct TargetFigure {
  std::uint64_t value = 0;               ///< on some rank; on all, unless they have shares
  std::optional<ShareLaw> by_share = {}; ///< where ranks of a class have different values
  std::optional<CellTag> by_tag = {};    ///< the same of a tag

  /// Returns whether the figure may change from trip to trip.
  bool by_trip() const { return by_tag || (by_share && by_share->cells); }
  /// Returns the figure on a rank of the target's grid, in a trip of the loop around.
  std::uint64_t on(const RankGrid& grid, trace::Rank rank, std::uint64_t trip) const;
};

/// What is said of a figure at the target, by a law that is from all runs but the largest, and was checked with that.
struct Forecast {
  bool exact = false; ///< the law meets all ranks of all runs, and says one whole number
  TargetFigure there = {};
  double miss = 0;  ///< how far the law misses runs that it is not from, grown to the target
  double error = 0; ///< how far off the value may be, where it is not exact: no bound, but the largest of
                    ///< `miss` and of how far other laws, about as good, are from it
  double spread =
      0; ///< where it is not exact: how far ranks with the same shares are from their mean, relative, root mean square
  std::string law = {};     ///< as a formula; empty where there is none
  std::string because = {}; ///< why it is not exact
  std::size_t parts = 1;    ///< of the law
  bool even = false;        ///< the law takes it that all ranks of the target have equal shares, as they do in the runs
};

/// Finds laws of figures by the number of ranks, and forecasts the figures of the target by them.
///
/// Call learn_points() with all figures that are multiples of points, then of_class() before the figures of each class
/// of ranks. A law is looked for once for equal figures of a class. Not thread-safe.
class Forecaster {
public:
  /// Forecasts for a target's grid from runs of these, of rising numbers of ranks. `constants_only`: nothing says how
  /// the ranks' grids grow, so that figures may change with a rank's share only. `by_cells`: figures may be of one
  /// cell. `of_means`: figures that differ between ranks with the same shares are forecast by their mean.
  Forecaster(const std::vector<RankGrid>& grids, const RankGrid& target, bool constants_only, bool by_cells,
             bool of_means = false);

  /// Learns from a figure how many points are shared out along the sides. To be called with all figures that are whole
  /// multiples of what a point takes, bytes, before any are forecast.
  void learn_points(const std::vector<Observation>& figure);
  /// Learns the same of cells from the largest volumes, where bytes have not told. To be called after all bytes.
  void learn_points_roughly(const std::vector<Observation>& volumes);
  /// Sets the ranks of the target that figures are forecast for from now on.
  void of_class(const std::vector<trace::Rank>& ranks);
  /// Returns the forecast of a figure from the runs that have it, three or more, in a loop of so many trips. `others`:
  /// the same figure of the ranks in another position, whose cells may tell more.
  const Forecast& operator()(FigureId figure, const FigureTable& figures, std::uint64_t trips = 1,
                             FigureId others = no_observations);
  /// Returns whether a forecast has been asked for that takes all ranks to have equal shares (Forecast::even).
  bool took_shares_for_even() const { return took_shares_for_even_; }
  /// Returns the forecast of a tag that is not the same everywhere.
  Forecast tag(FigureId figure, const FigureTable& figures, std::uint64_t trips) const;

private:
  struct Search {
    LawSearch but_largest;
    ScalePlace largest;
  };
  /// The observations of a figure, by run.
  struct Spans {
    std::vector<std::size_t> runs = {}; ///< that have it
    std::vector<double> means = {};
    std::vector<double> spreads = {}; ///< the largest differences from a mean
  };

  static Spans spans(const std::vector<Observation>& figure);
  double spread_there(const Spans& of) const;
  Forecast find(const std::vector<Observation>& figure, std::uint64_t trips);
  void doubt_even_shares(Forecast& forecast, double there, double shared, double recorded) const;
  Forecast inexact(const std::vector<Observation>& figure, std::uint64_t trips, Forecast own);
  std::vector<Observation> averaged(const std::vector<Observation>& figure) const;
  Forecast nearly_constant(const Spans& of) const;
  Forecast by_law(const std::vector<std::size_t>& runs, const std::vector<double>& means);
  Forecast more_likely(const Forecast& by_shares, Forecast by_ranks) const;
  double farthest_apart(const ShareLaws& found, std::uint64_t trips) const;
  Spans misses(const ShareLaw& law, const std::vector<Observation>& figure) const;
  std::optional<Forecast> by_shares(const ShareLaws& found, const std::vector<Observation>& figure,
                                    std::uint64_t trips);
  std::optional<Forecast> by_cells_of_all(const std::vector<Observation>& figure,
                                          const std::vector<Observation>& others, std::uint64_t trips);
  Search& search(const std::vector<std::size_t>& runs);
  std::vector<SharedPoints> candidates() const;
  const std::set<Shares>& target_shares(const ShareLaw& law, std::uint64_t trips);
  template <typename Visit>
  void for_each_target(std::uint64_t trips, Visit visit) const;

  std::vector<double> ranks_;
  RankGrid target_;
  double uneven_ = 0; ///< how much more than the mean a rank of the target may have of what the runs share out evenly
  bool took_shares_for_even_ = false;
  bool constants_only_;
  bool of_means_;
  ShareSearch by_share_;
  CellSearch by_cell_;
  std::array<std::set<std::uint64_t>, most_grid_sides> points_ = {}; ///< by side, those that explain all learned from
  std::vector<trace::Rank> class_ = {};
  std::map<SharedPoints, std::set<Shares>> class_shares_;
  std::set<Shares> cell_shares_;                                            ///< of the law asked for last
  std::map<std::vector<std::size_t>, std::unique_ptr<Search>> searches_;    ///< by the runs they are from
  std::map<std::tuple<FigureId, std::uint64_t, FigureId>, Forecast> known_; ///< of the class, by trips
};

} // namespace timeless::analysis
