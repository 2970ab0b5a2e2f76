#include "tracer/mpi/world_group.h"

#include <atomic>

namespace timeless::tracer {

namespace {

constinit std::atomic<MPI_Session> session_of_world{nullptr};

} // namespace

void use_world_of(MPI_Session session) {
  session_of_world.store(session);
}

bool world_is_of_sessions() {
  return session_of_world.load() != nullptr;
}

void get_world_group(ProgramHandles<MPI_Group> group) {
  if (const MPI_Session session = session_of_world.load(); session != nullptr)
    mpi().Group_from_session_pset(session, "mpi://WORLD", group);
  else
    mpi().Comm_group(mpi().comm_world, group);
}

} // namespace timeless::tracer
