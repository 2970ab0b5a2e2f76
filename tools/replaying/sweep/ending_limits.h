#pragma once

#include "tools/replaying/sweep/placed_machines.h"

#include "replay/result/problem.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>

/// With which eager limits a run would end on machines where it deadlocks.
namespace timeless::tools {

/// A machine on which a run does not end, and with which eager limit it would.
struct MachineDeadlock {
  std::size_t machine = 0;      ///< in the command's list of machines
  trace::Bytes eager_limit = 0; ///< with which it does not
  std::optional<trace::Bytes> ends_from =
      {};              ///< the least power of two with which the run ends; no_eager_limit: without any
  double makespan = 0; ///< with that, in seconds
};

/// Returns on what a machine that a run does not end on would let it end: replays it there with each power of two above
/// the eager limit that it has, and with none, in one pass. `machines` are those of the command, with the run placed.
MachineDeadlock deadlock_on(const MachineConfiguration& machine, const PlacedMachines& machines,
                            const trace::Source& source, const replay::ReplayOptions& options);

/// Returns with which limit it ends: "ends from 128 KiB on", "with none it ends".
std::string ending_limit_words(trace::Bytes limit);
/// Returns what is to be said of it, without the last period: "On small the program deadlocks: messages above its eager
/// limit of 1000 B wait for receives that come later. With a limit of 128 KiB or more it ends ...".
std::string deadlock_claim(const std::string& machine, const MachineDeadlock& deadlock);

/// Returns why a run ends on none of the machines that are asked for, as a problem that says of each with which eager
/// limit it would; as it is, where a larger limit does not help.
replay::ReplayProblem with_limits(const replay::ReplayProblem& problem, std::span<const MachineConfiguration> asked,
                                  const PlacedMachines& machines, const trace::Source& source,
                                  const replay::ReplayOptions& options);

} // namespace timeless::tools
