#pragma once

#include "tracer/mpi/mpi_library.h"
#include "tracer/mpi/types.h"

namespace timeless::tracer {

/// A status to look at, also where the program wants none.
class OutStatus {
public:
  explicit OutStatus(MPI_Status* wanted) : status_(wanted != mpi().status_ignore ? wanted : &own_) {}
  OutStatus(const OutStatus&) = delete;
  OutStatus& operator=(const OutStatus&) = delete;

  MPI_Status* get() { return status_; }
  const MPI_Status& operator*() const { return *status_; }

private:
  MPI_Status own_{};
  MPI_Status* status_;
};

} // namespace timeless::tracer
