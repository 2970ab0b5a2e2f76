#pragma once

#include "tracer/mpi/mpi_library.h"

#include <utility>

namespace timeless::tracer {

/// Functions of a profiling layer that stands between the program and MPI, in a library that the program is linked
/// with: where there is one, MPI_Name goes to it, and is recorded when the layer calls PMPI_Name. Null where there is
/// none.
struct PmpiChain : MpiFunctions {};

extern constinit PmpiChain pmpi_chain;

/// Returns the Fortran procedure of this name ("mpi_send_") of such a layer, or null: also that of the MPI library
/// itself, unless it is Open MPI.
void* fortran_layer(const char* name);

/// A call of the program that a layer handles, or MPI's Fortran library. The call it makes of MPI stands where the
/// program's does.
class ChainedCall {
public:
  explicit ChainedCall(const void* site) : outer_(std::exchange(of_program, site)) {}
  ~ChainedCall() { of_program = outer_; }
  ChainedCall(const ChainedCall&) = delete;
  ChainedCall& operator=(const ChainedCall&) = delete;

  /// Returns where the program calls what is called from here.
  static const void* site(const void* here) { return of_program != nullptr ? of_program : here; }

private:
  static constinit thread_local const void* of_program;

  const void* outer_;
};

} // namespace timeless::tracer
