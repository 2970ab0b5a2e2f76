#pragma once

#include "replay/engine/communicators.h"
#include "replay/engine/diagnosis.h"
#include "replay/engine/meetings.h"
#include "replay/replay.h"
#include "trace/run.h"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace timeless::replay {

/// How a share of the ranks has ended, once no rank of any share can go on.
struct Ending {
  std::vector<Standing> standing; ///< by rising rank
  std::vector<LeftoverMessages> leftovers;
  // Where ranks stand:
  struct MemberCalls {
    trace::CommunicatorId communicator = trace::world_communicator;
    std::uint32_t member = 0;
    std::uint64_t calls = 0; ///< collectives the member has come to
  };
  std::vector<MemberCalls> calls; ///< of the share's ranks; who is not named has come to none
  struct OpenMeeting {
    std::uint64_t ordinal = 0;
    Caller caller; ///< any of the share's
  };
  std::vector<OpenMeeting> meetings; ///< that not all members have come to
};

/// Throws ReplayProblem unless all ranks have ended and no message is left over. The shares by their ranks.
void require_ended(const trace::Run& run, const Communicators& communicators, std::vector<Ending> shares);

/// What the reader of a result should know.
struct Findings {
  std::set<std::string> notes;
  std::uint64_t open_requests = 0; ///< never completed

  void add(const Findings& other);
};

/// In words, with what can be said of the run itself.
std::vector<std::string> notes(const trace::Run& run, const Findings& findings);

} // namespace timeless::replay
