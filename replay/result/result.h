#pragma once

#include "trace/model/ids.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace timeless::replay {

/// Where one rank's time went in one lane, in seconds. Only what did not overlap with computation is counted, so the
/// counters, with `start`, add up to `end` (to rounding).
struct RankTimes {
  double end = 0;         ///< when the rank reached MPI_Finalize, or the end of its trace
  double compute = 0;     ///< computation
  double memory_copy = 0; ///< copies of sent messages into the system's buffer
  double overhead = 0;    ///< the processor's part of messages, and the arithmetic of reductions
  double wait = 0;        ///< waiting for another rank to begin its part
  double latency = 0;     ///< latency of messages and collectives
  double bandwidth = 0;   ///< the bytes of messages and collectives on their way
  double files = 0;       ///< reading and writing files
  double start = 0;       ///< before the rank's clock began (StartClock::global)
};

/// The critical path to some moment, from the beginning of the run: how many of its seconds were latencies, bytes on
/// their way, and computation; for links that scale (ClassCosts::scales). The rest are copies, overheads, reductions
/// and other links, or time given by the network.
///
/// They are the exact derivatives of that moment by the logarithms of latency, byte time and computation time: were all
/// latencies 1 % longer, it would come 1 % of `latency` later, as long as the path stays the longest. Of paths that
/// take equally long, one is chosen by rules (docs/model.md).
struct Sensitivity {
  double latency = 0;   ///< seconds
  double bandwidth = 0; ///< seconds
  double compute = 0;   ///< seconds
};

struct Diagnosis;

/// Where the time of one of a rank's threads went.
struct ThreadTimes {
  trace::Rank rank = trace::no_rank;
  trace::Rank thread = 0; ///< as the trace numbers them
  RankTimes times;        ///< waiting for threads of its rank counts as waiting
};

/// What a replay says of one configuration.
struct LaneResult {
  std::string name;
  double makespan = 0; ///< the largest end, seconds; infinity in a deadlock
  /// The makespan when messages, collectives and overheads take no time and all that ranks wait for is each other's
  /// computation; where it was asked for (ReplayOptions::ideal).
  std::optional<double> ideal_makespan = std::nullopt;
  /// Empty in a deadlock. A rank with several threads ends with the last of them; its time is divided as that of this
  /// thread, and before a moment at which it waited for another thread of its rank as that of the other.
  std::vector<RankTimes> ranks;
  std::vector<ThreadTimes> threads = {}; ///< of ranks that have several, by rank and in the order they were met
  /// With ReplayOptions::sensitivities: of the makespan (the lowest of the ranks that end last), and of each rank's
  /// end; else zeros, and empty.
  Sensitivity sensitivity{};
  std::vector<Sensitivity> rank_sensitivities{};
  /// How many seconds earlier, and later, any rank may end with the volumes that were recorded; not 0 where some were
  /// replaced (ReplayOptions::within).
  double earlier = 0;
  double later = 0;
  /// By how many seconds the makespan may be off in either direction in 95 of 100 samples of so many iterations; not 0
  /// where some were estimated (ReplayOptions::sample).
  double sampling_error = 0;
  std::uint64_t jumped = 0; ///< actions that were not played for this configuration (Jumps::taken)
  /// Why the run does not end here: its ranks come to wait for each other, because messages that other lanes send
  /// eagerly wait for their receives. Null when it ends.
  std::shared_ptr<const Diagnosis> deadlock = nullptr;
};

/// Something that the model leaves out, and how much of it a run holds.
struct NotModelled {
  std::string what; ///< "exclusive locks do not wait for each other"
  std::uint64_t calls = 0;
  std::uint64_t ranks = 0; ///< that make such calls
  bool operator==(const NotModelled&) const = default;
};

/// What a rank's time is divided by.
enum class AttributeBy : std::uint8_t {
  nothing,
  calls,   ///< MPI calls by their names, and computation
  kernels, ///< the kernel computed last: its own computation, and the calls from there to the next kernel
};

/// The part of a rank's time that belongs to one kind of call, or to one kernel.
struct AttributedTimes {
  trace::Rank rank = trace::no_rank; ///< no_rank: a mean over all of them
  std::uint32_t subject = 0;         ///< a place in Attribution::calls, or a kernel, or one of the next two
  std::uint64_t count = 0;           ///< calls, or computations
  std::vector<RankTimes> lanes;      ///< `end` is the sum of the counters
};

/// Before a rank's first kernel, or computed in no kernel that is known.
inline constexpr std::uint32_t no_subject = 0xffffffffU;
/// Those of a rank that there was no memory to tell apart.
inline constexpr std::uint32_t other_subjects = 0xfffffffeU;
/// Before the rank's clock began: RankTimes::start alone.
inline constexpr std::uint32_t before_start = 0xfffffffcU;

/// Every rank's time, divided. Of each rank and lane the parts of a counter, added up as they are listed, give exactly
/// what the rank has in all; to that end the largest part takes what rounding leaves.
struct Attribution {
  AttributeBy by = AttributeBy::nothing;
  std::vector<std::string> calls;     ///< "computation" first, then "Allreduce", "Isend" and so on by the alphabet
  std::vector<AttributedTimes> parts; ///< by rank, then by subject
};

