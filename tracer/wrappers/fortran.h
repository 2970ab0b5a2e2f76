#pragma once

#include "tracer/common/scratch.h"
#include "tracer/mpi/out_status.h"
#include "tracer/mpi/program_handles.h"

#include <cstddef>

/// From Fortran's arguments to C's, and back.
///
/// A LOGICAL is an INTEGER that is 0 or 1 (gfortran); handles are INTEGERs, in mpi_f08 wrapped in a type of that one
/// component; statuses are arrays of MPI_STATUS_SIZE INTEGERs, or a type of that layout. All arguments come by
/// address, so that one wrapper serves mpif.h, `use mpi` and `use mpi_f08`. So it is for Open MPI, whose procedures
/// call PMPI; in other MPIs they convert, and what they call in C is recorded.

#define TIMELESS_EXPORT __attribute__((visibility("default")))
#define TIMELESS_FORTRAN_NAME(function, name) TIMELESS_EXPORT __attribute__((alias(#function))) decltype(function) name;
/// Makes the names other compilers give a Fortran procedure mean the same function. But for the one without underscore:
/// libraries have functions of their own by such names (R's Rmpi), which must stay theirs. Who calls MPI by it is
/// recorded where MPI calls itself by its C name.
#define TIMELESS_FORTRAN_NAMES(function, second_underscore, upper_case)                                                \
  TIMELESS_FORTRAN_NAME(function, second_underscore)                                                                   \
  TIMELESS_FORTRAN_NAME(function, upper_case)

namespace timeless::tracer {

/// Returns the lengths of arrays that Fortran does not pass: what the communicator says.
int peers(MPI_Comm communicator);
int peers_unless_in_place(const void* sendbuf, MPI_Comm communicator);
int in_neighbors(MPI_Comm communicator);
int out_neighbors(MPI_Comm communicator);
int cart_dimensions(MPI_Comm communicator);

} // namespace timeless::tracer

namespace timeless::tracer::fortran {

static_assert(sizeof(MPI_Fint) == sizeof(int), "arrays of INTEGER are passed on as arrays of int");

/// Returns a procedure of MPI's Fortran library, by its symbol.
template <typename Procedure>
Procedure* procedure(const char* symbol) {
  return reinterpret_cast<Procedure*>(need_symbol(symbol));
}

void* buffer(void* address);
const int* weights(const MPI_Fint* address);

inline int truth(MPI_Fint value) {
  return value != 0 ? 1 : 0;
}
inline MPI_Fint logical(int value) {
  return value != 0 ? 1 : 0;
}
/// Returns true when the call has set the statuses it returns.
inline bool statuses_set(int result) {
  return result == MPI_SUCCESS || result == mpi().err_in_status; // Open MPI's, which returns classes
}
inline void count_from_one(MPI_Fint* indices, int count) {
  for (int index = 0; index < count; ++index)
    ++indices[index];
}

/// A status for C, stored into the Fortran one when the call has set it.
class Status {
public:
  explicit Status(MPI_Fint* status) : fortran_(status != mpi().fortran_status_ignore ? status : nullptr) {}
  MPI_Status* c() { return fortran_ != nullptr ? status_.get() : static_cast<MPI_Status*>(mpi().status_ignore); }
  void store() {
    if (fortran_ != nullptr) mpi().Status_c2f(status_.get(), fortran_);
  }

private:
  MPI_Fint* fortran_;
  StatusRoom status_;
};

/// An array of statuses, likewise.
class Statuses {
public:
  Statuses(MPI_Fint* statuses, int size)
      : fortran_(statuses != mpi().fortran_statuses_ignore ? statuses : nullptr),
        statuses_(fortran_ != nullptr ? size : 0) {}
  MPI_Status* c() {
    return fortran_ != nullptr ? statuses_.data()->get() : static_cast<MPI_Status*>(mpi().statuses_ignore);
  }
  void store(int count);

private:
  MPI_Fint* fortran_;
  ScratchArray<StatusRoom> statuses_;
};

/// An array of requests for C, stored back after the call, which may have changed them.
class Requests {
public:
  Requests(MPI_Fint* requests, int size);
  ProgramHandles<MPI_Request> c() { return ProgramHandles<MPI_Request>(requests_.data()); }
  void store();

private:
  MPI_Fint* fortran_;
  int size_;
  ScratchArray<MPI_Request> requests_;
};

/// An array of datatypes for C, only read.
class Datatypes {
public:
  Datatypes(const MPI_Fint* datatypes, int size);
  ProgramHandles<const MPI_Datatype> c() const { return ProgramHandles<const MPI_Datatype>(datatypes_.data()); }

private:
  ScratchArray<MPI_Datatype> datatypes_;
};

/// An array of LOGICALs as ints for C, only read.
class Logicals {
public:
  Logicals(const MPI_Fint* values, int size);
  const int* c() const { return values_.data(); }

private:
  ScratchArray<int> values_;
};

/// A CHARACTER argument without its trailing blanks.
class String {
public:
  String(const char* text, std::size_t length);
  const char* c() const { return text_.data(); }

private:
  ScratchArray<char> text_;
};

} // namespace timeless::tracer::fortran
