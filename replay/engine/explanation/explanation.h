#pragma once

#include "replay/engine/explanation/attribution.h"
#include "replay/engine/explanation/observation.h"
#include "replay/engine/explanation/path_tracer.h"

#include <optional>
#include <string>

namespace timeless::replay {

/// Explains a replay's times, as far as that is asked for: divides them by call or kernel, tells an observer of every
/// action, and keeps the critical path. It reads clocks and never changes their times.
class Explanation {
public:
  /// Explains what the options ask for. `clocks` must outlive this; `ranks` is the number of those replayed,
  /// `local_ranks` begins with their first.
  Explanation(const ReplayOptions& options, Clocks& clocks, const trace::Run& run, std::span<const std::string> lanes,
              RankRange local_ranks);

  bool any() const { return attributor || observation || paths; }
  /// Makes room for so many ranks and threads in all, the last of which begins at this time, in seconds.
  void make_room(std::size_t ranks, double start);

  std::optional<Attributor> attributor;
  std::optional<Observation> observation;
  std::optional<PathTracer> paths;
};

} // namespace timeless::replay
