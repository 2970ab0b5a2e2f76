#include "replay/distributed/replay_in_step.h"

#include "replay/engine/clocks/eager_limits.h"
#include "replay/engine/steady/cut_agreement.h"
#include "replay/replay.h"

namespace timeless::replay {

Result replay_in_step(const trace::Source& source, const Network& network, const ReplayOptions& options,
                      const ReplayLanes& once) {
  ReplayOptions chosen = options;
  chosen.jumps = chosen_jumps(source, options);
  const ReplayLanes together = [&](const Network& lanes, const ReplayOptions& asked) {
    try {
      return once(lanes, asked);
    } catch (const LanesApart& apart) {
      return replay_apart(lanes, asked, apart.groups, 1, together);
    }
  };
  const bool apart =
      chosen.jumps != Jumps::none && why_every_action(chosen).empty() && !all_equal(eager_limits(network, chosen));
  Result result =
      apart ? replay_apart(network, chosen, by_eager_limits(network, chosen), 1, together) : together(network, chosen);
  if (chosen.jumps != options.jumps && result.steady && result.steady->actions == 0) result.steady.reset();
  return result;
}

} // namespace timeless::replay
