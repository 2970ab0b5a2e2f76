#pragma once

#include "trace/formats/common/lowering.h"
#include "trace/model/source.h"

#include <compare>
#include <cstdint>
#include <functional>
#include <map>

namespace timeless::analysis {

/// By what bytes go from one rank to another.
enum class TrafficKind : std::uint8_t {
  message,    ///< sent
  put,        ///< into another rank's window: also accumulated
  get,        ///< from another rank's window: from the target to the rank that makes the call
  collective, ///< a message of the algorithm that a collective is taken to be carried out by
};

const char* name(TrafficKind kind);

/// Who sends whom, by what, and where. Ranks are those of MPI_COMM_WORLD; foreign_rank is one of another world.
struct TrafficPath {
  trace::CommunicatorId communicator = trace::world_communicator; ///< of a put or get: the window's
  trace::Rank source = trace::no_rank;
  trace::Rank destination = trace::no_rank;
  TrafficKind kind = TrafficKind::message;
  auto operator<=>(const TrafficPath&) const = default;
};

/// What went from one rank to another.
struct TrafficFigures {
  std::uint64_t messages = 0;
  trace::Bytes bytes = 0;
};

/// The communication matrix: what is not there is 0.
using Traffic = std::map<TrafficPath, TrafficFigures>;

/// Returns a partner's rank in MPI_COMM_WORLD. Throws Error(invalid_input) for one that the communicator does not have.
trace::Rank world_rank(const trace::Run& run, trace::Rank self, const trace::Action& action);

/// Reads the whole run once; messages are told by their senders. `lower`, if given, says what collectives send.
Traffic traffic(const trace::Source& source, const trace::formats::Lowering& lower = {},
                const std::function<void(std::uint64_t)>& progress = {});

} // namespace timeless::analysis
