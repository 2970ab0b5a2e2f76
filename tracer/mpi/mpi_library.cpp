#include "tracer/mpi/mpi_library.h"

#include "tracer/common/own_code.h"
#include "tracer/mpi/mpi_modules.h"
#include "tracer/mpi/other_mpi.h"

#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace timeless::tracer {

constinit MpiLibrary mpi_library{};

namespace {

template <typename Symbol>
void need(Symbol& symbol, const char* name) {
  symbol = reinterpret_cast<Symbol>(need_symbol(name));
}

/// Returns true for what MPI's own Fortran procedures do by themselves where they convert.
bool converts(std::string_view function) {
  return function.ends_with("_f2c") || function.ends_with("_c2f");
}

template <typename Function>
void find_function(Function& function, Abi abi, const char* name) {
  if (abi == Abi::open_mpi || !converts(name)) need(function, name);
}

/// Sets a handle that every program has: the address of a datum, or a number.
template <typename Handle>
void set_handle(Handle& handle, Abi abi, const char* datum, std::uintptr_t integer, std::uintptr_t address) {
  if (abi == Abi::open_mpi) return need(handle, datum);
  handle = reinterpret_cast<Handle>(abi == Abi::mpich ? integer : address);
}

void find_handles(MpiLibrary& library) {
#define ABI_HANDLE(type, member, name, datum, integer, address)                                                        \
  set_handle(library.member, library.abi, #datum, integer, address);
#include "tracer/mpi/abi.def"
#undef ABI_HANDLE
  enum Operation {
#define ABI_OPERATION(member, name, datum, integer, address) member,
#include "tracer/mpi/abi.def"
#undef ABI_OPERATION
  };
  MPI_Op* const operations = library.predefined_operations;
#define ABI_OPERATION(member, name, datum, integer, address)                                                           \
  set_handle(operations[member], library.abi, #datum, integer, address);
#include "tracer/mpi/abi.def"
#undef ABI_OPERATION
  library.min = operations[min];
  library.max = operations[max];
  library.replace = operations[replace];
  library.no_op = operations[no_op];
}

void find_fortran_sentinels(MpiLibrary& library) {
  library.fortran_bottom = find_symbol("mpi_fortran_bottom_");
  library.fortran_in_place = find_symbol("mpi_fortran_in_place_");
  library.fortran_status_ignore = find_symbol("mpi_fortran_status_ignore_");
  library.fortran_statuses_ignore = find_symbol("mpi_fortran_statuses_ignore_");
  library.fortran_unweighted = find_symbol("mpi_fortran_unweighted_");
  library.fortran_weights_empty = find_symbol("mpi_fortran_weights_empty_");
}

/// Finds a function by its profiling name, or by the plain one where the library has no other.
template <typename Function>
void find_by_either_name(Function& function, const char* profiling_name) {
  void* found = find_symbol(profiling_name);
  if (found == nullptr) found = find_symbol(profiling_name + 1);
  function = reinterpret_cast<Function>(found);
}

/// Answers for a library that has no classes of errors: each is its own.
int same_class(int code, int* error_class) {
  *error_class = code;
  return MPI_SUCCESS;
}

/// Prepares for passing all calls on to an MPI that is not known, and was loaded when the program ran already: handles
/// as they come in the registers, and no address that stands for something else.
void pass_calls_on(MpiLibrary& library) {
  static constinit char no_status = 0;
  library.status_ignore = library.statuses_ignore = &no_status;
#define MPI_FUNCTION(name) find_by_either_name(library.name, "PMPI_" #name);
#define MPI_OPTIONAL(name) MPI_FUNCTION(name)
#include "mpi_functions.inc"
#undef MPI_OPTIONAL
#undef MPI_FUNCTION
  if (library.Error_class == nullptr) library.Error_class = same_class;
}

} // namespace

/// Wherever the program has it: in the global scope, searched from the executable on (which may hold the one true copy
/// of a datum such as ompi_mpi_comm_world) and then behind this library, which has MPI's functions under the same
/// names; or in a library loaded privately, as by an interpreter.
void* find_symbol(const char* name) {
  if (void* const global = dlsym(RTLD_DEFAULT, name); global != nullptr && !is_own(global)) return global;
  if (void* const next = dlsym(RTLD_NEXT, name)) return next;
  for (const std::string& library : loaded_mpi_libraries()) {
    void* const loaded = dlopen(library.c_str(), RTLD_LAZY | RTLD_NOLOAD);
    if (loaded == nullptr) continue;
    void* const symbol = dlsym(loaded, name);
    dlclose(loaded);
    if (symbol != nullptr && !is_own(symbol)) return symbol;
  }
  return nullptr;
}

void* need_symbol(const char* name) {
  if (void* symbol = find_symbol(name)) return symbol;
  std::fprintf(stderr,
               "timeless: the program calls MPI, but its MPI library has no %s (its binary interface: %s): run the "
               "program with a newer MPI, of MPI-3.1, or without timeless\n",
               name, name_of(abi_of_process()));
  std::_Exit(EXIT_FAILURE);
}

void find_mpi_library() {
  MpiLibrary library{};
  library.abi = abi_of_process();
  static_cast<AbiConstants&>(library) = constants_of(library.abi);
  library.handle_mask = library.narrow_handles() ? 0xffffffffU : ~std::uint64_t{0};
  library.found = true;
  if (library.abi == Abi::unknown) {
    say_not_known(mpi_of_process());
    pass_calls_on(library);
    mpi_library = library;
    return;
  }
#define MPI_FUNCTION(name) find_function(library.name, library.abi, "PMPI_" #name);
#define MPI_OPTIONAL(name) library.name = reinterpret_cast<decltype(library.name)>(find_symbol("PMPI_" #name));
#include "mpi_functions.inc"
#undef MPI_OPTIONAL
#undef MPI_FUNCTION
  find_handles(library);
  if (library.abi == Abi::open_mpi) find_fortran_sentinels(library);
  mpi_library = library;
}

} // namespace timeless::tracer
