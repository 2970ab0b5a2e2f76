#pragma once

#include "replay/network/file_system.h"
#include "replay/options/instruction_set.h"
#include "replay/result/result.h"
#include "trace/model/action.h"

#include <cstdint>
#include <functional>
#include <optional>

namespace timeless::replay {

class Observer;

/// How collectives are costed; docs/model.md gives both tables.
enum class CollectiveModel : std::uint8_t {
  mpich,    ///< Thakur, Rabenseifner and Gropp's costs with MPICH's choice of algorithm
  simple,   ///< (latency + n * byte_time) * log2(p) for all of them, without arithmetic
  schedule, ///< the messages of MPICH's algorithm, each waiting for what it needs
  measured, ///< the messages of the algorithms that were measured on the network, else of MPICH's
};

/// Returns the model's name as an option has it: "mpich".
constexpr const char* name(CollectiveModel model) {
  switch (model) {
  case CollectiveModel::mpich:
    return "mpich";
  case CollectiveModel::simple:
    return "simple";
  case CollectiveModel::schedule:
    return "schedule";
  case CollectiveModel::measured:
    break;
  }
  return "measured";
}

/// Returns whether collectives are carried out step by step.
constexpr bool step_by_step(CollectiveModel model) {
  return model == CollectiveModel::schedule || model == CollectiveModel::measured;
}

/// Where messages from other nodes come in one after the other (docs/model.md, "Ports").
enum class Ports : std::uint8_t {
  none,     ///< nowhere: any number at once, each as if it were alone
  receiver, ///< at each rank, which has a port of the link's speed to itself
  node,     ///< at each rank, whose node's port all ranks of the node keep equally busy
};

/// Returns the ports' name as an option has it: "receiver".
constexpr const char* name(Ports ports) {
  if (ports == Ports::none) return "none";
  return ports == Ports::receiver ? "receiver" : "node";
}

/// What computation hides first of a message's way.
enum class Overlap : std::uint8_t { latency_first, bandwidth_first };

/// In what order a rank takes what one call completes together; the end is the same, its division is not. Through a
/// port messages come by arrival only.
enum class CompletionOrder : std::uint8_t { of_arrival, as_listed };

/// When ranks' clocks begin.
enum class StartClock : std::uint8_t {
  own,    ///< at 0 with the rank's first action
  global, ///< with the first action's recorded time since all ranks had left MPI_Init
};

/// Whether a replay jumps over iterations that are proved to repeat what was played (docs/model.md, "Steady states").
enum class Jumps : std::uint8_t {
  none,
  dry,                ///< it stops where it would to compare, and plays everything: the same bits as `taken`
  taken,              ///< the last bits may differ from those of `none`, since times count from the last stop on
  where_much_repeats, ///< `taken` in long runs half of whose actions repeat, as far as volumes tell; else `none`
};

/// How a replay models what a network does not say, and what it is to answer.
struct ReplayOptions {
  CollectiveModel collectives = CollectiveModel::mpich;
  Overlap overlap = Overlap::latency_first;
  Ports ports = Ports::none;
  CompletionOrder completions = CompletionOrder::of_arrival;
  StartClock clock = StartClock::own;
  /// Whether a nonblocking send costs its caller the copy of the message.
  bool nonblocking_copy = true;
  /// Whether making a communicator costs a small allreduce; otherwise nobody waits for anybody in it.
  bool creation = true;
  FileSystem file_system = {};
  /// Actions a rank replays before the next rank is run: many, and what a rank needs is fetched less often; few, and
  /// fewer messages are in flight. Over several processes at most 64 count, or one would wait for a pipeline to fill.
  /// The result does not depend on it.
  std::uint32_t budget = 256;
  /// Where iterations do not repeat, or something is asked for that every action must be played for, all are played;
  /// Result::steady says so.
  Jumps jumps = Jumps::where_much_repeats;
  /// With Jumps::taken: how many iterations the loop with most actions has in place of those that were recorded, no
  /// fewer than these; 0: as recorded. Those that are added are as the first that were proved to repeat. Where none
  /// are, replay() throws Error(invalid_input).
  std::uint64_t iterations = 0;
  /// With Jumps::taken, not 0: volumes of iterations that nearly repeat become those of the others, as long as that
  /// cannot move an end by more than this share of the makespan (SteadyReport::replaced).
  double within = 0;
  /// With Jumps::taken, not 0: of each loop this share of the iterations is played, in blocks whose places are drawn
  /// from `sample_seed`, and stands for the others (SteadyReport::sampled). An estimate.
  double sample = 0;
  std::uint64_t sample_seed = 1;
  /// Whether Result::incast is asked for; without ports.
  bool incast = false;
  /// Whether LaneResult::sensitivity is asked for.
  bool sensitivities = false;
  /// What the arithmetic is done with; changes no bit of the result.
  InstructionSet instruction_set = InstructionSet::best;
  /// Threads among which lanes are divided, at most; 0: as many as pay. Changes no bit of the result. The source's
  /// streams are then read from several threads at once, and `progress` is called from any of them.
  std::uint32_t threads = 1;
  /// Also replay a lane in which whatever communication needs is free, for LaneResult::ideal_makespan.
  bool ideal = false;
  /// Whether Result::critical_path is asked for: of a network with one lane, without the two above.
  bool critical_path = false;
  /// The most that the paths to all moments may take while they grow; their beginnings are forgotten where that does
  /// not suffice.
  std::size_t path_bytes = std::size_t{1} << 30U;
  /// What every rank's time is divided by, in Result::attribution. Changes nothing else.
  AttributeBy attribute = AttributeBy::nothing;
  /// The most that the division may take: what goes beyond is put together per rank (other_subjects), and a note says
  /// so.
  std::size_t attribution_bytes = std::size_t{1} << 30U;
  /// Larger messages wait for their receive, in all lanes, whatever the network says; no_eager_limit: none does.
  std::optional<trace::Bytes> eager_limit = {};
  /// Latencies that sender and receiver spend on agreeing before such a message leaves; without it, what the network
  /// says.
  std::optional<double> handshake = {};
  /// Threads of a rank that compute at a time, at most: a burst begins when there is a core for it, and cores are given
  /// in the order in which threads ask for them. 0: each thread has a core.
  std::uint32_t cores_per_rank = 0;
  /// Told what every rank does in one lane; changes nothing. It has to outlive the replay.
  Observer* observer = nullptr;
  /// Called at the beginning with 0, now and then, and at the end, with the actions replayed so far and the number
  /// there are.
  std::function<void(std::uint64_t done, std::uint64_t total)> progress;
};

} // namespace timeless::replay
