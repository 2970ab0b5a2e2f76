#pragma once

#include "replay/replay.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace timeless::replay {

/// Returns how many parts a replay's lanes are worth splitting into on a machine that runs this many threads at once:
/// every part follows the whole trace again, so each must have lanes enough that this matters little.
std::size_t worthwhile_partitions(std::size_t lanes, std::uint64_t actions, std::size_t hardware_threads);

/// Replays all lanes in this thread.
Result replay_together(const trace::Source& source, const Network& network, const ReplayOptions& options);

/// Returns what is told of a lane that does not end.
LaneResult stuck_lane(std::string name, std::shared_ptr<const Diagnosis> why);
/// Says of a run in which no lane ended what is said of it by one that did, whatever the machine.
void take_run(Result& stuck, const Result& ended);

/// Numbers of lanes.
using Lanes = std::vector<std::size_t>;

/// Replays some lanes of a network.
using ReplayLanes = std::function<Result(const Network&, const ReplayOptions&)>;
/// Returns replay_together() of a run.
ReplayLanes together(const trace::Source& source);

/// Returns each lane by itself: for NeedsOneLane.
std::vector<Lanes> each_alone(const Network& network);
/// Returns lanes with the same eager limits together, apart from the others, where that lets a replay jump that is to;
/// else nothing.
std::vector<Lanes> apart_for_jumps(const Network& network, const ReplayOptions& options);

/// Replays groups of lanes by themselves, `threads` groups at a time. Lanes that do not end say so where others do, as
/// they do together.
Result replay_apart(const Network& network, const ReplayOptions& options, const std::vector<Lanes>& groups,
                    std::size_t threads, const ReplayLanes& replay);

/// Replays groups of lanes, each in a thread of its own: at most `parts`, and as many as there are groups of
/// lane_group lanes. The result, and the error if there is one, are those of replaying all lanes together.
/// `options.progress` is called from any of the threads, from one at a time.
Result replay_partitioned(const trace::Source& source, const Network& network, const ReplayOptions& options,
                          std::size_t parts);

} // namespace timeless::replay
