#include "tracer/mpi/abi.h"

#include "tracer/mpi/mpi_library.h"

#include <dlfcn.h>

#include <cstdint>
#include <cstring>

namespace timeless::tracer {

namespace {

/// Returns that of an interface's three values which counts.
template <typename Value>
Value value_in(Abi abi, Value open_mpi, Value mpich, Value standard) noexcept {
  if (abi == Abi::standard) return standard;
  return abi == Abi::mpich ? mpich : open_mpi;
}

void* special_address(std::intptr_t value) noexcept {
  return reinterpret_cast<void*>(value);
}

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
  const auto ask = reinterpret_cast<int (*)(int*, int*)>(find_symbol("PMPI_Abi_get_version"));
  return ask != nullptr && ask(&major, &minor) == 0 && major > 0;
}

} // namespace

AbiConstants constants_of(Abi abi) noexcept {
  AbiConstants constants{};
#define ABI_INTEGER(member, expression, open_mpi, mpich, standard)                                                     \
  constants.member = value_in(abi, open_mpi, mpich, standard);
#define ABI_ADDRESS(member, name, open_mpi, mpich, standard)                                                           \
  constants.member = special_address(value_in(abi, open_mpi, mpich, standard));
#define ABI_WEIGHTS(member, name, open_mpi, standard)                                                                  \
  constants.member = static_cast<int*>(special_address(value_in(abi, open_mpi, 0, standard)));
#include "tracer/mpi/abi.def"
#undef ABI_INTEGER
#undef ABI_ADDRESS
#undef ABI_WEIGHTS
  return constants;
}

Abi abi_of_process() noexcept {
  void* const init = find_symbol("PMPI_Init");
  if (init == nullptr) return Abi::none;
  // Open MPI 6 has its own data under both interfaces.
  if (is_standard_by_name(init) || says_standard()) return Abi::standard;
  if (find_symbol("ompi_mpi_comm_world") != nullptr) return Abi::open_mpi;
  // The mpi.h of MPICH and its relatives has programs read this datum; MPIs with handles of their own have none.
  return find_symbol("MPI_UNWEIGHTED") != nullptr ? Abi::mpich : Abi::unknown;
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
  case Abi::unknown:
    break;
  }
  return "one that is not known";
}

} // namespace timeless::tracer
