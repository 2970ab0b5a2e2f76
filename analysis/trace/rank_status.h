#pragma once

#include "trace/model/source.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

/// Where the ranks of a program stand that has not reached its end: it hangs, is still running, or was killed.
namespace timeless::analysis {

/// An MPI call that a thread is in, or was in when its process ended.
struct CallInProgress {
  std::string call; ///< "MPI_Recv"
  std::string with; ///< whom it is about: "from 2, tag 7, of communicator 3"; empty when that is not known
  std::string site; ///< where the program makes it: "solver+0x4711"; empty when that is not known
};

/// How far a rank came, and what it was doing at the end of its recording.
struct RankStatus {
  trace::Rank rank = trace::no_rank;
  trace::Ending ending = trace::Ending::unknown;
  std::string reason;                ///< RankRecord::ending_reason
  std::uint64_t actions = 0;         ///< recorded
  std::string last_action;           ///< the last that is no computation: "Isend to 3, tag 7, 1024 bytes"
  std::vector<std::string> requests; ///< begun and not completed, the oldest first; at most most_requests
  std::size_t open_requests = 0;     ///< how many there are
  /// MPI calls begun, as the journal has it. A gathered archive has no journals.
  std::optional<std::uint64_t> calls = {};
  std::vector<CallInProgress> in; ///< one for each thread that is in MPI
};

inline constexpr std::size_t most_requests = 8;

/// Returns, of each rank that has not finalized, what its actions and, where there is one, its journal say. `files` are
/// the ranks' own files, beside which the journals stand; none for a gathered archive. Reads those ranks' actions
/// unless `brief`.
std::vector<RankStatus> rank_statuses(const trace::Source& source,
                                      const std::map<trace::Rank, std::filesystem::path>& files, bool brief);

/// Ranks that are in the same calls, by what these are ("MPI_Recv from 2, tag 7" or "not in MPI"); the call that the
/// fewest are in comes first, since it is often why the others wait.
struct CallGroup {
  std::string where;
  std::vector<trace::Rank> ranks;
};
std::vector<CallGroup> group_by_call(const std::vector<RankStatus>& rank_statuses);

} // namespace timeless::analysis
