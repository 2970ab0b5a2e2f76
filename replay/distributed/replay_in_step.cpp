#include "replay/distributed/replay_in_step.h"

#include "replay/engine/steady/cut_agreement.h"
#include "replay/replay.h"

namespace timeless::replay {

Result replay_in_step(const trace::Source& source, const Network& network, const ReplayOptions& options,
                      const ReplayLanes& once) {
  const ReplayLanes together = [&](const Network& lanes, const ReplayOptions& asked) {
    try {
      return once(lanes, asked);
    } catch (const LanesApart& apart) {
      return replay_apart(lanes, asked, apart.groups, 1, together);
    }
  };
  return replay_as_chosen(source, options, [&](const ReplayOptions& chosen) {
    const std::vector<Lanes> groups = apart_for_jumps(network, chosen);
    return groups.empty() ? together(network, chosen) : replay_apart(network, chosen, groups, 1, together);
  });
}

} // namespace timeless::replay
