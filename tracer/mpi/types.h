#pragma once

#include <cstddef>

// MPI's types as this library handles them, without any mpi.h: it is built without an MPI, and finds one in the
// process. Handles are opaque and 64 bits wide, whatever they are to the program: it passes integers and pointers in
// the same registers. In its memory they are as wide as its MPI has them: program_handles.h reads them there,
// out_status.h statuses.
extern "C" {

using MPI_Comm = struct TimelessMpiComm*;
using MPI_Datatype = struct TimelessMpiDatatype*;
using MPI_Errhandler = struct TimelessMpiErrhandler*;
using MPI_File = struct TimelessMpiFile*;
using MPI_Group = struct TimelessMpiGroup*;
using MPI_Info = struct TimelessMpiInfo*;
using MPI_Message = struct TimelessMpiMessage*;
using MPI_Op = struct TimelessMpiOp*;
using MPI_Request = struct TimelessMpiRequest*;
using MPI_Session = struct TimelessMpiSession*;
using MPI_Win = struct TimelessMpiWin*;

// The same in all MPIs of 64 bits.
using MPI_Aint = std::ptrdiff_t;
using MPI_Offset = long long;
using MPI_Count = long long;
using MPI_Fint = int;

/// What MPI says of a message that has come; no MPI lays it out as another does.
struct MPI_Status;

using MPI_Comm_copy_attr_function = int(MPI_Comm, int, void*, void*, void*, int*);
using MPI_Comm_delete_attr_function = int(MPI_Comm, int, void*, void*);
using MPI_Grequest_query_function = int(void*, MPI_Status*);
using MPI_Grequest_free_function = int(void*);
using MPI_Grequest_cancel_function = int(void*, int);

} // extern "C"

namespace timeless::tracer {

template <typename Handle>
class ProgramHandles;

} // namespace timeless::tracer

/// What every MPI returns from a call that has succeeded.
inline constexpr int MPI_SUCCESS = 0;
