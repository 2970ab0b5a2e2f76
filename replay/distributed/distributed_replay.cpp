#include "replay/distributed/distributed_replay.h"

namespace timeless::replay {

std::optional<Result> distributed_replay(MPI_Comm processes, const trace::Source& source, Network& network,
                                         const ReplayOptions& options, const Cooperation& cooperation,
                                         MpiBus::Traffic* traffic) {
  require_replayable(source.run(), network, options);
  if (options.critical_path)
    throw Error(Failure::missing_capability, "a critical path cannot be followed over several processes", {},
                "ask `timeless replay` for it");
  MpiBus bus(processes);
  Participant participant(source, network, options, bus, cooperation);
  for (Participant::Next next = Participant::Next::step; next != Participant::Next::done; next = participant.step())
    if (next == Participant::Next::wait) bus.idle();
  bus.finish();
  if (traffic) *traffic = bus.traffic();
  return participant.result();
}

} // namespace timeless::replay
