#include "tracer/mpi/abi.h"

#include <dlfcn.h>

#include <cstring>

namespace timeless::tracer {

namespace {

/// Returns true for libmpi_abi.so: MPICH 4.3 has one without MPI_Abi_get_version.
bool is_standard_by_name(void* function) noexcept {
  Dl_info found;
  if (dladdr(function, &found) == 0 || found.dli_fname == nullptr) return false;
  const char* const slash = std::strrchr(found.dli_fname, '/');
  return std::strncmp(slash == nullptr ? found.dli_fname : slash + 1, "libmpi_abi.", 11) == 0;
}

/// Asks MPI itself, which may be asked before MPI_Init. Libraries of MPI 5 with an interface of their own answer -1.
bool says_standard() noexcept {
  int major = -1;
  int minor = -1;
  const auto ask = reinterpret_cast<int (*)(int*, int*)>(dlsym(RTLD_NEXT, "PMPI_Abi_get_version"));
  return ask != nullptr && ask(&major, &minor) == 0 && major > 0;
}

} // namespace

Abi abi_of_process() noexcept {
  void* const init = dlsym(RTLD_NEXT, "PMPI_Init");
  if (init == nullptr) return Abi::none;
  // Open MPI 6 has its own data under both interfaces.
  if (is_standard_by_name(init) || says_standard()) return Abi::standard;
  return dlsym(RTLD_DEFAULT, "ompi_mpi_comm_world") != nullptr ? Abi::open_mpi : Abi::mpich;
}

const char* name_of(Abi abi) noexcept {
  switch (abi) {
  case Abi::open_mpi:
    return "Open MPI";
  case Abi::mpich:
    return "MPICH or a relative of it";
  case Abi::standard:
    return "MPI 5's standard";
  case Abi::none:
    break;
  }
  return "one that is not known";
}

} // namespace timeless::tracer
