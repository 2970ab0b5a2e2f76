#pragma once

#include "trace/model/run.h"
#include "tracer/common/flat_map.h"
#include "tracer/mpi/types.h"

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <vector>

/// The communicators of this rank: their numbers, their members, and an identity that all members agree on without
/// talking to each other.
///
/// How identities are computed (all arithmetic on unsigned 64-bit numbers, wrapping):
///
///     splitmix64(x) = base/mixing.h
///     combine(h, v) = splitmix64(h ^ splitmix64(v))
///     members(g)    = combine of combine(0, number of members of g) and, in order, the world rank of each member, -4
///                     for one of another world
///
/// - MPI_COMM_WORLD: splitmix64(1). MPI_COMM_SELF of world rank r: combine(splitmix64(2), r). The communicator with
///   the parents of a spawned process: splitmix64(6).
/// - A communicator made by a call that is collective over a parent (dup, idup, split, split_type, create, cart_create,
///   cart_sub, graph_create, dist_graph_create, dist_graph_create_adjacent, intercomm_merge; the communicator
///   of a window or file): combine(combine(combine(identity of the parent, 3), index), leader). The index counts such
///   calls on the parent from 0, in the order of the calls; every member of the parent counts, also those that get
///   MPI_COMM_NULL. The leader is the world rank of the first member that is of this world; of an intercommunicator,
///   the smaller one of those of both groups.
/// - MPI_Comm_create_group: with h = combine(combine(combine(identity of the parent, 4), members(group)), tag):
///   combine(h, occurrence), where the occurrence counts from 0 how often its members have made one with the same h.
/// - MPI_Intercomm_create, and with tag 0 MPI_Comm_spawn, accept, connect and join: as before, with
///   h = combine(combine(combine(splitmix64(5), members(first)), members(second)), tag); the first of the two groups is
///   that whose first member of this world has the smaller world rank.
///
/// Tags enter as their 32-bit two's complement, ranks as themselves.
namespace timeless::tracer {

/// What is known of a communicator of the program.
struct KnownCommunicator {
  trace::CommunicatorId id = trace::no_communicator;
  std::uint64_t identity = 0;
  int rank = 0;        ///< this process in it
  int size = 0;        ///< of the local group
  int remote_size = 0; ///< 0 unless an intercommunicator
  std::uint32_t creations = 0;
  std::map<std::uint64_t, std::uint64_t> groups = {}; ///< of MPI_Comm_create_group over it: how often each h

  bool inter() const { return remote_size > 0; }
  /// Returns how many ranks a rooted or v-collective speaks to.
  int peers() const { return inter() ? remote_size : size; }
};

/// The communicators of this rank, by handle.
///
/// Not safe to share: where several threads call MPI at once, the recorder's mutex is held around each member but
/// version(). Threads remember what they have looked up, and read it without the mutex as long as version() stays; so a
/// KnownCommunicator's identity, rank and sizes do not change once it is entered, and after expect_threads() its memory
/// is not used again. `creations` and `groups` are read and changed under the mutex only.
class CommunicatorTable {
public:
  /// Defines MPI_COMM_WORLD (0), MPI_COMM_SELF (1) and, in spawned processes, what MPI_Comm_get_parent returns (2).
  /// Where the program has sessions in place of MPI_Init, the first two have no handles.
  void start();
  /// Gives them theirs: MPI_Init has been called.
  void name_world();

  /// Returns that of all processes.
  KnownCommunicator& world() { return pool_.front(); }
  /// Returns what is known of a communicator, or null: MPI_COMM_NULL, or made by a call the tracer does not see.
  KnownCommunicator* find(MPI_Comm handle);
  /// Forgets a handle, if it still means this communicator, and the communicator.
  void forget(MPI_Comm handle, KnownCommunicator& known);
  /// Forgets a communicator that has no handle: its memory may serve another.
  void forget(KnownCommunicator& known);
  /// Keeps, from now on, a communicator as it is when it has been forgotten: other threads may be looking at it.
  void expect_threads() { reused_ = false; }
  /// Returns another number whenever a handle may have come to mean another communicator; for threads that remember
  /// some.
  std::uint64_t version() const { return version_.load(std::memory_order_acquire); }

  /// Returns the identity of the next communicator made collectively over this parent, but for its leader.
  std::uint64_t next_creation(KnownCommunicator& parent);
  /// Enters a communicator made collectively over a parent.
  KnownCommunicator* add(MPI_Comm handle, std::uint64_t creation);
  /// Enters a communicator with the groups and topology of the parent before its handle may be used (MPI_Comm_idup).
  KnownCommunicator* add_duplicate(MPI_Comm handle, MPI_Comm parent, std::uint64_t creation);
  KnownCommunicator* add_of_group(MPI_Comm handle, KnownCommunicator& parent, int tag);
  KnownCommunicator* add_intercommunicator(MPI_Comm handle, int tag);
  /// Enters a communicator of the local group of an intercommunicator, which no handle names.
  KnownCommunicator* add_local_group(MPI_Comm intercommunicator, KnownCommunicator& parent, int tag);
  /// Gives a communicator that is already defined its handle.
  void name(MPI_Comm handle, KnownCommunicator* known);

  /// Returns how many are defined.
  std::size_t defined() const { return defined_; }
  /// Returns those from this number on, of the ones not yet taken.
  std::vector<trace::Communicator> new_ones(std::size_t first) const;
  /// Returns those defined since the last time.
  std::vector<trace::Communicator> take_new();

private:
  void start_without_world();
  KnownCommunicator* enter_of_group(MPI_Comm handle, trace::Communicator made, KnownCommunicator& parent, int tag);
  KnownCommunicator* enter(MPI_Comm handle, trace::Communicator communicator, std::uint64_t identity);
  trace::Rank world_rank_ = trace::no_rank;
  std::atomic<std::uint64_t> version_{0};
  std::size_t defined_ = 0;
  std::deque<KnownCommunicator> pool_;
  std::vector<KnownCommunicator*> spare_;
  bool reused_ = true;
  FlatMap<KnownCommunicator*> by_handle_;
  std::vector<trace::Communicator> new_;
  std::map<std::uint64_t, std::uint64_t> meetings_; ///< of MPI_Intercomm_create and the like: how often each h
};

/// How many ranks send to this one, and it to others, in the communicator's topology.
struct Neighbors {
  int in = 0;
  int out = 0;
};
Neighbors ask_neighbors(MPI_Comm handle);
/// Sets `ranks` to those that send to this one, then those that it sends to, both in the order of neighbourhood
/// collectives; no_rank where there is nobody beyond the edge of a grid.
Neighbors list_neighbors(MPI_Comm handle, std::vector<trace::Rank>& ranks);

} // namespace timeless::tracer
