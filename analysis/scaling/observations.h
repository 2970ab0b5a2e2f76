#pragma once

#include "trace/model/ids.h"

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

/// What figures are on the ranks of all runs.
namespace timeless::analysis {

/// A figure's value on a rank of a run, in a trip.
struct Observation {
  std::uint32_t run = 0;
  trace::Rank rank = 0;
  std::uint64_t value = 0;
  std::uint64_t trip = 0; ///< of the loop whose trips change with the number of ranks; 0 outside
  bool operator==(const Observation&) const = default;
};

/// A figure, as a number of a FigureTable: equal numbers, equal observations.
using FigureId = std::uint32_t;
inline constexpr FigureId no_observations = 0;

/// All figures met. One that has been observed as another is the same, so that loops take no memory.
class FigureTable {
public:
  /// Returns the figure that has one more observation; the same figure, where that repeats its last.
  FigureId add(FigureId figure, const Observation& observation);
  /// Returns what was observed, in the order in which it was added.
  std::vector<Observation> observations(FigureId figure) const;

private:
  struct Node {
    FigureId before = no_observations;
    Observation last = {};
    bool operator==(const Node&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Node& node) const;
  };

  std::vector<Node> nodes_{Node{}};
  std::unordered_map<Node, FigureId, Hash> known_;
};

} // namespace timeless::analysis
