#pragma once

#include "base/error.h"
#include "trace/model/action.h"

#include <cstdint>
#include <string>
#include <vector>

namespace timeless::replay {

/// A rank that could not go on, and what it was waiting for.
struct BlockedRank {
  trace::Rank rank = trace::no_rank;
  std::uint64_t action = 0;                ///< ordinal within the rank, from 0
  std::string call;                        ///< the action it stands in: "Recv", "Waitall", "Allreduce"
  trace::Rank thread = trace::no_rank;     ///< which of the rank's threads; no_rank: it has one
  trace::Rank for_thread = trace::no_rank; ///< the thread of its rank that it waits for; then nothing below is said
  /// The source of the message it waits for, within `collective` if there is one, or where it sends one; no_rank when
  /// it waits for others to reach a collective.
  trace::Rank peer = trace::no_rank; ///< world rank
  trace::Tag tag = 0;
  trace::CommunicatorId communicator = trace::world_communicator;
  bool sends = false;               ///< it waits for the receive of a message of its own
  trace::Bytes bytes = 0;           ///< of that message
  std::string collective;           ///< the collective it waits in or for, else empty
  std::vector<trace::Rank> missing; ///< members that have not reached that collective (world ranks): the first of them
  std::size_t missing_count = 0;    ///< how many have not
};

/// Messages that nobody received.
struct LeftoverMessages {
  trace::Rank source = trace::no_rank;      ///< world rank
  trace::Rank destination = trace::no_rank; ///< world rank
  trace::CommunicatorId communicator = trace::world_communicator;
  trace::Tag tag = 0;
  std::uint64_t count = 0;
  trace::Bytes bytes = 0; ///< in all
};

/// Two members of a communicator that met in different collectives, the lower rank first.
struct CollectiveMismatch {
  trace::CommunicatorId communicator = trace::world_communicator;
  std::uint64_t ordinal = 0; ///< which collective of the communicator, from 0
  trace::Rank first_rank = trace::no_rank;
  std::uint64_t first_action = 0;
  std::string first_call; ///< "Bcast from 0"
  trace::Rank second_rank = trace::no_rank;
  std::uint64_t second_action = 0;
  std::string second_call;
};

/// Why a trace cannot be replayed to its end.
struct Diagnosis {
  std::vector<BlockedRank> blocked;
  std::vector<trace::Rank> cycle; ///< ranks that wait for each other, in order; empty when there is no such circle
  std::vector<LeftoverMessages> leftovers;
  std::vector<CollectiveMismatch> mismatches;
  std::vector<std::string> remarks; ///< what else may explain it: "the recording of rank 3 is cut short"
};

/// Returns the diagnosis in words, at most `lines` lines of each sort of finding.
std::string text(const Diagnosis& diagnosis, std::size_t lines = 8);

/// A trace whose ranks cannot all reach their end, or that leaves messages behind: Failure::invalid_input.
class ReplayProblem : public Error {
public:
  explicit ReplayProblem(Diagnosis diagnosis);
  const Diagnosis& diagnosis() const noexcept { return diagnosis_; }

private:
  Diagnosis diagnosis_;
};

} // namespace timeless::replay
