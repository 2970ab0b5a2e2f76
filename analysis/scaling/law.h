#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace timeless::analysis {

/// What a figure of a run may depend on: the number of ranks, and a size that somebody has given (1 where none has).
struct ScalePlace {
  double ranks = 1;
  double size = 1;
  bool operator==(const ScalePlace&) const = default;
};

/// x^(numerator/denominator) log2(x)^logs, of the ranks or of the size.
struct ScaleFactor {
  int numerator = 0;
  int denominator = 1;
  int logs = 0;
  int rounded = 0; ///< the logarithm, which stands once: 1 up, -1 down, as the stages of trees are; 0: as it is

  bool one() const { return numerator == 0 && logs == 0; }
  long double at(double x) const;
  bool operator==(const ScaleFactor&) const = default;
};

/// What depends on the sides of the grid that MPI_Dims_create makes of the ranks: most alike, the longest first. In two
/// dimensions 1/a of the sides a x b is as much of a rank's edge, in three 1/(x y) as much of its surface.
struct ScaleGrid {
  int dimensions = 0;                ///< 2 or 3; 0: not of a grid
  std::array<int, 3> exponents = {}; ///< of each side, -1, 0 or 1
  bool sum = false;                  ///< over all ways to give these exponents to the sides

  bool one() const { return dimensions == 0; }
  long double at(double ranks) const;
  bool operator==(const ScaleGrid&) const = default;
};

/// Returns the sides of the grid of so many ranks, the longest first: those whose longest is least.
std::array<std::uint64_t, 3> balanced_grid(std::uint64_t ranks, int dimensions);

/// A product of a factor of the ranks, one of the size and one of the ranks' grid.
struct ScaleTerm {
  ScaleFactor ranks = {};
  ScaleFactor size = {};
  ScaleGrid grid = {};

  bool one() const { return ranks.one() && size.one() && grid.one(); }
  long double at(const ScalePlace& place) const;
  /// Returns how far the term is from what programs mostly do: 0 for a constant, 1 for P or 1/P, more for roots and
  /// logarithms. Among laws that fit equally well it decides which is named first.
  int complexity() const;
  bool operator==(const ScaleTerm&) const = default;
};

/// Returns the product of two terms; nothing where no term is that.
std::optional<ScaleTerm> product(const ScaleTerm& left, const ScaleTerm& right);

/// Returns whether two terms may stand in one law: sides of a grid in two dimensions and of one in three do not, for no
/// program has both.
bool go_together(const ScaleTerm& left, const ScaleTerm& right);

/// A term with its coefficient.
struct ScalePart {
  ScaleTerm term = {}; ///< that is one: a constant
  double coefficient = 0;

  double at(const ScalePlace& place) const;
};

/// A sum of parts, the performance model normal form of Extra-P (Calotoiu et al., SC13) with negative exponents for
/// what falls: up to three parts, or what the product of two such sums comes to.
struct ScaleLaw {
  std::vector<ScalePart> parts = {};

  double at(const ScalePlace& place) const;
  /// Returns whether it is below 0 there, by more than what its parts are rounded by.
  bool negative_at(const ScalePlace& place) const;
  int complexity() const;
};

/// Returns the sum of two laws.
ScaleLaw sum(const ScaleLaw& left, const ScaleLaw& right);

/// Returns the product of two laws; nothing where no law is that.
std::optional<ScaleLaw> product(const ScaleLaw& left, const ScaleLaw& right);

/// How well a law meets its points.
enum class LawKind : unsigned char {
  none,        ///< nothing fits
  exact,       ///< every point is met within LawSearch::tolerance, with at least one point more than coefficients
  approximate, ///< the least error at points left out
};

/// The largest error, at points left out of the fit or at a check run, with which figures are said to follow a law.
inline constexpr double still_a_law = 0.1;

