#include "replay/smpi/calls/call.h"

namespace timeless::replay::smpi {

void Call::check(int code) const {
  if (code == MPI_SUCCESS) return;
  char words[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  PMPI_Error_string(code, words, &length);
  invalid("SMPI refuses MPI_" + trace::mpi_name(action) + ": " + words);
}

void Call::wait(std::vector<MPI_Request>& requests) const {
  if (!requests.empty()) check(PMPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE));
}

void Call::invalid(const std::string& what) const {
  caller.fail({Failure::invalid_input, what, caller.position(), "timeless check finds what is wrong with a trace"});
}

} // namespace timeless::replay::smpi
