#pragma once

#include <mpi.h>

#include <string>
#include <string_view>

namespace timeless::gather {

/// Sends a text of any length to one process.
void send_text(MPI_Comm communicator, int receiver, std::string_view text);
std::string receive_text(MPI_Comm communicator, int sender);

} // namespace timeless::gather
