#pragma once

#include "analysis/extrapolation/peer_relation.h"
#include "analysis/scaling/observations.h"
#include "trace/model/action.h"
#include "trace/model/list_memory.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

/// Actions as all ranks of a class do them in all runs.
namespace timeless::analysis {

/// The figures of an action that may differ between runs.
enum class ActionFigure : std::size_t { bytes, receive_bytes, count, receive_count, tag, receive_tag };
inline constexpr std::size_t action_figures = 6;

/// Numbers of communicators that mean the same in all runs; from created_communicator on, those that calls create, in
/// the order in which a rank gets them.
inline constexpr trace::CommunicatorId own_communicator = 1;
inline constexpr trace::CommunicatorId created_communicator = 2;

/// Who does an action.
struct Observer {
  std::uint32_t run = 0;
  trace::Rank rank = 0;
  std::uint64_t trip = 0; ///< of the loop around
};

/// One action of one rank, in numbers that all runs share.
struct SharedAction {
  trace::Action action;               ///< kernels and regions of the largest run, communicators as above
  CommunicatorView communicator = {}; ///< that of the action, where it names one
};

/// An action merged over all ranks of a class, and over all runs, that have it at this position.
struct Pattern {
  trace::Action action = {}; ///< what is the same; peers, bytes and lists are not to be read from it
  std::optional<PeerRelation> peer = {};
  std::optional<PeerRelation> receive_peer = {};
  std::optional<CountRelation> tag = {}; ///< nothing: as the figure says, and nothing else
  std::optional<CountRelation> receive_tag = {};
  std::array<FigureId, action_figures> figures = {}; ///< no_observations where the action lacks it
  bool has_counts = false;
  bool has_receive_counts = false;
};

/// All patterns met. A pattern is the same object for all places where the same came together.
class PatternTable {
public:
  explicit PatternTable(FigureTable& figures) : figures_(figures) {}

  /// Returns the pattern of an action that no other has joined yet. Throws NotUnderstood, without place.
  std::uint32_t first(const SharedAction& action, const Observer& by);
  /// Returns the pattern of what a pattern stands for and this action. Throws NotUnderstood, without place, where they
  /// have nothing in common.
  std::uint32_t join(std::uint32_t pattern, const SharedAction& action, const Observer& by);

  const Pattern& operator[](std::uint32_t number) const { return patterns_[number]; }
  std::size_t size() const { return patterns_.size(); }

private:
  FigureTable& figures_;
  std::deque<Pattern> patterns_;
  trace::ListMemory lists_;
};

} // namespace timeless::analysis
