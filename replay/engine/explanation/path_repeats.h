#pragma once

#include "replay/engine/clocks/exact_sum.h"
#include "replay/engine/clocks/lane_numbers.h"
#include "trace/model/run.h"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace timeless::replay {

/// A moment on a path.
struct PathNode {
  /// Whence a path leads on.
  enum class Kind : std::uint8_t { message, collective, arrival };

  Traced at{}; ///< at.node is not used
  std::uint64_t action = 0;
  trace::Rank rank = trace::no_rank;
  Kind kind = Kind::arrival;
  bool collective = false; ///< departed to one, or arrived through one
  bool forgot = false;     ///< what came before
};

/// What times are counted from, in a moment's numbers but for its node: time, the two parts of what is on its way,
/// computation.
class PathFrame {
public:
  static constexpr std::size_t numbers = Traced::planes - 1;

  PathFrame() = default;
  /// Makes the frame of numbers that are counted from these sums.
  explicit PathFrame(const std::vector<ExactSeconds>& passed);

  /// Returns the moment, of which the times count from here, as one from the beginning of the run.
  Traced absolute(const Traced& moment) const;
  /// Returns this frame as one of the times since another.
  PathFrame since(const PathFrame& other) const;
  /// Returns this frame so many periods later, of which each takes what `period` holds.
  PathFrame later(const PathFrame& period, std::uint64_t times) const;

private:
  std::array<ExactSeconds, numbers> sums_;
};

/// What a period adds to each path: between two cuts at which the state is the same, so that it adds the same again in
/// each period that is jumped over. The paths to the moments held at its end lead on from moments held at its
/// beginning: a map of moments, which n periods compose n times.
struct PathPeriod {
  /// Leads on from no moment of the beginning: the path begins here.
  static constexpr std::uint32_t nowhere = ~std::uint32_t{0};

  struct Step {
    PathNode node;           ///< its action counts from the period's beginning
    std::uint32_t frame = 0; ///< which its times count from, of `frames`
  };
  struct Chain {
    std::vector<Step> steps;      ///< from later ones to earlier ones
    std::uint32_t from = nowhere; ///< among the moments of its beginning
  };
  std::vector<Chain> chains;     ///< by moment of its end
  std::vector<PathFrame> frames; ///< of its cuts, counted from its beginning

  /// Returns whence the path to each moment leads on so many periods earlier.
  std::vector<std::uint32_t> composed(std::uint64_t times) const;
};

/// Periods that were jumped over, one after the other.
struct PathJump {
  std::shared_ptr<const PathPeriod> period;
  std::uint64_t times = 0;
  PathFrame began;                      ///< of the first one
  PathFrame grows;                      ///< what each takes
  std::vector<std::uint64_t> actions;   ///< by rank: that came before the first one
  std::vector<std::uint64_t> in_period; ///< by rank: actions of each
};

} // namespace timeless::replay
