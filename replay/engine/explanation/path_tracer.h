#pragma once

#include "base/bytes.h"
#include "replay/engine/clocks/clocks.h"
#include "replay/engine/explanation/path_repeats.h"
#include "replay/options/options.h"

#include <bit>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace timeless::replay {

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
/// Where a replay has cuts, a node stands at each for every one that some moment held (`of_cut`), from which the paths
/// then lead on, and times count from there (PathFrame). Where iterations are jumped over, such a node says what was
/// (PathJump); what was on the path in between is told when the path is asked for, as far as the limit lets it.
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

  // Where the replay has cuts:
  /// Lets paths lead on from this cut. `held` are the numbers of all moments that are held, in an order that depends on
  /// the run alone; their times have just been brought from the last cut to this one, by `shift`. Times now count from
  /// `frame`.
  using Shift = std::function<double(std::size_t number, double value)>;
  void cut(std::span<double* const> held, const Shift& shift, const PathFrame& frame);
  /// Returns the place of a moment's node among those of the cut, from 1; 0 where it has none.
  std::uint32_t place_at_cut(double node) const;
  /// Calls put(word) for what the paths from the cut on depend on, of its nodes and of those of the ranks; until one
  /// call returns false. Returns whether none did.
  template <typename Put>
  bool give_state(Put&& put) const;
  /// Returns the number of the cut.
  std::uint32_t last_cut() const { return static_cast<std::uint32_t>(frames_.size() - 1); }
  /// Returns what came on the paths since another cut, before which ranks had done so many actions; null where some
  /// path did not lead through that cut.
  std::shared_ptr<const PathPeriod> since(std::uint32_t cut, const std::vector<std::uint64_t>& actions) const;
  /// Lets all paths lead through periods that follow the cut, and end with its state again.
  void jump(std::span<double* const> held, PathJump jump);

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
    // Where there are cuts:
    std::uint32_t frame = 0;   ///< which its times count from
    std::uint32_t of_cut = 0;  ///< its place among those of a cut, from 1: it stands for the one before
    std::uint32_t repeats = 0; ///< of those: jumps_ of which the path leads through the last, from 1
  };

  static std::uint32_t index(double node);
  std::uint32_t make(const Node& node);
  static double number_of(trace::Rank rank, std::uint32_t place);
  void put(std::size_t number, std::uint32_t index);
  void drop();
  void mark();
  void mark_path(std::uint32_t place);
  void forget_half();
  double absolute_time(const Node& node) const { return frames_[node.frame].absolute(node.at).time; }
  bool is_node(double node) const {
    return index(node) != none && number_of(nodes_[index(node)].rank, index(node)) == node;
  }
  void let_hold(std::span<double* const> held, const std::vector<std::uint32_t>& nodes);
  bool add(PathPiece& piece, const PathNode& node) const;
  bool add_jump(PathPiece& piece, const Node& node) const;

  Clocks& clocks_;
  int self_ = 0;
  std::function<void(int, std::uint32_t)> tell_dropped_;
  std::size_t most_nodes_;
  std::size_t most_listed_;         ///< of a path through jumps, when it is asked for
  std::vector<Node> nodes_{Node{}}; ///< the first one is none
  std::vector<std::uint32_t> free_;
  std::size_t drop_at_;
  std::vector<double> last_;                   ///< by clock: the last node when it was looked at
  std::vector<PathFrame> frames_{PathFrame{}}; ///< by cut, after the beginning of the run
  std::vector<std::uint32_t> at_cut_;          ///< the nodes of the cut, while it is one
  std::vector<std::uint32_t> instead_; ///< by node: the one that is to be held instead; all none but while that is done
  std::vector<PathJump> jumps_;
};

template <typename Put>
bool PathTracer::give_state(Put&& put) const {
  const auto of_departure = [&](const Node& node) {
    return node.kind == Kind::arrival ||
           (put(std::bit_cast<std::uint64_t>(node.at.first)) && put(std::bit_cast<std::uint64_t>(node.at.second)));
  };
  for (const std::uint32_t place : at_cut_) {
    const Node& node = nodes_[place];
    const std::uint64_t flags = (node.collective ? 1U : 0U) | (node.forgot ? 2U : 0U);
    if (!put(static_cast<std::uint64_t>(node.rank)) || !put(static_cast<std::uint64_t>(node.kind)) || !put(flags) ||
        !of_departure(node))
      return false;
  }
  for (const double last : last_)
    if (!put(place_at_cut(last))) return false;
  return true;
}

} // namespace timeless::replay
