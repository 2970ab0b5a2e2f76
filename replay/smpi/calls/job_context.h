#pragma once

#include "replay/simgrid/simgrid_process.h"
#include "replay/smpi/calls/elements.h"
#include "replay/smpi/calls/message_numbers.h"
#include "replay/smpi/calls/trace_scan.h"
#include "replay/smpi/calls/window_locks.h"
#include "trace/model/source.h"

#include <simgrid/s4u.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace timeless::replay::smpi {

/// What files cost where the hosts of a platform have no disks.
struct FileCosts {
  double latency = 0;             ///< seconds of every call
  double byte_time = 0;           ///< seconds per byte of one process
  double aggregate_byte_time = 0; ///< seconds per byte of all members of a collective call; 0: no limit
};

/// The members of a collective call on a file, as far as they have come.
struct FileCollective {
  int members = 0;
  int arrived = 0;
  int left = 0;
  double last = 0;        ///< when the last of them came
  trace::Bytes bytes = 0; ///< of all of them
};

class RankPlayer;

/// What the players of one job's ranks share.
struct JobContext {
  const trace::Source* source = nullptr;
  const TraceScan* scan = nullptr;
  std::string instance = {};                                        ///< SMPI's name for the run
  std::vector<double> flops_per_unit = {};                          ///< by rank
  std::vector<double> kernel_factors = {};                          ///< by kernel; 1 for those that are not there
  std::vector<std::vector<trace::CommunicatorId>> communicators_of; ///< by rank, those used, rising
  FileCosts files = {};
  std::uint32_t cores_per_rank = 0;           ///< threads of a rank that compute at a time; 0: all
  bool prepare_collectives_for_nodes = false; ///< make the node-wise groups that some of SMPI's collectives want
  bool attribute_kernels = false;
  bool attribute_calls = false;
  simgrid::s4u::BarrierPtr start_barrier; ///< all ranks start together, and leave together
  char* send_area = nullptr;              ///< addresses to name; SMPI copies nothing while replaying
  char* receive_area = nullptr;
  ElementTypes types = {};
  std::function<void()> action_done = {};
  /// Where somebody wants to know: what a rank's next action took, seconds since the common start.
  std::function<void(trace::Rank rank, double begin, double end)> observe = {};
  std::function<void()> begun = {}; ///< called by each rank at the common start
  MessageNumbers numbers = {};
  std::map<trace::CommunicatorId, WindowLocks> locks = {}; ///< by window
  std::map<std::pair<trace::CommunicatorId, std::uint64_t>, FileCollective> file_collectives = {};
  /// Starts an actor that does this for the player's rank; where it cannot go on, it ends the child.
  std::function<void(const std::string& name, simgrid::s4u::Host& host, const RankPlayer& player,
                     std::function<void()> body)>
      start = {};
  const ChildReport* report = nullptr; ///< where a player that cannot go on ends the child
};

} // namespace timeless::replay::smpi
