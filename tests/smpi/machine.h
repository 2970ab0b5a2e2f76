#pragma once

#include "replay/platform/mapping.h"
#include "replay/platform/simgrid_platform.h"
#include "replay/smpi/smpi_replay.h"
#include "trace/memory_source.h"

#include <string>

namespace timeless::replay {

/// The platform of this test program, loaded at its first use.
inline const SimgridPlatform& machine(const std::string& file) {
  static const SimgridPlatform loaded = SimgridPlatform::load(std::string(TIMELESS_PLATFORMS) + "/" + file);
  return loaded;
}

/// Replays a program with rank i on host i.
inline SmpiResult simulate(const trace::MemorySource& program, const SimgridPlatform& platform,
                           const SmpiOptions& options = {}) {
  const Mapping mapping =
      map_ranks(program.run(), platform.hosts(), {.rule = MappingRule::one_per_node, .block = 0, .hostfile = {}});
  return smpi_replay(program, platform, mapping, options);
}

inline double end_of(const SmpiResult& result, std::size_t rank) {
  return result.replay.lanes.front().ranks.at(rank).end;
}

} // namespace timeless::replay