/// A piece of the critical path. The pieces follow each other without gaps, from 0 to the makespan.
struct PathSegment {
  enum class Kind : std::uint8_t {
    local,       ///< what `rank` did from `first_action` to `last_action`, or the thread whose the latter is
    message,     ///< from the send of `from` (its action `first_action`) until `rank` had it (its action `last_action`)
    collective,  ///< from when the last member, `from`, came (its `first_action`) until `rank` was done (`last_action`)
    forgotten,   ///< the beginning of a path that was too long to be kept, up to the `last_action` of `rank`
    not_started, ///< until the clock of `rank` began (StartClock::global)
  };
  Kind kind = Kind::local;
  trace::Rank rank = trace::no_rank;
  trace::Rank from = trace::no_rank;
  std::uint64_t first_action = 0; ///< ordinals within the rank, from 0
  std::uint64_t last_action = 0;
  double begin = 0; ///< seconds
  double end = 0;
  // What the time between is; the rest are copies, overheads, reductions and files.
  double compute = 0;
  double latency = 0;
  double bandwidth = 0;
  bool operator==(const PathSegment&) const = default;
};

/// Messages that come in at the same time without ports, and could not on a real machine.
struct Incast {
  trace::Rank rank = trace::no_rank; ///< whose port would fall behind most
  double seconds = 0;                ///< by how much, in the first lane, over the whole run
};

/// What a replay with Jumps::taken jumped over in all configurations, at least (docs/model.md, "Steady states").
struct SteadyReport {
  struct Loop {
    std::size_t number = 0;       ///< of those that all ranks share, from 0
    std::uint64_t iterations = 0; ///< with those that were added
    std::uint64_t added = 0;      ///< that were not recorded (ReplayOptions::iterations)
    std::uint64_t jumped = 0;     ///< of these
    std::uint64_t jumps = 0;
    std::uint64_t from = 0;   ///< the iteration before which the first jump's state was met first, from 0
    std::uint64_t period = 0; ///< iterations after which it was met again
    std::uint64_t blocks = 0; ///< that stand for what was jumped over; 0 where that was proved
    bool operator==(const Loop&) const = default;
  };
  /// What ReplayOptions::within let be replaced.
  struct Replaced {
    std::uint64_t iterations = 0; ///< whose volumes became the usual ones on some rank
    double share = 0;             ///< the most that was allowed, of a makespan
    bool operator==(const Replaced&) const = default;
  };
  /// What ReplayOptions::sample asked for.
  struct Sampled {
    double share = 0;
    std::uint64_t seed = 0;
    bool operator==(const Sampled&) const = default;
  };
  std::uint64_t actions = 0; ///< jumped over, of all ranks
  std::vector<Loop> loops;
  std::optional<Sampled> sampled = std::nullopt; ///< where some iterations were estimated
  std::optional<Replaced> replaced = std::nullopt;
  std::vector<std::string> played_since; ///< why other iterations were played; each reason once

  /// Takes what was jumped over for further configurations of the same run: what was played for some was not saved,
  /// and what was estimated for some is an estimate.
  void add(const SteadyReport& further);
  /// Returns true where the replay is of more iterations than were recorded.
  bool adds() const {
    return std::ranges::any_of(loops, [](const Loop& loop) { return loop.added > 0; });
  }
  bool operator==(const SteadyReport&) const = default;
};

/// What a replay says.
struct Result {
  std::vector<LaneResult> lanes;
  /// False when only ends and makespans are known: a simulator that does not say why.
  bool attributed = true;
  std::uint64_t actions = 0;                         ///< actions replayed, over all ranks
  std::optional<Incast> incast = std::nullopt;       ///< where it was asked for (ReplayOptions::incast)
  std::optional<SteadyReport> steady = std::nullopt; ///< with ReplayOptions::jumps
  /// In a replay of sensitivities: a rank completed several messages at once that each take it time (an overhead). The
  /// order in which they come decides what that time delays, so ends need not be convex functions of costs.
  bool order_matters = false;
  Attribution attribution;                     ///< as far as asked for (ReplayOptions::attribute)
  std::vector<PathSegment> critical_path = {}; ///< where asked for (ReplayOptions::critical_path)
  /// What was modelled more simply than it happens, each named once, for the reader of the result.
  std::vector<std::string> notes;
  /// What of this run the model left out, with the calls it concerns; empty when nothing.
  std::vector<NotModelled> not_modelled;
};

/// Returns what a result notes where ranks wait in the end for what was not recorded.
std::string waits_for_unrecorded(std::uint64_t waiting, std::uint64_t ranks);

/// The counters of RankTimes: what adds up to the end.
inline constexpr double RankTimes::*rank_counters[] = {
    &RankTimes::compute, &RankTimes::memory_copy, &RankTimes::overhead, &RankTimes::wait,
    &RankTimes::latency, &RankTimes::bandwidth,   &RankTimes::files,    &RankTimes::start};

/// Sets the makespan to the largest end of the lane's ranks, and its sensitivity to that of the lowest rank with that
/// end. Throws Error(invalid_input) where some time of a rank is no number of seconds, or beyond 1e18 s.
void find_makespan(LaneResult& lane);

/// Returns the mean over ranks of every field.
RankTimes mean(const LaneResult& lane);

/// Percentages of the mean end: the mean over ranks of each counter divided by the mean over ranks of the ends.
/// All are 0 in a run that takes no time.
struct Shares {
  double computation = 0; ///< compute and memory copies
  double overhead = 0;
  double wait = 0;
  double latency = 0;
  double bandwidth = 0;
  double files = 0;
};

Shares shares(const LaneResult& lane);

/// Returns the parts by subject, each the mean over all ranks of the result (those without such a part count as 0);
/// counts are summed. Counters add up, as listed, to exactly those of mean(), lane by lane.
std::vector<AttributedTimes> mean_parts(const Result& result);

/// Changes the largest part by what rounding leaves, so that `parts` added up from first to last give `total`.
void close_sum(std::span<double> parts, double total);

} // namespace timeless::replay
