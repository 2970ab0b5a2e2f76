#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// How much slower a network may become before the program notices: "latency tolerance" (Hoefler, Schneider,
/// Lumsdaine, LogGOPSim, 2010), with bounds that are proved rather than sampled.
///
/// Multiply one cost of a machine, say every latency between nodes, by a factor f. In a model in which messages never
/// wait for their receive, the makespan T(f) is the largest sum of costs along any path through the program; each cost
/// is a convex function of f, so T is convex. Hence, between samples, T lies below the chord of two neighbours and
/// above every tangent and every chord prolonged, and the factor at which T reaches a given value is bracketed. The
/// same holds below 1: how small a cost has to become for the program to gain so much, and whether even none would do.
namespace timeless::analysis {

/// The makespan at one factor.
struct ToleranceSample {
  double factor = 1;
  double makespan = 0; ///< seconds
  /// dT / df, where it is known.
  std::optional<double> slope = std::nullopt;
};

/// What growth of the makespan is looked for, and how closely.
struct ToleranceOptions {
  /// Of the makespan at factor 1: what it grows by; below 0, and above -1, what it shrinks by.
  std::vector<double> growths{0.01, 0.02, 0.05};
  double precision = 1e-3;      ///< stop when the bracket's ends differ by less, relatively
  double largest_factor = 1024; ///< look no further, and no further than 1 over this but for 0
  std::size_t batch = 15;       ///< factors asked for at once
  std::size_t most_batches = 12;
  /// Why T need not be convex, as far as that is known beforehand; empty when it is.
  std::string not_convex_because = {};
};

/// The factor at which the makespan has grown by `growth` lies in [least, most].
struct Tolerance {
  double growth = 0;
  double least = 1;
  double most = std::numeric_limits<double>::infinity();
  /// False: the makespan reaches the growth somewhere between two samples `least` and `most`, and it may do so
  /// earlier between samples that do not show it.
  bool certified = true;
  /// The growth is not reached up to `least`, the largest factor looked at; of one below 0, not even at factor 0.
  bool beyond = false;
};

/// What the samples tell.
struct ToleranceAnswer {
  double makespan = 0;                                   ///< at factor 1
  std::optional<double> makespan_without = std::nullopt; ///< at factor 0, where growths below 0 were looked for
  std::vector<Tolerance> tolerances;
  std::string not_convex_because; ///< empty: all brackets are certified
  std::size_t samples = 0;
};

/// A search that is fed from outside, so that several can share a replay.
class ToleranceSearch {
public:
  /// Throws Error(usage) for growths that are 0, or -1 or less, or a precision that is not above 0.
  explicit ToleranceSearch(ToleranceOptions options);

  /// Returns the factors whose makespans are wanted next; empty when the search is over.
  std::vector<double> wanted() const;
  void add(const ToleranceSample& sample);
  /// Notes why T need not be convex, as has turned out.
  void doubt(const std::string& not_convex_because);
  /// Ends a round of wanted() and add().
  void end_batch();

  ToleranceAnswer answer() const;

private:
  using Samples = std::map<double, ToleranceSample>; ///< by factor

  double target(double growth) const;
  void look_for_concavity();
  Tolerance bracket(double growth) const;
  Tolerance sampled(double growth) const;
  Tolerance certified(double growth) const;
  Tolerance sampled_gain(double growth) const;
  bool narrow(const Tolerance& tolerance) const;
  void want_within(const Tolerance& tolerance, std::size_t count, std::vector<double>& wanted) const;

  ToleranceOptions options_;
  Samples samples_;
  std::string concave_; ///< where the samples contradict convexity; empty when they do not
  std::size_t batches_ = 0;
};

/// Runs a search to its end. `evaluate` gives the samples at some factors, in their order.
ToleranceAnswer find_tolerance(const std::function<std::vector<ToleranceSample>(std::span<const double>)>& evaluate,
                               const ToleranceOptions& options = {});

} // namespace timeless::analysis
