#pragma once

#include "analysis/extrapolation/loop_folding.h"
#include "analysis/scaling/rank_grid.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Which action of a sequence stands where, in runs whose loops make different numbers of trips.
namespace timeless::analysis {

/// A loop whose trips change with the number of ranks: slots from begin to end, all trips in the same ones.
struct VariableLoop {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::vector<std::optional<std::uint64_t>> trips = {}; ///< by run; nothing of a run that has no such ranks
  bool operator==(const VariableLoop&) const = default;
};

/// The actions of the ranks of a class, one slot each, loops that make the same trips in all runs unrolled.
struct LoopLayout {
  std::size_t slots = 0;
  std::vector<VariableLoop> loops = {}; ///< none in another, by slot
  bool operator==(const LoopLayout&) const = default;
};

/// Returns the layout of a program whose trips are these, by run; nothing where loops whose trips change have others in
/// their body that change, too.
std::optional<LoopLayout> loop_layout(const LoopProgram& program, const std::vector<std::optional<LoopTrips>>& trips);

/// Walks through a layout in the order in which a rank with these trips makes its actions: slot after slot.
class LoopWalk {
public:
  /// Begins at the first slot; `trips` by loop. Both must outlive the walk.
  LoopWalk(const LoopLayout& layout, std::vector<std::uint64_t> trips) : layout_(&layout), trips_(std::move(trips)) {
    settle();
  }

  bool done() const { return slot_ == layout_->slots; }
  std::size_t slot() const { return slot_; }
  /// Returns the trip of the loop around the slot, from 0; 0 outside loops.
  std::uint64_t trip() const { return trip_; }
  void advance() {
    ++slot_;
    settle();
  }

private:
  void settle();

  const LoopLayout* layout_;
  std::vector<std::uint64_t> trips_;
  std::size_t loop_ = 0; ///< the first that has not ended
  std::size_t slot_ = 0;
  std::uint64_t trip_ = 0;
};

/// The trips of a loop on the target, by a law of the grid.
struct TripLaw {
  std::optional<std::uint64_t> there = {}; ///< nothing: no law, or several that disagree
  std::string law = {};
};

/// Finds the trips at the target: a + b f, f the number of ranks, a side of their grid, or the logarithm of one of
/// these, from all runs but the largest, and checked with that.
TripLaw trip_law(const VariableLoop& loop, const std::vector<RankGrid>& grids, const RankGrid& target);

} // namespace timeless::analysis
