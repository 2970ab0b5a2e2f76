#pragma once

#include "trace/codec/structure/folded_sequence.h"
#include "trace/model/source.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace timeless::trace {

/// A loop of one rank: the same actions, their volumes aside, so many times.
struct Loop {
  std::uint64_t first = 0;      ///< ordinal of its first action within the rank, from 0
  std::uint64_t actions = 0;    ///< of an iteration
  std::uint64_t iterations = 0; ///< at least 2
  std::uint64_t rest = 0;       ///< actions after the last iteration that are as another would begin: less than one

  std::uint64_t end() const { return first + actions * iterations; }
  bool operator==(const Loop&) const = default;
};

/// Returns loops of at least so many iterations, in order, none of them within another: of nested ones those that leave
/// the fewest actions when only `least_iterations` / 2 iterations of each are looked at. At most most_loops of them.
/// Each begins as early, and ends as late, as its actions repeat after an iteration, wherever the folding began it.
std::vector<Loop> loops(const FoldedSequence& sequence, std::uint64_t least_iterations);
/// Returns the same of a rank's actions. Without a shared structure of the whole rank it reads them all.
std::vector<Loop> loops(const Source& source, Rank rank, std::uint64_t least_iterations);
/// Returns the same of what a rank does in one iteration of such a loop, which each of them does: `first` counts from
/// where an iteration begins.
std::vector<Loop> loops_within(const Source& source, Rank rank, const Loop& loop, std::uint64_t least_iterations);

inline constexpr std::size_t most_loops = 256;

/// A source whose actions are those of another, but for volumes.
class ReplacedVolumes : public Source {
public:
  /// Returns the source that has the same loops.
  virtual const Source& original() const = 0;
  /// Returns what changes() does, or nothing where only reading tells.
  virtual std::optional<std::vector<std::uint64_t>> known_changes(Rank rank, const Loop& loop) const = 0;
};

} // namespace timeless::trace
