#pragma once

#include "replay/replay.h"
#include "replay/simgrid/mapping.h"
#include "replay/simgrid/simgrid_network.h"
#include "replay/simgrid/simgrid_platform.h"
#include "replay/smpi/smpi_replay.h"
#include "trace/model/memory_source.h"

#include <algorithm>
#include <string>
#include <vector>

namespace timeless::replay {

/// Returns the platform of this test program, with SimGrid's settings KEY:VALUE, loaded at its first use.
inline const SimgridPlatform& machine(const std::string& file, const std::vector<std::string>& settings = {}) {
  static const SimgridPlatform loaded = SimgridPlatform::load(file, settings);
  return loaded;
}

/// Puts rank i on the host of this index.
inline Mapping placed(std::vector<std::uint32_t> hosts) {
  Mapping mapping;
  mapping.node_of_rank = std::move(hosts);
  return mapping;
}

/// Puts rank i on host i.
inline Mapping one_per_host(trace::Rank ranks) {
  std::vector<std::uint32_t> hosts;
  for (trace::Rank rank = 0; rank < ranks; ++rank)
    hosts.push_back(static_cast<std::uint32_t>(rank));
  return placed(std::move(hosts));
}

/// Puts so many ranks in turn on each host.
inline Mapping blocks(trace::Rank ranks, trace::Rank per_host) {
  std::vector<std::uint32_t> hosts;
  for (trace::Rank rank = 0; rank < ranks; ++rank)
    hosts.push_back(static_cast<std::uint32_t>(rank / per_host));
  return placed(std::move(hosts));
}

/// Returns when each rank ends in the first lane, seconds.
inline std::vector<double> ends(const Result& result) {
  std::vector<double> seconds;
  for (const RankTimes& rank : result.lanes.front().ranks)
    seconds.push_back(rank.end);
  return seconds;
}

/// Returns when each rank ends in SMPI, seconds.
inline std::vector<double> smpi_ends(const trace::Source& program, const SimgridPlatform& platform,
                                     const Mapping& mapping, const SmpiOptions& options = {}) {
  return ends(smpi_replay(program, platform, mapping, options).replay);
}

/// Returns when each rank ends in the model of the same platform, seconds.
inline std::vector<double> model_ends(const trace::Source& program, const SimgridPlatform& platform,
                                      const Mapping& mapping, SimgridNetworkOptions options = {}) {
  const Network network = simgrid_network(platform, program.run(), mapping, std::move(options));
  return ends(replay(program, network));
}

/// Returns when the last rank ends.
inline double last(const std::vector<double>& ends) {
  return std::ranges::max(ends);
}

/// Returns a program of one call, by every rank.
inline trace::MemorySource once(trace::Rank ranks, const trace::Action& call) {
  trace::MemorySource program(ranks);
  for (trace::Rank rank = 0; rank < ranks; ++rank)
    program.add(rank, call);
  program.finalize();
  return program;
}

/// Returns a program of two ranks: one message from rank 0 to rank 1, whose receive is posted at once.
inline trace::MemorySource one_message(trace::Bytes bytes) {
  using trace::ActionKind;
  trace::MemorySource program(2);
  program.add(0, {.kind = ActionKind::send, .peer = 1, .bytes = bytes});
  program.add(1, {.kind = ActionKind::receive, .peer = 0, .bytes = bytes});
  program.finalize();
  return program;
}

/// Returns a program of two ranks: a message there, one back, and a barrier.
inline trace::MemorySource ping_pong(trace::Bytes bytes) {
  using trace::Action;
  using trace::ActionKind;
  constexpr trace::RequestId request = 0;
  trace::MemorySource program(2);
  for (const trace::Rank rank : {0, 1}) {
    const Action send{.kind = ActionKind::send, .peer = 1 - rank, .bytes = bytes, .request = request};
    const Action receive{.kind = ActionKind::receive, .peer = 1 - rank, .bytes = bytes, .request = request};
    program.add(rank, rank == 0 ? send : receive);
    program.add(rank, {.kind = ActionKind::wait, .requests = {&request, 1}});
    program.add(rank, rank == 0 ? receive : send);
    program.add(rank, {.kind = ActionKind::wait, .requests = {&request, 1}});
    program.add(rank, {.kind = ActionKind::barrier});
  }
  program.finalize();
  return program;
}

} // namespace timeless::replay
