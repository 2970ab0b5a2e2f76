#include "analysis/scaling/cell_shares.h"

#include <fmt/format.h>

#include <cstdlib>
#include <tuple>

namespace timeless::analysis {

namespace {

/// Loops over planes begin at the first, the second or the third plane, from either end.
constexpr int farthest_fixed = 3;

int sign_of_first(const CellCoordinate& one) {
  return one.row != 0 ? one.row : one.column != 0 ? one.column : one.trip;
}

} // namespace

int CellCoordinate::at(const RankGrid& square, trace::Rank rank, std::uint64_t trips) const {
  const auto p = static_cast<int>(square.sides.front().extent);
  const GridPlace place = square.place(rank);
  const int sum =
      row * place[0] + column * place[1] + trip * static_cast<int>(trips % static_cast<std::uint64_t>(p)) + fixed;
  return ((sum % p) + p) % p;
}

std::string CellCoordinate::text() const {
  std::string sum;
  for (const auto& [factor, name] : {std::pair{row, 'r'}, std::pair{column, 'c'}, std::pair{trip, 't'}})
    if (factor != 0)
      sum += fmt::format("{}{}", sum.empty() ? (factor < 0 ? "-" : "") : factor < 0 ? " - " : " + ", name);
  if (fixed != 0) sum += fmt::format(" {} {}", fixed < 0 ? '-' : '+', std::abs(fixed));
  return fmt::format("({}) mod p", sum);
}

std::optional<int> square_side(const RankGrid& grid) {
  if (grid.sides.size() != 2 || grid.sides[0].extent != grid.sides[1].extent) return std::nullopt;
  return static_cast<int>(grid.sides[0].extent);
}

std::vector<CellCoordinate> cell_coordinates(bool mirrored) {
  std::vector<CellCoordinate> all;
  for (int row = -1; row <= 1; ++row)
    for (int column = -1; column <= 1; ++column)
      for (int trip = -1; trip <= 1; ++trip)
        for (int fixed = -farthest_fixed; fixed <= farthest_fixed; ++fixed) {
          const CellCoordinate one{row, column, trip, fixed};
          if (const int sign = sign_of_first(one); sign > 0 || (mirrored && sign < 0)) all.push_back(one);
        }
  return all;
}

Shares CellShares::of(const RankGrid& square, trace::Rank rank, std::uint64_t trip) const {
  const auto p = static_cast<int>(square.sides.front().extent);
  const double whole = static_cast<double>(points) / p;
  Shares shares{whole, whole, whole};
  for (std::size_t i = 0; i < coordinates.size(); ++i) {
    shares[i] += static_cast<double>(around);
    const int at = coordinates[i].at(square, rank, trip);
    if (at == 0) shares[i] -= static_cast<double>(boundary);
    if (at == p - 1) shares[i] -= static_cast<double>(boundary);
  }
  return shares;
}

std::string CellShares::text() const {
  if (around > 0)
    return fmt::format("s1, s2: points of a cell along a side, of {} points a side, and {} around it", points, around);
  return fmt::format("s1, s2: points of a cell along {} and {}, s3: along a side, of {} points a side{}",
                     coordinates[0].text(), coordinates[1].text(), points,
                     boundary == 0 ? "" : fmt::format(", {} less at the boundary", boundary));
}

} // namespace timeless::analysis
