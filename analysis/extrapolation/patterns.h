#pragma once

#include "analysis/extrapolation/peer_relation.h"
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

/// The values that a figure has on the ranks of one run.
struct FigureSpan {
  std::uint64_t ranks = 0; ///< that have it; 0: the run has no rank of this class
  std::uint64_t sum = 0;
  std::uint64_t least = 0;
  std::uint64_t most = 0;

  void add(std::uint64_t value);
  void add(const FigureSpan& other);
  bool operator==(const FigureSpan&) const = default;
};

/// A figure over the runs.
using FigureSpans = std::vector<FigureSpan>;

/// The figures of an action that may differ between runs.
enum class ActionFigure : std::size_t { bytes, receive_bytes, count, receive_count };
inline constexpr std::size_t action_figures = 4;

/// Numbers of communicators that mean the same in all runs; from created_communicator on, those that calls create, in
/// the order in which a rank gets them.
inline constexpr trace::CommunicatorId own_communicator = 1;
inline constexpr trace::CommunicatorId created_communicator = 2;

/// One action of one rank, in numbers that all runs share.
struct SharedAction {
  trace::Action action;               ///< kernels and regions of the largest run, communicators as above
  CommunicatorView communicator = {}; ///< that of the action, where it names one
};

/// An action, as all that came to this place in the ranks' sequences have it.
struct Pattern {
  trace::Action action = {}; ///< what is the same; peers, bytes and lists are not to be read from it
  std::optional<PeerRelation> peer = {};
  std::optional<PeerRelation> receive_peer = {};
  std::array<FigureSpans, action_figures> figures = {}; ///< empty where the action lacks it
  bool has_counts = false;
  bool has_receive_counts = false;
};

/// All patterns met. A pattern is the same object for all places where the same came together.
class PatternTable {
public:
  explicit PatternTable(std::size_t runs) : runs_(runs) {}

  /// Returns the pattern of an action that no other has joined yet. Throws NotUnderstood, without place.
  std::uint32_t first(const SharedAction& action, std::size_t run);
  /// Returns the pattern of what a pattern stands for and this action. Throws NotUnderstood, without place, where they
  /// have nothing in common.
  std::uint32_t join(std::uint32_t pattern, const SharedAction& action, std::size_t run);

  const Pattern& operator[](std::uint32_t number) const { return patterns_[number]; }
  std::size_t size() const { return patterns_.size(); }

private:
  Pattern describe(const SharedAction& action, std::size_t run);

  std::size_t runs_;
  std::deque<Pattern> patterns_;
  trace::ListMemory lists_;
};

} // namespace timeless::analysis
