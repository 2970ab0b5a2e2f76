#pragma once

#include "replay/engine/core/core.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace timeless::replay {

/// All that what comes after a cut depends on, once each rank stands at it: clocks, requests that are not complete, and
/// messages under way, times as they are counted from the cut on. Channels and collectives count from there, too.
class SteadyState {
public:
  /// Takes the state of all ranks, whose clocks are settled.
  void take(Core& core);
  /// Returns in which lanes it is the state taken last, to the last bit; in none where what all lanes share is not.
  std::vector<bool> lanes_now(Core& core) const;

private:
  std::vector<std::uint64_t> words_;
};

/// Returns the numbers of all moments that the state holds, in its order.
std::vector<double*> held_moments(Core& core);

/// Returns why states cannot be compared here; nothing where they can. It depends on the trace alone.
std::optional<std::string> why_not_comparable(Core& core);

} // namespace timeless::replay
