#pragma once

#include "replay/engine/clocks.h"
#include "replay/replay.h"

#include <cstdint>
#include <vector>

namespace timeless::replay {

/// Keeps the paths that led to every moment which may still matter, in a replay of one lane: whatever is later takes
/// its path along, decided by the same comparisons as the times themselves (Traced).
///
/// A path is a list of nodes, each with the one before. A rank sets a *departure* when it sends a message or comes to a
/// collective, and an *arrival* when its time has become that of another's departure. The paths to different moments
/// share their beginnings: they form trees, as the ranks' clocks, messages and meetings hold their last nodes. Nodes
/// that no held moment leads to are dropped whenever their number has doubled, so there are never more than twice as
/// many as on the paths to the moments held: the ranks' recent departures, and one path or few from there back to the
/// beginning, since paths soon join. That path has at most as many nodes as a rank has messages and collectives; should
/// it outgrow the limit all the same, its earlier half is forgotten (but for the sums it came to).
class PathTracer {
public:
  PathTracer(Clocks& clocks, std::size_t ranks, const ReplayOptions& options);

  /// What a rank departs to.
  enum class Kind : std::uint8_t { message, collective, arrival };

  /// `rank`, whose clock is number `number`, sends or comes to a collective now, in this action.
  void depart(std::size_t number, trace::Rank rank, std::uint64_t action, Kind kind);
  /// The same rank has done what it could of an action.
  void look(std::size_t number, trace::Rank rank, std::uint64_t action);

  /// The path to a settled clock, whose rank did `actions` actions.
  std::vector<PathSegment> path(std::size_t number, trace::Rank rank, std::uint64_t actions) const;

private:
  static constexpr std::uint32_t none = 0;

  struct Node {
    Traced at{}; ///< at.node is not used
    std::uint64_t action = 0;
    std::uint32_t before = none;
    trace::Rank rank = trace::no_rank;
    Kind kind = Kind::arrival;
    bool collective = false; ///< departed to one, or arrived through one
    bool forgot = false;     ///< what came before
    bool held = false;
  };

  static std::uint32_t index(double node);
  std::uint32_t make(const Node& node);
  void put(std::size_t number, std::uint32_t index);
  void drop();
  void mark();
  void forget_half();

  Clocks& clocks_;
  bool latency_first_;
  std::size_t most_nodes_;
  std::vector<Node> nodes_{Node{}}; ///< the first one is none
  std::vector<std::uint32_t> free_;
  std::size_t drop_at_;
  std::vector<double> last_; ///< by clock: the last node when it was looked at
};

} // namespace timeless::replay