/// The laws that a figure follows.
struct LawFit {
  LawKind kind = LawKind::none;
  /// Exact, and two points at which its terms differ are left over beside the coefficients, or a check run agreed.
  bool confirmed = false;
  double residual = 0;       ///< of the first law, the largest of all points, relative to the point's value
  double left_out_error = 0; ///< of the first law: SMAPE over points each left out of its fit, from 0 to 2; 0 if exact
  /// A law that fits as well has a part that hardly shows and grows faster than the ranks: it is assumed that there is
  /// no such part.
  bool assumes_no_growth = false;
  std::size_t left_over = 0;       ///< points beside the coefficients of the first law, those at one place counted once
  std::vector<ScaleLaw> laws = {}; ///< all that fit equally well, the simplest first
  ScalePlace least = {};           ///< the fewest ranks and the smallest size that the laws are from
  ScalePlace largest = {};         ///< the most ranks and the largest size

  bool sure() const { return kind == LawKind::exact && confirmed; }
  /// Returns how far a place is beyond those that the laws are from, in spans of these, each by its logarithm: 0 within
  /// them, 1 at 64 ranks of laws from 4 to 16.
  double spans_beyond(const ScalePlace& place) const;
  /// Returns whether all laws are below 0 at a place: whatever they say, the program does something else there.
  bool ends_before(const ScalePlace& place) const;
  /// Returns whether the laws say what is at a place: they are sure, or it is at most half a span beyond, and they do
  /// not end before it.
  bool reaches(const ScalePlace& place) const {
    return (sure() || (kind != LawKind::none && spans_beyond(place) <= 0.5)) && !ends_before(place);
  }
};

/// A figure somewhere, and between what the laws that fit equally well have it.
struct ScalePrediction {
  double value = 0; ///< by the first law that is not negative there
  double low = 0;
  double high = 0;
  bool ended = false;  ///< LawFit::ends_before(): nothing is taken
  bool bounded = true; ///< false by exact laws that are not confirmed, beyond the runs: they may fit by chance
};

/// Returns what the laws say of a place; nothing where there is no law, or each is negative there. The interval is the
/// spread of the laws; of approximate ones widened to the factor (1 + e)^(1 + 2 d), d spans beyond the runs, where e is
/// the left-out error, or that at the check run if larger, times what Student's distribution adds for as few points as
/// are left over beside the coefficients: runs that are e off leave an exponent open by about 2 log(1 + e) over the
/// logarithm of their span.
std::optional<ScalePrediction> predict(const LawFit& fit, const ScalePlace& place);

/// What became of a law at a run that it was not made from.
struct LawCheck {
  bool exact = false;  ///< some law met it within the tolerance
  double residual = 0; ///< of the first law left: (law - measured) / measured
};

/// Returns the law of a figure that is the sum of others, made of the first law of each: as sure as the least sure of
/// them. No law where one of them has none.
LawFit sum(const std::vector<const LawFit*>& fits);

/// Returns the laws of a figure that is the product of two others, with exact laws from the same runs: products of each
/// of theirs, of the simplest sixteen where there are more. No laws where none is a product.
LawFit product(const LawFit& left, const LawFit& right);

/// Checks laws with a further run: of an exact fit those that miss it are dropped if others meet it, and the fit is
/// confirmed; if all miss it, it becomes approximate, and no law where the first misses it by more than still_a_law.
/// Nothing where there is no law.
std::optional<LawCheck> check_laws(LawFit& fit, const ScalePlace& place, double measured, double tolerance);

/// A term with its values at some places.
struct LawColumn {
  ScaleTerm term = {};
  std::vector<long double> values = {};
};

class LawProblem;

