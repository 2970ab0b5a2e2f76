#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

/// Loops that sequences of actions have in common.
namespace timeless::analysis {

/// What an action is but for partners, tags and figures: equal numbers, equal calls at equal places.
using Symbol = std::uint32_t;

/// How often the loops of a sequence are passed, each time that one is met: the trips, then for each trip what the
/// loops in its body do.
using LoopTrips = std::vector<std::uint64_t>;

/// A sequence of symbols with its repetitions folded into loops, whose numbers of trips are free.
class LoopProgram {
public:
  /// Folds a sequence, the innermost repetitions first, each as early as it begins.
  explicit LoopProgram(std::span<const Symbol> sequence);

  /// One symbol, or a loop.
  struct Node {
    Symbol symbol = 0;
    std::vector<Node> body = {}; ///< of a loop
    bool loop() const { return !body.empty(); }
  };

  const std::vector<Node>& nodes() const { return nodes_; }
  /// Returns the trips with which the program makes a sequence; nothing where it makes it with none, or where finding
  /// them would take long.
  std::optional<LoopTrips> trips(std::span<const Symbol> sequence) const;

private:
  std::vector<Node> nodes_;
};

} // namespace timeless::analysis
