#include "analysis/extrapolation/grid_assumptions.h"

#include <algorithm>
#include <cstdint>

namespace timeless::analysis {

namespace {

std::vector<trace::GridDimension> with_extents(std::vector<trace::GridDimension> sides,
                                               const std::vector<std::uint32_t>& to) {
  for (std::size_t side = 0; side < sides.size(); ++side)
    sides[side].extent = to[side];
  return sides;
}

/// Sets the target's grid as it was asked for, where that has as many sides as those of the runs.
bool take_given(GridAssumption& assumption, const std::vector<std::uint32_t>& given) {
  const auto& sides = assumption.grids.front().sides;
  if (sides.size() != given.size()) return false;
  const RankGrid asked{with_extents(sides, given)};
  assumption.by_rule = assumption.target && assumption.target->sides == asked.sides;
  assumption.target = asked;
  return true;
}

} // namespace

std::vector<GridAssumption> grid_assumptions(const ExtrapolationQuestion& question) {
  std::vector<GridAssumption> all;
  std::vector<RankGrid> recorded;
  for (const ExtrapolationInput& input : question.runs)
    if (const auto grid = recorded_grid(input.source->run())) recorded.push_back(*grid);
  if (recorded.size() == question.runs.size())
    all.push_back({"the recorded grid", recorded, grid_like(recorded, question.ranks), true, true});
  for (const GridRule& rule : grid_rules()) {
    GridAssumption next{rule.text(), {}, rule.grid(question.ranks)};
    for (const ExtrapolationInput& input : question.runs)
      next.grids.push_back(rule.grid(input.source->run().size));
    all.push_back(std::move(next));
  }
  if (!question.grid.empty()) std::erase_if(all, [&](GridAssumption& one) { return !take_given(one, question.grid); });
  return all;
}

} // namespace timeless::analysis