/// Finds the laws of figures that were taken at the same places.
///
/// Terms are those of Extra-P's single-parameter search (exponents up to 3 in quarters, thirds, halves and fifths,
/// times log2 to the power 0, 1 or 2), the same with negative exponents and, where ranks and size both vary, the
/// products of one each; sides of the ranks' grids and products of these, where the size varies also what a rank has of
/// the points along them, such as n^(1/2)/a; where the ranks alone vary, for laws that are exact log2 P rounded up or
/// down, alone and times P or 1/P. Sides and stages are terms if they tell the runs apart otherwise than powers do.
/// Laws are searched by rising number of coefficients: one term; two terms, one of which may be a constant; a constant
/// and two terms. The first number with laws that meet all points ends the search; those of that number that do are
/// kept, but for some that do it ten times worse than the best and by more than 1e-9. A law is exact only where there
/// are more different places than it has coefficients.
///
/// Where none is exact, one term with or without a constant is fitted by least squares of relative errors, two terms
/// only from five places on, with a constant from seven on where ranks and size both vary: of so many pairs some meet
/// five points. As Extra-P 4.2 does, the SMAPE of points left out chooses; but it counts half as much
/// again for each step of complexity and twice that for each coefficient after the first, since of hundreds of terms
/// some fit a few noisy points by chance. Laws that come within half above the least are kept, the best first.
/// ASSUMED, unless a law is exact and confirmed, or a further run may do so: a part that is nowhere more than half a
/// per cent of the value does not grow faster than the ranks. Extra-P 4.2 leaves out any term that is nowhere more than
/// 0.05 % of the value; what MPI_Init leaves to a kernel has been seen to differ by 0.17 % from run to run.
/// LawFit::assumes_no_growth says where the assumption chose.
///
/// Figures are sums of what ranks do, so a law that is below 0 at a place that is asked for holds not so far. Such laws
/// are not chosen, but where all that are exact and confirmed are so: see LawFit::ends_before().
class LawSearch {
public:
  /// Begins a search whose laws are exact within `tolerance`, relative to each point's value. Throws Error(usage) with
  /// fewer than two different places, and for ranks or sizes that are not positive numbers.
  /// Laws of values that are not negative are to be so at the `asked` places, too. `dimensions`: of the ranks' grid, 2
  /// or 3; where it is not known, 0, sides of either are tried.
  explicit LawSearch(std::vector<ScalePlace> places, double tolerance = 1e-7, std::vector<ScalePlace> asked = {},
                     int dimensions = 0);

  /// Returns the laws of these values, one for each place; of values that are all 0 the constant 0. `most`, if not
  /// empty: what can be at each of the `asked` places; laws above that are left out as those below 0 are. Throws
  /// Error(usage) for another number of values, or one that is no finite number.
  LawFit fit(std::span<const double> values, std::span<const double> most = {}) const;
  /// Returns the laws that nothing else checks: exact ones that are not confirmed are not taken where they have a part
  /// that hardly shows and grows faster than the ranks, see above.
  LawFit fit_unchecked(std::span<const double> values, std::span<const double> most = {}) const;
  /// Returns the approximate laws of these values, whether or not some are exact.
  LawFit fit_approximately(std::span<const double> values, std::span<const double> most = {}) const;
  /// Returns whether a law is below 0, or above `most`, at one of the `asked` places.
  bool impossible_where_asked(const ScaleLaw& law, std::span<const double> most) const;

  double tolerance() const { return tolerance_; }

private:
  std::vector<LawColumn> columns(const std::vector<ScaleFactor>& ranks, const std::vector<ScaleFactor>& sizes) const;
  bool tells_new(const LawColumn& column) const;
  void add_grids(int dimensions, bool sizes);
  void add_stages();
  void add_column(std::vector<LawColumn>& to, const ScaleTerm& term) const;
  void demand_values(std::span<const double> values) const;
  bool confirmed(const ScaleLaw& law) const;
  LawFit exact(const LawProblem& problem, std::span<const double> most) const;
  LawFit approximate(const LawProblem& problem, std::span<const double> most) const;
  LawFit with_range(LawFit found) const;

  std::vector<ScalePlace> places_;
  std::vector<ScalePlace> asked_;
  double tolerance_;
  std::size_t different_ = 0;      ///< places
  std::vector<LawColumn> singles_; ///< terms that may stand alone or beside a constant; the first is the constant
  std::vector<LawColumn> paired_;  ///< terms of which two may stand together, no constant among them
};

} // namespace timeless::analysis
