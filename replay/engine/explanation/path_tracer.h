#pragma once

#include "base/bytes.h"
#include "replay/engine/clocks/clocks.h"
#include "replay/options/options.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace timeless::replay {

/// A moment on a path.
struct PathNode {
  /// Whence a path leads on.
  enum class Kind : std::uint8_t { message, collective, arrival };

  Traced at{}; ///< at.node is not used
  std::uint64_t action = 0;
  trace::Rank rank = trace::no_rank;
  Kind kind = Kind::arrival;
  bool collective = false; ///< departed to one, or arrived through one
  bool forgot = false;     ///< what came before
};

/// Some of a path's nodes, from later ones to earlier ones, and where those before them are.
struct PathPiece {
  std::vector<PathNode> nodes;
  int process = -1; ///< that has the one before; -1: the path begins here
  std::uint32_t place = 0;
};

/// Returns a path's nodes, from the first to the last, as what happened between them; `began` is when the clock of the
/// first one's rank did.
std::vector<PathSegment> path_segments(const std::vector<PathNode>& nodes, Overlap overlap, double began);

/// Keeps the paths that led to every moment which may still matter, in a replay of one lane: whatever is later takes
/// its path along, decided by the same comparisons as the times themselves (Traced).
///
/// A path is a list of nodes, each with the one before. A rank sets a *departure* when it sends a message or comes to a
/// collective, and an *arrival* when its time has become that of another's departure. The paths to different moments
/// share their beginnings: they form trees, as the ranks' clocks, messages and collectives hold their last nodes. Nodes
/// that no held moment leads to are dropped whenever their number has doubled, so there are never more than twice as
/// many as on the paths to the moments held: the ranks' recent departures, and one path or few from there back to the
/// beginning, since paths soon join. That path has at most as many nodes as a rank has messages and collectives; should
/// it outgrow the limit all the same, its earlier half is forgotten (but for the sums it came to).
///
/// A moment that another process tells brings its last node along, as a stand-in that knows where the node itself is;
/// the node is kept until the other process says that its stand-in is dropped.
class PathTracer {
public:
  PathTracer(Clocks& clocks, std::size_t ranks, const ReplayOptions& options);
  /// Makes room for so many clocks in all.
  void make_room(std::size_t clocks) { last_.resize(clocks, 0); }

  using Kind = PathNode::Kind;

  /// Notes that `rank`, whose clock is number `number`, sends or comes to a collective now, in this action.
  void depart(std::size_t number, trace::Rank rank, std::uint64_t action, Kind kind);
  /// Notes that the same rank has done an action, or a step of a scheduled collective.
  void look(std::size_t number, trace::Rank rank, std::uint64_t action);

  /// Returns the end of the path to a settled clock, whose rank did `actions` actions.
  PathPiece end_of_path(std::size_t number, trace::Rank rank, std::uint64_t actions) const;
  /// Returns the path to a node, with itself.
  PathPiece path_to(std::uint32_t place) const;

  // With several processes:
  /// Sets this process's number, and what tells another process that a stand-in for one of its nodes is dropped.
  void distribute(int process, std::function<void(int process, std::uint32_t place)> tell_dropped);
  /// Writes the last node of a moment that process `to` is told.
  void send(ByteWriter& words, int to, const double* values);
  /// Reads it, and lets the moment's values hold it.
  void receive(ByteReader& words, int from, double* values);
  /// Notes that another process has dropped its stand-in for this node.
  void release(std::uint32_t place) { --nodes_.at(place).stand_ins; }

private:
  static constexpr std::uint32_t none = 0;
  static constexpr int here = -1;

  struct Node : PathNode {
    std::uint32_t before = none;
    bool held = false;
    // Of a stand-in: the process that told of the node, and the node's place there; and where it belongs.
    int teller = here;
    std::uint32_t place_there = none;
    int owner = here;
    std::uint32_t place_of_owner = none;
    std::uint32_t stand_ins = 0; ///< for this one, in other processes
  };

  static std::uint32_t index(double node);
  std::uint32_t make(const Node& node);
  static double number_of(trace::Rank rank, std::uint32_t place);
  void put(std::size_t number, std::uint32_t index);
  void drop();
  void mark();
  void mark_path(std::uint32_t place);
  void forget_half();

  Clocks& clocks_;
  int self_ = 0;
  std::function<void(int, std::uint32_t)> tell_dropped_;
  std::size_t most_nodes_;
  std::vector<Node> nodes_{Node{}}; ///< the first one is none
  std::vector<std::uint32_t> free_;
  std::size_t drop_at_;
  std::vector<double> last_; ///< by clock: the last node when it was looked at
};

} // namespace timeless::replay
