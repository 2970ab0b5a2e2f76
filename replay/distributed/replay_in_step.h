#pragma once

#include "replay/lane_partition.h"
#include "replay/network/network.h"
#include "replay/options/options.h"
#include "replay/result/result.h"
#include "trace/model/source.h"

namespace timeless::replay {

/// Replays as replay() does, where all processes call this with the same and do the same replays in the same order.
/// `once` is this process's part of one of them: it throws LanesApart on all processes or none, and anything else on
/// process 0 only, which alone has a result; it returns lanes without times elsewhere.
Result replay_in_step(const trace::Source& source, const Network& network, const ReplayOptions& options,
                      const ReplayLanes& once);

} // namespace timeless::replay
