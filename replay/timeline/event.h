#pragma once

#include "trace/model/ids.h"
#include "trace/model/run.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace timeless::replay::timeline {

/// What is shown of a rank until its clock begins, where that is not at 0.
inline constexpr std::string_view not_started_name = "not_started";

/// An ObservedAction, to be kept: its call is a number.
struct Event {
  double start = 0;
  double end = 0;
  double wait = 0;
  double latency = 0;
  double bandwidth = 0;
  double files = 0;
  std::uint64_t ordinal = 0;
  std::uint64_t volume = 0;        ///< of a computation
  std::uint64_t bytes = 0;         ///< sent, or of a collective
  std::uint64_t receive_bytes = 0; ///< received beside these, by a call that does both
  std::uint64_t sent = 0;          ///< as ObservedAction::sent
  trace::Rank rank = 0;
  trace::Rank thread = 0;                   ///< of the rank
  trace::Rank destination = trace::no_rank; ///< world ranks
  trace::Rank source = trace::no_rank;
  trace::Rank root = trace::no_rank; ///< of the communicator
  trace::Tag tag = 0;
  trace::CommunicatorId communicator = trace::world_communicator;
  std::uint32_t call = 0; ///< number of its name
  trace::KernelId kernel = trace::no_kernel;
  std::uint32_t requests = 0; ///< that it completes
  std::uint32_t received = 0; ///< how many messages it took
  bool computes = false;
  bool has_bytes = false;
  bool marks = false;       ///< says something and takes no time
  bool not_started = false; ///< no action: the rank's clock has not begun
};
static_assert(std::is_trivially_copyable_v<Event>);

/// Visits an event with the numbers of the messages it took.
using Visit = std::function<void(const Event&, std::span<const std::uint64_t> received)>;

/// What another process observed of its ranks.
class EventStream {
public:
  virtual ~EventStream() = default;
  /// Reads the next event, in the timeline's order; false after the last.
  virtual bool next(Event& event, std::vector<std::uint64_t>& received) = 0;
};

/// What goes with a process's events.
struct EventLabels {
  std::vector<std::string> calls; ///< by number
  std::vector<trace::Rank> ranks; ///< that have events
  bool left_out = false;          ///< some were not asked for
  // Where a writer needs them, as some may be left out: the messages that these events send and take.
  std::vector<std::uint64_t> sent = {};
  std::vector<std::uint64_t> taken = {};
};

/// What a writer has to know besides.
struct Labels {
  std::vector<std::string> calls; ///< by number: "Isend", "compute"
  std::function<std::string(trace::KernelId)> kernel;
  std::vector<trace::Rank> ranks; ///< all that have events, rising
  std::string lane;
  /// The messages whose two ends are both shown, rising; nothing when all are.
  std::optional<std::vector<std::uint64_t>> messages = {};
  std::vector<trace::Communicator> communicators = {}; ///< of the run, for OTF2 alone
};

} // namespace timeless::replay::timeline
