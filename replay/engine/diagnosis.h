#pragma once

#include "replay/engine/channels.h"
#include "replay/engine/communicators.h"
#include "replay/engine/meetings.h"
#include "replay/replay.h"
#include "trace/run.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace timeless::replay {

/// A rank that stands: where, and for the next message of a channel or for a meeting.
struct Standing {
  trace::Rank rank = trace::no_rank;
  std::uint64_t action = 0;
  std::string call;
  bool for_meeting = false;
  std::uint32_t subject = 0; ///< the channel or the meeting
};

/// What a diagnosis looks at.
struct Scene {
  const trace::Run& run;
  const Communicators& communicators;
  Channels& channels;
  const Meetings& meetings;
};

/// Why these ranks stand, and no other rank goes on.
Diagnosis diagnose(const Scene& scene, std::span<const Standing> standing);

/// The messages that no receive was posted for.
std::vector<LeftoverMessages> leftovers(Channels& channels);

/// "the recording of rank 3 is cut short", for every rank that does not end with MPI_Finalize; at most some are named.
std::vector<std::string> remarks(const trace::Run& run);

} // namespace timeless::replay
