#pragma once

#include <simgrid/s4u.hpp>
#include <smpi/smpi.h>
#include <xbt/Extendable.hpp>

// Two classes of SMPI's own that the library exports but no public header shows, with the members needed here. Same in
// SimGrid 3.32 to 4.x; members without virtual functions, so that only their names matter.
namespace simgrid::smpi {

/// What SMPI keeps for an actor.
class ActorExt {
public:
  static simgrid::xbt::Extension<simgrid::s4u::Actor, ActorExt> EXTENSION_ID;
  /// The MPI_COMM_WORLD of the actor's run. smpirun assigns it to the global of that name; without that, the node-aware
  /// collectives take every communicator for it.
  MPI_Comm comm_world() const;
  /// From now on messages take their time, but no bytes are copied. smpi_replay_init() does this, and begins the actor's
  /// trace a second time, which SimGrid's tracing refuses.
  void set_replaying(bool value);
};

class Comm {
public:
  /// Forms the groups of ranks per host that the node-aware collectives use; else they do so in the midst of a replay,
  /// and crash.
  void init_smp();
  /// MPI_COMM_NULL before init_smp().
  MPI_Comm get_leaders_comm() const;
};

} // namespace simgrid::smpi
