#pragma once

#include "replay/network/network.h"
#include "replay/options/options.h"
#include "replay/result/problem.h"
#include "replay/result/result.h"
#include "trace/model/source.h"

#include <functional>

namespace timeless::replay {

/// Replays a run on a machine, for all of the machine's lanes in one pass (docs/model.md defines what is computed).
///
/// Memory is bounded by the number of ranks, lanes and messages in flight, not by the length of the run. A lane's
/// result does not depend on which lanes are replayed beside it. Lanes in which ranks come to wait for each other,
/// since messages are above the lane's eager limit, say so (LaneResult::deadlock); when that is all lanes, or the trace
/// is to blame, throws ReplayProblem as above. Throws Error(invalid_input)
/// naming rank and action where a trace contradicts itself, and naming ranks the run does not hold.
Result replay(const trace::Source& source, const Network& network, const ReplayOptions& options = {});

/// Calls `replay` with the options, where they leave it to be chosen whether it jumps (Jumps::where_much_repeats) with
/// what is chosen: by the trace and what is asked alone, since last digits depend on it. The result says nothing of
/// jumps that nobody asked for and that were not made.
Result replay_as_chosen(const trace::Source& source, const ReplayOptions& options,
                        const std::function<Result(const ReplayOptions&)>& replay);

/// Throws what replay() would before it begins: Error(usage), and Error(invalid_input) naming ranks the run does not
/// hold.
void require_replayable(const trace::Run& run, const Network& network, const ReplayOptions& options);

} // namespace timeless::replay
