#pragma once

#include "replay/engine/matching/channels.h"
#include "replay/engine/matching/collective_matching.h"
#include "replay/engine/matching/communicators.h"
#include "replay/result/problem.h"
#include "trace/model/run.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace timeless::replay {

/// The k-th collective of a communicator.
struct CollectiveName {
  trace::CommunicatorId communicator = trace::world_communicator;
  std::uint64_t ordinal = 0; ///< k
  std::string call;          ///< "Bcast with root 2"
};

/// A rank that stands: where, and for the next message of a channel, or the receive of one, or for a collective. Tells
/// all by itself, so that another process can make sense of it.
struct RankStatus {
  trace::Rank rank = trace::no_rank;
  std::uint64_t action = 0;
  std::string call;
  trace::Rank thread = trace::no_rank;     ///< of a rank with several; no_rank: it has one
  trace::Rank for_thread = trace::no_rank; ///< of its rank, which it waits for
  bool for_instance = false;
  std::optional<double> sends = {}; ///< the size of the message whose receive it waits for
  ChannelKey channel = {};          ///< unless for_instance
  CollectiveName instance = {};     ///< if for_instance
  /// Of a scheduled collective, the member whose message it waits for (world rank).
  trace::Rank member = trace::no_rank;
  bool only_member = false; ///< that member alone holds it up: a neighbourhood
};

/// What a diagnosis looks at.
struct DiagnosisInput {
  const trace::Run& run;
  const Communicators& communicators;
  const CollectiveMatching& matching;
};

/// Returns why these ranks, given by rising number, stand while no other rank goes on; neither leftovers nor remarks.
Diagnosis diagnose(const DiagnosisInput& input, std::span<const RankStatus> status);

/// Returns the messages that no receive was posted for, by source, destination, communicator and tag.
std::vector<LeftoverMessages> leftovers(Channels& channels);
/// Brings them into that order.
void sort(std::vector<LeftoverMessages>& leftovers);

/// Returns a remark such as "the recording of rank 3 is cut short" for every rank that does not end with MPI_Finalize;
/// names at most some of them.
std::vector<std::string> remarks(const trace::Run& run);

} // namespace timeless::replay
