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

  trace::Rank size() const { return static_cast<trace::Rank>(members->size()); }
};

/// What a partner is to a rank: all of some relations that hold at once, such as "rank 1", "the next rank", "the next
/// in the grid's last side", "the rank whose number differs in bit 0". What further ranks do leaves fewer of them.
class PeerRelation {
public:
  /// Finds what holds. Values below 0, which name no rank, are related to nothing but themselves.
  PeerRelation(const CommunicatorView& communicator, trace::Rank peer);

  /// Keeps the relations that hold in both; returns false, and keeps all, if there would be none.
  bool keep_common(const PeerRelation& other);
  /// Returns the ranks that the relations name for another rank: one, if they agree; none, if some name nobody.
  std::set<trace::Rank> peers(const CommunicatorView& communicator) const;
  bool operator==(const PeerRelation&) const = default;

private:
  enum Way : std::size_t { absolute, from_end, next, around, around_back, bits, in_grid, wrapped };
  static constexpr std::size_t ways = wrapped + (std::size_t{1} << most_grid_sides);
  using Value = std::array<int, most_grid_sides>;

  std::optional<trace::Rank> apply(std::size_t way, const Value& value, const CommunicatorView& communicator) const;

  std::optional<trace::Rank> special_ = {};
  std::array<std::optional<Value>, ways> values_ = {};
};

} // namespace timeless::analysis
