#pragma once

#include "replay/engine/diagnosis.h"
#include "replay/engine/matching/collective_matching.h"
#include "replay/engine/matching/communicators.h"
#include "replay/engine/program/not_modelled.h"
#include "replay/options/options.h"
#include "replay/result/problem.h"
#include "trace/model/run.h"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace timeless::replay {

/// How one process's ranks have ended, once no rank of any process can go on.
struct Ending {
  std::vector<RankStatus> status; ///< by rising rank
  /// Ranks that completed a collective which others never reached; reported when no rank is blocked.
  std::vector<RankStatus> deserted;
  std::vector<LeftoverMessages> leftovers;
  // Where ranks stand:
  struct MemberCalls {
    trace::CommunicatorId communicator = trace::world_communicator;
    std::uint32_t member = 0;
    std::uint64_t calls = 0; ///< collectives the member has come to
  };
  std::vector<MemberCalls> calls; ///< of the process's ranks; who is not named has come to none
  struct OpenCollective {
    std::uint64_t ordinal = 0;
    Caller caller; ///< any of the process's
  };
  std::vector<OpenCollective> open_collectives; ///< that not all members have come to
};

/// Returns why the ranks of all processes stand, the endings ordered by their ranks; empty when none does. Throws
/// ReplayProblem where they met in different collectives.
Diagnosis diagnose(const trace::Run& run, const Communicators& communicators, const std::vector<Ending>& endings);

/// Returns true when ranks wait only for what was not recorded: some ranks' recordings are cut short, and no ranks wait
/// for each other in a circle. A prediction then ends where its ranks wait.
bool ends_with_recording(const trace::Run& run, const Diagnosis& diagnosis);

/// Throws ReplayProblem unless no rank waits and no message is left over, or that is so because recordings are cut
/// short. Returns what the reader of the result should know of that, or nothing.
std::string require_ended(const trace::Run& run, Diagnosis diagnosis, const std::vector<Ending>& endings);

/// What the reader of a result should know.
struct Findings {
  std::set<std::string> notes;
  std::uint64_t open_requests = 0; ///< never completed
  UnmodelledCounts not_modelled = {};
  std::optional<Incast> incast = std::nullopt; ///< the worst
  bool order_matters = false;                  ///< Result::order_matters

  void add(const Findings& other);
};

/// Puts them into the result in words, with what can be said of the run itself.
void tell(const trace::Run& run, const Findings& findings, Result& result);

} // namespace timeless::replay
