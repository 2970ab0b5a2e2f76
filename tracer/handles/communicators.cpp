#include "tracer/handles/communicators.h"

#include "base/mixing.h"
#include "tracer/mpi/program_handles.h"
#include "tracer/mpi/world_group.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

namespace timeless::tracer {

namespace {

std::uint64_t combine(std::uint64_t hash, std::uint64_t value) {
  return splitmix64(hash ^ splitmix64(value));
}

std::uint64_t of_rank(trace::Rank rank) {
  return static_cast<std::uint32_t>(rank);
}

std::uint64_t of_members(std::span<const trace::Rank> members) {
  std::uint64_t hash = combine(0, members.size());
  for (const trace::Rank member : members)
    hash = combine(hash, of_rank(member));
  return hash;
}

/// Returns the members of a group as ranks of MPI_COMM_WORLD; foreign_rank for those of another world.
std::vector<trace::Rank> world_ranks(MPI_Group group) {
  int size = 0;
  mpi().Group_size(group, &size);
  std::vector<int> own(static_cast<std::size_t>(size));
  std::iota(own.begin(), own.end(), 0);
  std::vector<trace::Rank> world(own.size(), mpi().undefined);
  OwnHandle<MPI_Group> world_group;
  get_world_group(world_group.place());
  if (size > 0) mpi().Group_translate_ranks(group, size, own.data(), world_group.value(), world.data());
  mpi().Group_free(world_group.place());
  std::ranges::replace(world, mpi().undefined, trace::foreign_rank);
  return world;
}

/// Returns the first member that is of this world.
trace::Rank first_of_world(std::span<const trace::Rank> members) {
  const auto first = std::ranges::find_if(members, [](trace::Rank rank) { return rank != trace::foreign_rank; });
  return first != members.end() ? *first : std::numeric_limits<trace::Rank>::max();
}

trace::Rank leader(const trace::Communicator& communicator) {
  return std::min(first_of_world(communicator.members), first_of_world(communicator.remote_members));
}

int topology_of(MPI_Comm handle) {
  int topology = mpi().undefined;
  mpi().Topo_test(handle, &topology);
  return topology;
}

std::vector<trace::GridDimension> grid_of(MPI_Comm handle) {
  if (topology_of(handle) != mpi().cart) return {};
  int dimensions = 0;
  mpi().Cartdim_get(handle, &dimensions);
  std::vector<int> numbers(3 * static_cast<std::size_t>(dimensions));
  int* const extents = numbers.data();
  int* const periods = extents + dimensions;
  mpi().Cart_get(handle, dimensions, extents, periods, periods + dimensions);
  std::vector<trace::GridDimension> grid(static_cast<std::size_t>(dimensions));
  for (int i = 0; i < dimensions; ++i)
    grid[static_cast<std::size_t>(i)] = {static_cast<std::uint32_t>(extents[i]), periods[i] != 0};
  return grid;
}

/// Returns what the library says of a communicator: all but its identity.
trace::Communicator described(MPI_Comm handle) {
  trace::Communicator communicator;
  OwnHandle<MPI_Group> group;
  int inter = 0;
  mpi().Comm_group(handle, group.place());
  communicator.members = world_ranks(group.value());
  mpi().Group_free(group.place());
  mpi().Comm_test_inter(handle, &inter);
  if (inter == 0) {
    communicator.grid = grid_of(handle);
    return communicator;
  }
  mpi().Comm_remote_group(handle, group.place());
  communicator.remote_members = world_ranks(group.value());
  mpi().Group_free(group.place());
  return communicator;
}

} // namespace

void CommunicatorTable::start() {
  if (world_is_of_sessions()) return start_without_world();
  mpi().Comm_rank(mpi().comm_world, &world_rank_);
  enter(mpi().comm_world, described(mpi().comm_world), splitmix64(1));
  trace::Communicator self = described(mpi().comm_self);
  const std::uint64_t identity = combine(splitmix64(2), of_rank(self.members.front()));
  enter(mpi().comm_self, std::move(self), identity);
  OwnHandle<MPI_Comm> parent;
  mpi().Comm_get_parent(parent.place());
  if (parent.value() != mpi().comm_null) enter(parent.value(), described(parent.value()), splitmix64(6));
}

/// No handle names them, unless the program calls MPI_Init later.
void CommunicatorTable::start_without_world() {
  OwnHandle<MPI_Group> all;
  get_world_group(all.place());
  mpi().Group_rank(all.value(), &world_rank_);
  enter(nullptr, {.members = world_ranks(all.value())}, splitmix64(1));
  mpi().Group_free(all.place());
  enter(nullptr, {.members = {world_rank_}}, combine(splitmix64(2), of_rank(world_rank_)));
}

void CommunicatorTable::name_world() {
  name(mpi().comm_world, &pool_[0]);
  name(mpi().comm_self, &pool_[1]);
}

KnownCommunicator* CommunicatorTable::find(MPI_Comm handle) {
  KnownCommunicator** const known = by_handle_.find(key_of(handle));
  return known != nullptr ? *known : nullptr;
}

void CommunicatorTable::forget(MPI_Comm handle, KnownCommunicator& known) {
  const bool named = find(handle) == &known;
  if (named) by_handle_.erase(key_of(handle));
  version_.fetch_add(1, std::memory_order_release);
  if (named) forget(known);
}

void CommunicatorTable::forget(KnownCommunicator& known) {
  if (reused_) spare_.push_back(&known);
}

std::uint64_t CommunicatorTable::next_creation(KnownCommunicator& parent) {
  return combine(combine(parent.identity, 3), parent.creations++);
}

KnownCommunicator* CommunicatorTable::add(MPI_Comm handle, std::uint64_t creation) {
  return add_duplicate(handle, handle, creation);
}

KnownCommunicator* CommunicatorTable::add_duplicate(MPI_Comm handle, MPI_Comm parent, std::uint64_t creation) {
  trace::Communicator communicator = described(parent);
  const std::uint64_t identity = combine(creation, of_rank(leader(communicator)));
  return enter(handle, std::move(communicator), identity);
}

KnownCommunicator* CommunicatorTable::add_of_group(MPI_Comm handle, KnownCommunicator& parent, int tag) {
  return enter_of_group(handle, described(handle), parent, tag);
}

KnownCommunicator* CommunicatorTable::add_local_group(MPI_Comm intercommunicator, KnownCommunicator& parent, int tag) {
  return enter_of_group(nullptr, {.members = described(intercommunicator).members}, parent, tag);
}

KnownCommunicator* CommunicatorTable::enter_of_group(MPI_Comm handle, trace::Communicator made,
                                                     KnownCommunicator& parent, int tag) {
  const std::uint64_t hash = combine(combine(combine(parent.identity, 4), of_members(made.members)), of_rank(tag));
  return enter(handle, std::move(made), combine(hash, parent.groups[hash]++));
}

KnownCommunicator* CommunicatorTable::add_intercommunicator(MPI_Comm handle, int tag) {
  trace::Communicator made = described(handle);
  std::uint64_t first = of_members(made.members);
  std::uint64_t second = of_members(made.remote_members);
  if (first_of_world(made.members) > first_of_world(made.remote_members)) std::swap(first, second);
  const std::uint64_t hash = combine(combine(combine(splitmix64(5), first), second), of_rank(tag));
  return enter(handle, std::move(made), combine(hash, meetings_[hash]++));
}

void CommunicatorTable::name(MPI_Comm handle, KnownCommunicator* known) {
  by_handle_.set(key_of(handle), known);
}

std::vector<trace::Communicator> CommunicatorTable::new_ones(std::size_t first) const {
  const std::size_t taken = defined_ - new_.size();
  return {new_.begin() + static_cast<std::ptrdiff_t>(std::max(first, taken) - taken), new_.end()};
}

std::vector<trace::Communicator> CommunicatorTable::take_new() {
  return std::exchange(new_, {});
}

KnownCommunicator* CommunicatorTable::enter(MPI_Comm handle, trace::Communicator communicator, std::uint64_t identity) {
  if (spare_.empty()) spare_.push_back(&pool_.emplace_back());
  KnownCommunicator* const known = spare_.back();
  spare_.pop_back();
  *known = {};
  known->id = static_cast<trace::CommunicatorId>(defined_++);
  known->identity = identity;
  known->size = static_cast<int>(communicator.members.size());
  known->remote_size = static_cast<int>(communicator.remote_members.size());
  known->rank = static_cast<int>(std::ranges::find(communicator.members, world_rank_) - communicator.members.begin());
  communicator.identity = identity;
  new_.push_back(std::move(communicator));
  if (handle != nullptr) by_handle_.set(key_of(handle), known);
  return known;
}

Neighbors ask_neighbors(MPI_Comm handle) {
  Neighbors neighbors;
  const int topology = topology_of(handle);
  int rank = 0;
  int weighted = 0;
  if (topology == mpi().cart) {
    mpi().Cartdim_get(handle, &neighbors.in);
    neighbors.in = neighbors.out = 2 * neighbors.in;
  } else if (topology == mpi().graph) {
    mpi().Comm_rank(handle, &rank);
    mpi().Graph_neighbors_count(handle, rank, &neighbors.in);
    neighbors.out = neighbors.in;
  } else if (topology == mpi().dist_graph) {
    mpi().Dist_graph_neighbors_count(handle, &neighbors.in, &neighbors.out, &weighted);
  }
  return neighbors;
}

Neighbors list_neighbors(MPI_Comm handle, std::vector<trace::Rank>& ranks) {
  const Neighbors count = ask_neighbors(handle);
  const auto in = static_cast<std::size_t>(count.in);
  ranks.resize(in + static_cast<std::size_t>(count.out));
  const int topology = topology_of(handle);
  if (topology == mpi().dist_graph) {
    std::vector<int> weights(ranks.size());
    mpi().Dist_graph_neighbors(handle, count.in, ranks.data(), weights.data(), count.out, ranks.data() + in,
                               weights.data() + in);
    return count;
  }
  // In the other topologies a rank sends to those that it receives from.
  if (topology == mpi().cart) {
    for (int dimension = 0; 2 * dimension < count.in; ++dimension)
      mpi().Cart_shift(handle, dimension, 1, &ranks[2 * static_cast<std::size_t>(dimension)],
                       &ranks[2 * static_cast<std::size_t>(dimension) + 1]);
  } else if (topology == mpi().graph) {
    int rank = 0;
    mpi().Comm_rank(handle, &rank);
    mpi().Graph_neighbors(handle, rank, count.in, ranks.data());
  }
  std::ranges::replace(ranks, mpi().proc_null, trace::no_rank);
  std::copy_n(ranks.begin(), in, ranks.begin() + count.in);
  return count;
}

} // namespace timeless::tracer
