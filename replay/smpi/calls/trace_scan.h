#pragma once

#include "trace/model/request_outcomes.h"
#include "trace/model/source.h"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace timeless::replay::smpi {

/// What a run does on a communicator, as far as something must stand ready for it.
struct CommunicatorUse {
  bool used = false;
  bool aside = false;  ///< messages of ours go beside the program's: neighbourhoods, and what two groups do together
  bool window = false; ///< a window's own
};

/// What must be known of a run before its first action is replayed.
struct TraceScan {
  std::uint64_t actions = 0;
  std::vector<CommunicatorUse> communicators; ///< by CommunicatorId
  /// By CommunicatorId: the one to use instead, where both sides of an intercommunicator recorded one of their own.
  std::vector<trace::CommunicatorId> same_as;
  trace::Bytes scattered_unit = 1;          ///< the largest elements that a Scatterv's parts are rounded up to
  bool large_parts = false;                 ///< a vector collective has parts beyond what an int can count in bytes
  bool files = false;                       ///< files are read or written
  bool threads = false;                     ///< several threads of a rank call MPI
  std::set<trace::Rank> ranks_with_threads; ///< those of which several do
  std::vector<std::string> notes;           ///< what is carried out otherwise than the program did it, each named once
  std::vector<trace::RequestOutcomes> request_outcomes; ///< by rank
};

/// Reads the whole run once. Throws Error(missing_capability) naming all that SMPI cannot replay, Error(invalid_input)
/// for missing ranks, for communicators that the run does not define, and for what trace::RequestOutcomeReader refuses.
TraceScan scan(const trace::Source& source);

} // namespace timeless::replay::smpi
