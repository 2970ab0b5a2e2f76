#include "replay/distributed/distributed_replay.h"

#include "base/error.h"
#include "base/processor_time.h"
#include "replay/distributed/mpi_bus.h"
#include "replay/distributed/replay_in_step.h"

#include <chrono>

namespace timeless::replay {

namespace {

void add(const MpiBus::Traffic& traffic, const ProcessWork& done, ProcessWork& work) {
  work.ranks = done.ranks;
  work.actions += done.actions;
  work.messages += done.messages;
  work.collectives += done.collectives;
  work.batches += traffic.batches;
  work.bytes += traffic.bytes;
  work.waited += traffic.waited;
}

} // namespace

std::optional<Result> distributed_replay(MPI_Comm processes, const trace::Source& source, const Network& network,
                                         const ReplayOptions& options, const Cooperation& cooperation,
                                         ProcessWork* work) {
  const auto begin = std::chrono::steady_clock::now();
  const double cpu_begin = processor_seconds();
  require_replayable(source.run(), network, options);
  if (options.cores_per_rank > 0)
    throw Error(Failure::missing_capability, "several processes cannot share out the cores of ranks in order of time",
                {}, "replay with timeless, on one process");
  int process = 0;
  MPI_Comm_rank(processes, &process);
  const ReplayLanes once = [&](const Network& lanes, const ReplayOptions& asked) {
    MpiBus bus(processes);
    Participant participant(source, lanes, asked, bus, cooperation);
    try {
      for (Participant::Next next = Participant::Next::step; next != Participant::Next::done; next = participant.step())
        if (next == Participant::Next::wait) bus.idle();
      bus.finish();
    } catch (const std::exception& problem) {
      bus.abandon();
      throw LostProcess(problem.what());
    }
    if (work) add(bus.traffic(), participant.work_done(), *work);
    return participant.result();
  };
  Result result = replay_in_step(source, network, options, once);
  if (work) {
    work->seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    work->cpu_seconds += processor_seconds() - cpu_begin;
  }
  if (process > 0) return std::nullopt;
  return result;
}

} // namespace timeless::replay
