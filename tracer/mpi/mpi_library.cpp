#include "tracer/mpi/mpi_library.h"

#include "tracer/common/own_code.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <initializer_list>

namespace timeless::tracer {

constinit MpiLibrary mpi_library{};

namespace {

/// Returns a symbol of the MPI library, wherever the program has it: in the global scope, searched from the executable
/// on (which may hold the one true copy of a datum such as ompi_mpi_comm_world) and then behind this library, which has
/// MPI's functions under the same names; or in a library loaded privately, as by an interpreter.
void* find_symbol(const char* name) {
  if (void* const global = dlsym(RTLD_DEFAULT, name); global != nullptr && !is_own(global)) return global;
  if (void* const next = dlsym(RTLD_NEXT, name)) return next;
  for (const char* library : {"libmpi.so.40", "libmpi_mpifh.so.40", "libmpi_usempif08.so.40"}) {
    void* const loaded = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
    if (loaded == nullptr) continue;
    void* const symbol = dlsym(loaded, name);
    dlclose(loaded);
    if (symbol != nullptr) return symbol;
  }
  return nullptr;
}

template <typename Handle>
void need(Handle& handle, const char* name) {
  handle = reinterpret_cast<Handle>(need_symbol(name));
}

void find_handles(MpiLibrary& library) {
#define ABI_HANDLE(type, member, name, datum, integer, address) need(library.member, #datum);
#include "tracer/mpi/abi.def"
#undef ABI_HANDLE
  std::size_t index = 0;
#define ABI_OPERATION(member, name, datum, integer, address) need(library.predefined_operations[index++], #datum);
#include "tracer/mpi/abi.def"
#undef ABI_OPERATION
  need(library.min, "ompi_mpi_op_min");
  need(library.max, "ompi_mpi_op_max");
  need(library.replace, "ompi_mpi_op_replace");
  need(library.no_op, "ompi_mpi_op_no_op");
}

void find_fortran_sentinels(MpiLibrary& library) {
  library.fortran_bottom = find_symbol("mpi_fortran_bottom_");
  library.fortran_in_place = find_symbol("mpi_fortran_in_place_");
  library.fortran_status_ignore = find_symbol("mpi_fortran_status_ignore_");
  library.fortran_statuses_ignore = find_symbol("mpi_fortran_statuses_ignore_");
  library.fortran_unweighted = find_symbol("mpi_fortran_unweighted_");
  library.fortran_weights_empty = find_symbol("mpi_fortran_weights_empty_");
}

} // namespace

void* need_symbol(const char* name) {
  if (void* symbol = find_symbol(name)) return symbol;
  std::fprintf(
      stderr,
      "timeless: the program calls MPI, but its MPI library has no %s (its binary interface: %s; libtimeless.so is made "
      "for Open MPI's): run the program with Open MPI, or without timeless\n",
      name, name_of(abi_of_process()));
  std::_Exit(EXIT_FAILURE);
}

void find_mpi_library() {
  MpiLibrary library{};
  static_cast<AbiConstants&>(library) = constants_of(Abi::open_mpi);
#define MPI_FUNCTION(name) need(library.name, "PMPI_" #name);
#include "mpi_functions.inc"
#undef MPI_FUNCTION
  find_handles(library);
  find_fortran_sentinels(library);
  library.found = true;
  mpi_library = library;
}

} // namespace timeless::tracer
