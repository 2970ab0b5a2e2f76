#include "analysis/scaling/rank_grid.h"

#include "analysis/scaling/law.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>

namespace timeless::analysis {

namespace {

using trace::GridDimension;
using trace::Rank;

int extent_of(const GridDimension& side) {
  return static_cast<int>(side.extent);
}

std::vector<GridDimension> longer_than_one(std::vector<GridDimension> sides) {
  std::erase_if(sides, [](const GridDimension& side) { return side.extent == 1; });
  return sides;
}

bool in_world_order(const std::vector<Rank>& members) {
  for (std::size_t i = 0; i < members.size(); ++i)
    if (members[i] != static_cast<Rank>(i)) return false;
  return true;
}

} // namespace

Rank RankGrid::ranks() const {
  Rank all = 1;
  for (const GridDimension& side : sides)
    all *= extent_of(side);
  return all;
}

GridPlace RankGrid::place(Rank rank) const {
  GridPlace at = {};
  for (std::size_t side = sides.size(); side-- > 0;) {
    at[side] = rank % extent_of(sides[side]);
    rank /= extent_of(sides[side]);
  }
  return at;
}

std::optional<Rank> RankGrid::rank_at(GridPlace place) const {
  Rank rank = 0;
  for (std::size_t side = 0; side < sides.size(); ++side) {
    const int extent = extent_of(sides[side]);
    if (sides[side].periodic) place[side] = ((place[side] % extent) + extent) % extent;
    if (place[side] < 0 || place[side] >= extent) return std::nullopt;
    rank = rank * extent + place[side];
  }
  return rank;
}

std::vector<Rank> RankGrid::line(Rank rank, unsigned mask) const {
  std::vector<Rank> members{0};
  const GridPlace own = place(rank);
  for (std::size_t side = 0; side < sides.size(); ++side) {
    const int extent = extent_of(sides[side]);
    const bool free = (mask >> side & 1U) != 0;
    std::vector<Rank> next;
    for (const Rank before : members)
      for (int at = free ? 0 : own[side]; at < (free ? extent : own[side] + 1); ++at)
        next.push_back(before * extent + at);
    members = std::move(next);
  }
  return members;
}

std::string RankGrid::text() const {
  std::vector<std::string> words;
  for (const GridDimension& side : sides)
    words.push_back(fmt::format("{}{}", side.extent, side.periodic ? " (periodic)" : ""));
  return fmt::to_string(fmt::join(words, " x "));
}

RankGrid GridRule::grid(Rank ranks) const {
  RankGrid made;
  std::array<std::uint64_t, 3> extents{static_cast<std::uint64_t>(ranks), 1, 1};
  if (dimensions > 1) extents = balanced_grid(static_cast<std::uint64_t>(ranks), static_cast<int>(dimensions));
  if (!longest_first) std::reverse(extents.begin(), extents.begin() + static_cast<std::ptrdiff_t>(dimensions));
  for (std::size_t side = 0; side < dimensions; ++side)
    made.sides.push_back({static_cast<std::uint32_t>(extents[side]), periodic});
  return made;
}

std::string GridRule::text() const {
  if (dimensions == 1) return periodic ? "a ring of ranks" : "a line of ranks";
  return fmt::format("a {}grid of {} sides, the {} first", periodic ? "periodic " : "", dimensions,
                     longest_first ? "longest" : "shortest");
}

std::vector<GridRule> grid_rules() {
  return {{1, true, true},   {1, true, false}, {2, true, true},  {2, false, true}, {2, true, false},
          {2, false, false}, {3, true, true},  {3, false, true}, {3, true, false}, {3, false, false}};
}

std::optional<RankGrid> grid_like(const std::vector<RankGrid>& grids, Rank ranks) {
  const std::size_t dimensions = grids.front().sides.size();
  for (const bool longest_first : {true, false}) {
    const GridRule rule{dimensions, longest_first, false};
    const auto same_extents = [](const RankGrid& one, const RankGrid& other) {
      return std::ranges::equal(one.sides, other.sides, {}, &GridDimension::extent, &GridDimension::extent);
    };
    if (!std::ranges::all_of(grids, [&](const RankGrid& grid) { return same_extents(grid, rule.grid(grid.ranks())); }))
      continue;
    RankGrid made = rule.grid(ranks);
    for (std::size_t side = 0; side < dimensions; ++side)
      made.sides[side].periodic = grids.front().sides[side].periodic;
    return made;
  }
  return std::nullopt;
}

std::vector<std::vector<std::uint32_t>> extents_of(Rank ranks, std::size_t sides) {
  const auto all = static_cast<std::uint32_t>(ranks);
  if (sides == 1)
    return all < 2 ? std::vector<std::vector<std::uint32_t>>() : std::vector<std::vector<std::uint32_t>>{{all}};
  std::vector<std::vector<std::uint32_t>> found;
  for (std::uint32_t first = 2; first <= all / 2; ++first) {
    if (all % first != 0) continue;
    for (std::vector<std::uint32_t>& rest : extents_of(static_cast<Rank>(all / first), sides - 1)) {
      rest.insert(rest.begin(), first);
      found.push_back(std::move(rest));
    }
  }
  std::ranges::stable_sort(found, {},
                           [](const auto& extents) { return std::accumulate(extents.begin(), extents.end(), 0U); });
  return found;
}

std::optional<RankGrid> recorded_grid(const trace::Run& run) {
  std::optional<RankGrid> found;
  for (const trace::Communicator& communicator : run.communicators) {
    if (communicator.grid.empty() || communicator.grid.size() > most_grid_sides || !communicator.fills_grid()) continue;
    if (communicator.members.size() != static_cast<std::size_t>(run.size) || !in_world_order(communicator.members))
      continue;
    // A column of ranks may have all of them, as of a grid of 2 x 1.
    if (found && longer_than_one(found->sides) != longer_than_one(communicator.grid)) return std::nullopt;
    if (!found || found->sides.size() < communicator.grid.size()) found = RankGrid{communicator.grid};
  }
  return found;
}

int balanced_dimensions(const std::vector<std::optional<RankGrid>>& recorded) {
  std::size_t dimensions = 0;
  for (const std::optional<RankGrid>& grid : recorded) {
    if (!grid || grid->sides.size() < 2 || (dimensions != 0 && grid->sides.size() != dimensions)) return 0;
    dimensions = grid->sides.size();
    std::array<std::uint64_t, most_grid_sides> extents{1, 1, 1};
    std::ranges::transform(grid->sides, extents.begin(), &GridDimension::extent);
    std::ranges::sort(extents, std::greater{});
    if (extents != balanced_grid(static_cast<std::uint64_t>(grid->ranks()), static_cast<int>(dimensions))) return 0;
  }
  return static_cast<int>(dimensions);
}

std::string position(const RankGrid& grid, Rank rank) {
  const GridPlace at = grid.place(rank);
  const bool periodic = std::ranges::any_of(grid.sides, [](const GridDimension& side) { return side.periodic; });
  if (periodic && rank == 0) return "rank 0";
  std::vector<std::string> words;
  for (std::size_t side = 0; side < grid.sides.size(); ++side) {
    const int extent = extent_of(grid.sides[side]);
    if (grid.sides[side].periodic)
      words.emplace_back("any");
    else if (extent == 1)
      words.emplace_back("only");
    else
      words.emplace_back(at[side] == 0 ? "first" : at[side] == extent - 1 ? "last" : "inside");
  }
  return fmt::to_string(fmt::join(words, ", "));
}

} // namespace timeless::analysis
