#pragma once

#include <simgrid/s4u.hpp>
#include <smpi/smpi.h>
#include <xbt/Extendable.hpp>

// What SMPI's library exports but no public header shows, as far as it is needed here. Same in SimGrid 3.32 to 4.x;
// members without virtual functions, so that only their names matter.
namespace simgrid::smpi {

/// A type of elements.
class Datatype {
public:
  /// Makes a type of this many bytes, of which each takes `extent` in memory.
  static MPI_Datatype make(int size, MPI_Aint extent) {
    return new Datatype(size, 0, extent, predefined_floating_point);
  }

private:
  Datatype(int size, MPI_Aint lower_bound, MPI_Aint upper_bound, int flags);
  /// SMPI's flags: predefined, so that nobody frees it, contiguous, data, without gaps; MPI_SUM takes it.
  static constexpr int predefined_floating_point = 0x04000 | 0x00100 | 0x00080 | 0x00040 | 0x00004;
  char room_[4096]; ///< more than the members of SMPI's, which the constructor fills in
};

/// What SMPI keeps for an actor.
class ActorExt {
public:
  static simgrid::xbt::Extension<simgrid::s4u::Actor, ActorExt> EXTENSION_ID;
  /// Returns the MPI_COMM_WORLD of the actor's run. smpirun assigns it to the global of that name; without that, the
  /// node-aware collectives take every communicator for it.
  MPI_Comm comm_world() const;
  /// Returns the actor.
  simgrid::s4u::ActorPtr get_actor();
  /// Sets whether messages take their time while no bytes are copied. smpi_replay_init() sets it, too, but begins the
  /// actor's trace a second time, which SimGrid's tracing refuses.
  void set_replaying(bool value);
};

/// SMPI's communicator, as far as it is called here.
class Comm {
public:
  /// Forms the groups of ranks per host that the node-aware collectives use; else they do so in the midst of a replay,
  /// and crash.
  void init_smp();
  /// Returns the communicator of the hosts' leaders; MPI_COMM_NULL before init_smp().
  MPI_Comm get_leaders_comm() const;
};

int reduce_scatter__mpich_noncomm(const void* sent, void* received, const int* counts, MPI_Datatype type,
                                  MPI_Op operation, MPI_Comm members);

using Broadcast = int(void* buffer, int count, MPI_Datatype, int root, MPI_Comm);
using Reduce = int(const void* sent, void* received, int count, MPI_Datatype, MPI_Op, int root, MPI_Comm);
using Allreduce = int(const void* sent, void* received, int count, MPI_Datatype, MPI_Op, MPI_Comm);
using ReduceScatter = int(const void* sent, void* received, const int* counts, MPI_Datatype, MPI_Op, MPI_Comm);
using Rooted = int(const void* sent, int send_count, MPI_Datatype, void* received, int receive_count, MPI_Datatype,
                   int root, MPI_Comm);
using Exchange = int(const void* sent, int send_count, MPI_Datatype, void* received, int receive_count, MPI_Datatype,
                     MPI_Comm);
using Allgatherv = int(const void* sent, int send_count, MPI_Datatype, void* received, const int* receive_counts,
                       const int* displacements, MPI_Datatype, MPI_Comm);
using Alltoallv = int(const void* sent, const int* send_counts, const int* send_displacements, MPI_Datatype,
                      void* received, const int* receive_counts, const int* receive_displacements, MPI_Datatype,
                      MPI_Comm);

/// The algorithms that SMPI's calls go to, for all ranks.
class colls {
public:
  static Broadcast* bcast;
  static Reduce* reduce;
  static Allreduce* allreduce;
  static ReduceScatter* reduce_scatter;
  static Rooted* gather;
  static Rooted* scatter;
  static Exchange* allgather;
  static Exchange* alltoall;
  static Allgatherv* allgatherv;
  static Alltoallv* alltoallv;
};

Broadcast bcast__default;
Reduce reduce__default;
Allreduce allreduce__default;
ReduceScatter reduce_scatter__default;
Rooted gather__default;
Rooted gather__ompi_basic_linear;
Rooted scatter__default;
Exchange allgather__default;
Exchange alltoall__default;
Exchange alltoall__ring;
Allgatherv allgatherv__default;
Alltoallv alltoallv__ompi_basic_linear;

} // namespace simgrid::smpi

namespace simgrid::kernel {

/// SimGrid's engine, as far as it is called here.
class EngineImpl {
public:
  /// Returns the actor with this number; null where there is none.
  actor::ActorImpl* get_actor_by_pid(aid_t number);
};

} // namespace simgrid::kernel
