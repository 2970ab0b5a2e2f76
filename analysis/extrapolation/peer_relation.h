#pragma once

#include "analysis/scaling/rank_grid.h"

#include <array>
#include <cstddef>
#include <optional>
#include <set>
#include <vector>

namespace timeless::analysis {

/// A communicator as one of its members has it.
struct CommunicatorView {
  const RankGrid* grid = nullptr;                    ///< of the whole run
  const std::vector<trace::Rank>* members = nullptr; ///< as ranks of the run
  trace::Rank own = 0;                               ///< this rank, in the communicator

  std::uint64_t trip = 0; ///< of the loop whose trips change with the number of ranks; 0 outside

  trace::Rank size() const { return static_cast<trace::Rank>(members->size()); }
};

/// What a small whole number is, such as a tag or the number of a bit: the same everywhere, or else so much above or
/// below the trip of a loop, the logarithm of the number of ranks or of a side of their grid, or a sum of both.
class CountRelation {
public:
  CountRelation(const CommunicatorView& communicator, int value);

  /// Keeps what holds in both; returns false where nothing does.
  bool keep_common(const CountRelation& other);
  /// Returns the numbers that it names: one, if all that holds agrees.
  std::set<int> values(const CommunicatorView& communicator) const;
  bool operator==(const CountRelation&) const = default;

private:
  static constexpr std::size_t signs = 3;                    ///< of the trip: not at all, added, subtracted
  static constexpr std::size_t scales = 2 + most_grid_sides; ///< nothing, all ranks, each side
  static std::optional<int> scale(std::size_t of, const RankGrid& grid);
  static int trips(std::size_t sign, std::uint64_t trip);

  std::array<std::optional<int>, signs* scales> above_ = {}; ///< the first: the number itself
};

/// What a partner is to a rank: all of some relations that hold at once, such as "rank 1", "the next rank", "the next
/// in the grid's last side", "the rank whose number differs in bit 0", "that across the diagonal of the grid", "rank 1
/// in the first trip, rank 2 in the second". What further ranks and trips do leaves fewer of them.
class PeerRelation {
public:
  /// Finds what holds. Values below 0, which name no rank, are related to nothing but themselves.
  PeerRelation(const CommunicatorView& communicator, trace::Rank peer);

  /// Keeps the relations that hold in both; returns false, and keeps all, if there would be none.
  bool keep_common(const PeerRelation& other);
  /// Drops the relations that name nobody for another rank: programs do otherwise. Returns false, and keeps all, if
  /// there would be none.
  bool keep_possible(const CommunicatorView& communicator);
  /// Returns the ranks that the relations name for another rank: one, if they agree; none, if some name nobody.
  std::set<trace::Rank> peers(const CommunicatorView& communicator) const;
  bool operator==(const PeerRelation&) const = default;

private:
  /// Those of `trip` go with the trip of the loop around: by one rank further on or back in each.
  enum Way : std::size_t {
    absolute,
    from_end,
    next,
    around,
    around_back,
    bits,
    transposed,
    trip_up,
    trip_down,
    trip_from_end,
    trip_around,
    trip_around_back,
    in_grid,
    wrapped
  };
  static constexpr std::size_t ways = wrapped + (std::size_t{1} << most_grid_sides);
  using Value = std::array<int, most_grid_sides>;

  std::set<trace::Rank> peers_by_bit(const CommunicatorView& communicator) const;
  std::optional<trace::Rank> apply(std::size_t way, const Value& value, const CommunicatorView& communicator) const;

  std::optional<trace::Rank> special_ = {};
  std::array<std::optional<Value>, ways> values_ = {};
  std::optional<CountRelation> bit_ = {}; ///< the number of the one bit that differs
};

} // namespace timeless::analysis
