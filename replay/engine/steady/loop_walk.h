#pragma once

#include "replay/engine/steady/inner_loops.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace timeless::replay {

/// Why a loop is played that can be jumped over.
inline constexpr const char* nothing_came_again = "no state came again while volumes stayed the same";

/// The loops within the iterations of one, and how far a replay is in them.
struct InnerLoops {
  std::vector<CutLoop> loops;
  std::size_t first_number = 0;
  std::uint64_t iteration = 0; ///< of the outer loop
  std::size_t next = 0;        ///< of the loops
  CutLoop here;                ///< as it stands in that iteration
  /// How the search for states in a loop has gone so far.
  struct Past {
    std::uint64_t changed = 0;  ///< times that it was left since its volumes change
    std::uint64_t searched = 0; ///< times that it was gone through
    bool proved = false;        ///< some state came again
  };
  std::vector<Past> past; ///< by loop

  Past& of_next() { return past[next]; }
  const Past& of_next() const { return past[next]; }
};

/// The loops that a replay comes to, one after the other: those that all ranks share, and instead of one whose volumes
/// change in most iterations those within its iterations, in each of them.
///
/// All that shape it is the trace, and what processes that share a run agree on. What is proved does not: it depends on
/// which configurations share the replay, and cuts must not.
class LoopWalk {
public:
  LoopWalk() = default;
  LoopWalk(const trace::Source& source, std::vector<CutLoop> loops);

  /// Returns false where no loop is left.
  bool any() const { return current_ < loops_.size(); }
  const CutLoop& loop() const { return inner_ ? inner_->here : loops_[current_]; }
  /// Returns the loop's number: the same one for an inner loop in each iteration.
  std::size_t number() const { return inner_ ? inner_->first_number + inner_->next : current_; }
  /// Returns whether it is a loop within the iterations of another.
  bool inner() const { return inner_.has_value(); }
  /// Returns how often the loop is still to be gone through, this time among them.
  std::uint64_t times_left() const { return inner_ ? loops_[current_].iterations - inner_->iteration : 1; }
  /// Returns how many iterations of it were recorded, each time that it is gone through.
  std::uint64_t recorded() const { return loop().recorded * (inner_ ? loops_[current_].iterations : 1); }
  /// Returns the loops that all ranks share: the present one, or the one that it is in, and those behind.
  const std::vector<CutLoop>& shared() const { return loops_; }
  std::size_t shared_number() const { return current_; }
  /// Returns how many actions all of them have, of all ranks.
  std::uint64_t all_actions() const { return replay::all_actions(loops_); }

  /// Learns in which iterations of the present loop volumes change. Where that is often, and it may go on by `parts`,
  /// iterations become one, or inner loops take its place: false where the present loop is another now.
  bool look(bool parts);
  /// Makes ranks begin the present loop as late as they can; false where they do.
  bool begin_late();
  void next();
  /// Notes that a state of the present loop was proved to come again.
  void note_proof();
  /// Returns whether the present loop is an inner one that was gone through four times without such a proof: there are
  /// cuts in it, but no state is sought.
  bool hopeless() const;

  /// Notes why a loop is not jumped over, the first reason.
  void refuse(std::size_t number, std::string why);
  /// Returns by loop's number why it is not jumped over; empty where it is, and of a loop that inner ones stand for.
  const std::vector<std::string>& refused() const { return refused_; }
  bool replaced(std::size_t number) const { return replaced_[number]; }

private:
  RankRange ranks() const { return {0, source_->run().size}; }
  bool take_inner();
  void advance();
  void settle();

  const trace::Source* source_ = nullptr;
  std::vector<CutLoop> loops_;
  std::vector<std::string> refused_; ///< by number
  std::vector<bool> replaced_;       ///< by number: inner loops stand for it
  std::size_t current_ = 0;
  std::optional<InnerLoops> inner_;
  std::optional<InnerVolumes> volumes_;
};

/// Returns how many of a run's actions are of iterations whose volumes are those of the ones before; of inner loops as
/// many as they have beyond what it costs to find that, in the second iteration of the loop that they are in.
std::uint64_t repeated_actions(const trace::Source& source);

} // namespace timeless::replay
