#include "analysis/extrapolation/rank_numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>

namespace timeless::analysis {

namespace {

using trace::Rank;

/// Numbers that some programs demand.
struct NumberFamily {
  const char* name;
  std::uint64_t (*member)(std::uint64_t); ///< by number, from 1
};

constexpr std::array number_families{
    NumberFamily{"a square number", [](std::uint64_t n) { return n * n; }},
    NumberFamily{"a cubic number", [](std::uint64_t n) { return n * n * n; }},
    NumberFamily{"a power of two as number",
                 [](std::uint64_t n) { return std::uint64_t{1} << std::min<std::uint64_t>(n - 1, 62); }},
};

/// Returns the largest member that is not above a number of ranks, and the next.
std::pair<std::uint64_t, std::uint64_t> members_around(const NumberFamily& family, Rank ranks) {
  std::uint64_t n = 1;
  while (family.member(n + 1) <= static_cast<std::uint64_t>(ranks))
    ++n;
  return {family.member(n), family.member(n + 1)};
}

bool has_member(const NumberFamily& family, Rank ranks) {
  return members_around(family, ranks).first == static_cast<std::uint64_t>(ranks);
}

} // namespace

std::optional<UnlikeRuns> unlike_runs(std::vector<Rank> runs, Rank target) {
  std::ranges::sort(runs);
  const auto repeated = std::ranges::unique(runs);
  runs.erase(repeated.begin(), repeated.end());
  if (runs.size() < 3) return std::nullopt;
  std::optional<UnlikeRuns> found;
  for (const NumberFamily& family : number_families) {
    if (!std::ranges::all_of(runs, [&](Rank ranks) { return has_member(family, ranks); })) continue;
    if (has_member(family, target)) return std::nullopt;
    if (found) continue;
    const auto [before, after] = members_around(family, target);
    const std::string nearest = before > static_cast<std::uint64_t>(runs.back())
                                    ? fmt::format("{} or {}", before, after)
                                    : fmt::to_string(after);
    found = UnlikeRuns{fmt::format("all runs have {} of ranks, {} is none", family.name, target), nearest};
  }
  return found;
}

} // namespace timeless::analysis
