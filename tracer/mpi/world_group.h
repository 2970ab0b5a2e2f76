#pragma once

#include "tracer/mpi/program_handles.h"

namespace timeless::tracer {

/// Says whose the processes of the run are: those of MPI_COMM_WORLD, with null, as at first; or of the set
/// "mpi://WORLD" as this session has it, where the program has sessions in place of MPI_Init.
void use_world_of(MPI_Session session);
bool world_is_of_sessions();
/// Gives the group of all processes of the run; to be freed.
void get_world_group(ProgramHandles<MPI_Group> group);

} // namespace timeless::tracer
