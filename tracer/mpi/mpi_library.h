#pragma once

#include "tracer/mpi/abi.h"
#include "tracer/mpi/functions.h"

#include <cstdint>

namespace timeless::tracer {

/// The PMPI functions the tracer calls: those of every row of calls.def and those it uses itself. Conversions between C
/// and Fortran are null where they are not Open MPI's: other MPIs' Fortran procedures convert themselves. So are calls
/// of MPI-4 where the library has none.
struct MpiFunctions {
#define MPI_FUNCTION(name) decltype(&PMPI_##name) name;
#define MPI_OPTIONAL(name) MPI_FUNCTION(name)
#include "mpi_functions.inc"
#undef MPI_OPTIONAL
#undef MPI_FUNCTION
};

/// The MPI library of the process, found when the program first calls MPI.
///
/// Nothing here is linked: the tracer is preloaded into shells and launchers, too, where there is no MPI. Therefore the
/// tracer may use no MPI handle by its C name either (MPI_COMM_WORLD is the address of a datum of the library), and the
/// constants are those of the MPI that is found.
struct MpiLibrary : MpiFunctions, AbiConstants {
  bool found;
  Abi abi;
  std::uint64_t handle_mask; ///< the bits of a handle that count where it is passed by value
  MPI_Comm comm_world;
  MPI_Comm comm_self;
  MPI_Comm comm_null;
  MPI_Request request_null;
  MPI_Datatype datatype_null;
  MPI_Datatype byte;
  MPI_Datatype int_type;
  MPI_Message message_null;
  MPI_Message message_no_proc;
  MPI_Op min;
  MPI_Op max;
  MPI_Op replace;
  MPI_Op no_op;
  /// All predefined reduction operations; null ones at the end.
  MPI_Op predefined_operations[16];

  // Addresses that stand for something else in Fortran; null where the program has no Fortran.
  void* fortran_bottom;
  void* fortran_in_place;
  void* fortran_status_ignore;
  void* fortran_statuses_ignore;
  void* fortran_unweighted;
  void* fortran_weights_empty;

  bool narrow_handles() const { return handle_bytes == 4; }
  /// Returns false for an MPI that is not known, whose calls are passed on.
  bool recorded() const { return abi != Abi::unknown; }
};

extern constinit MpiLibrary mpi_library;

/// Finds the MPI library. When this process has none that fits, says so and ends the process: the program has called
/// MPI and cannot be served.
void find_mpi_library();

/// Returns a symbol of the MPI library, or null.
void* find_symbol(const char* name);
/// Returns a symbol of the MPI library. When it has none of that name, says so and ends the process.
void* need_symbol(const char* name);

/// Returns the MPI library; only for code that runs within a CallScope.
inline const MpiLibrary& mpi() {
  return mpi_library;
}

/// Returns the class of what a call has returned: Open MPI returns that itself, others codes that say more.
inline int error_class(int result) {
  int found = result;
  if (result != MPI_SUCCESS) mpi().Error_class(result, &found);
  return found;
}

} // namespace timeless::tracer
