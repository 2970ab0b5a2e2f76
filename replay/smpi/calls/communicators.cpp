#include "replay/smpi/calls/communicators.h"

#include "replay/smpi/calls/smpi_internals.h"

#include <algorithm>
#include <numeric>

namespace timeless::replay::smpi {

namespace {

MPI_Comm everyone() {
  return simgrid::s4u::Actor::self()->extension<simgrid::smpi::ActorExt>()->comm_world();
}

} // namespace

int rank_in(MPI_Comm communicator) {
  int rank = 0;
  PMPI_Comm_rank(communicator, &rank);
  return rank;
}

int size_of(MPI_Comm communicator) {
  int size = 0;
  PMPI_Comm_size(communicator, &size);
  return size;
}

MPI_Comm Communicators::made_of(const std::vector<int>& ranks) const {
  MPI_Group world = MPI_GROUP_NULL;
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Comm made = MPI_COMM_NULL;
  PMPI_Comm_group(everyone(), &world);
  PMPI_Group_incl(world, static_cast<int>(ranks.size()), ranks.data(), &group);
  PMPI_Comm_create(everyone(), group, &made);
  if (context_.prepare_collectives_for_nodes && ranks.size() > 1 && made->get_leaders_comm() == MPI_COMM_NULL)
    made->init_smp();
  return made;
}

const SmpiCommunicator& Communicators::make(trace::CommunicatorId id) {
  const trace::Communicator& communicator = context_.source->run().communicators[id];
  SmpiCommunicator& made = made_[id];
  std::vector<int> all(communicator.members.begin(), communicator.members.end());
  all.insert(all.end(), communicator.remote_members.begin(), communicator.remote_members.end());
  made.size = static_cast<int>(all.size());
  made.whole = made_of(all);
  made.self = rank_in(made.whole);
  if (context_.scan->communicators[id].aside) made.aside = made_of(all);
  if (communicator.remote_members.empty()) return made;
  const auto first = static_cast<std::ptrdiff_t>(communicator.members.size());
  const bool in_first = std::ranges::find(communicator.members, rank_) != communicator.members.end();
  made.group = in_first ? made_of({all.begin(), all.begin() + first}) : made_of({all.begin() + first, all.end()});
  made.remote.resize(in_first ? communicator.remote_members.size() : communicator.members.size());
  std::iota(made.remote.begin(), made.remote.end(), in_first ? static_cast<int>(first) : 0);
  return made;
}

const SmpiCommunicator& Communicators::of(const Call& call, trace::CommunicatorId id) const {
  const auto found = made_.find(context_.scan->same_as[id]);
  if (found == made_.end())
    call.caller.fail({Failure::invalid_input, "the rank is no member of communicator " + std::to_string(id),
                      call.caller.position()});
  return found->second;
}

int Communicators::rank(const Call& call, trace::Rank rank) const {
  if (rank == trace::no_rank) return MPI_PROC_NULL;
  if (rank == trace::any_rank) return MPI_ANY_SOURCE;
  const SmpiCommunicator& in = of(call);
  const auto peers = in.inter() ? static_cast<int>(in.remote.size()) : in.size;
  if (rank < 0 || rank >= peers)
    call.invalid("rank " + std::to_string(rank) + " is none of communicator " +
                 std::to_string(call.action.communicator) + ", which has " + std::to_string(peers));
  return in.inter() ? in.remote[static_cast<std::size_t>(rank)] : rank;
}

} // namespace timeless::replay::smpi
