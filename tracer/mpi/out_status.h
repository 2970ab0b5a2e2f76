#pragma once

#include "tracer/mpi/mpi_library.h"
#include "tracer/mpi/types.h"

#include <cstddef>
#include <cstring>

namespace timeless::tracer {

/// Room for a status of any MPI: the standard's is the longest.
struct StatusRoom {
  MPI_Status* get() { return reinterpret_cast<MPI_Status*>(bytes); }

  alignas(std::max_align_t) std::byte bytes[32] = {};
};

/// Returns one of an array of statuses as MPI has them.
inline MPI_Status* status_at(MPI_Status* statuses, int index) {
  return reinterpret_cast<MPI_Status*>(reinterpret_cast<std::byte*>(statuses) +
                                       static_cast<std::ptrdiff_t>(index) * mpi().status_bytes);
}

/// Returns the number that stands at this offset.
inline int number_in(const MPI_Status& status, int offset) {
  int number = 0;
  std::memcpy(&number, reinterpret_cast<const std::byte*>(&status) + offset, sizeof number);
  return number;
}

inline int source_of(const MPI_Status& status) {
  return number_in(status, mpi().status_source);
}
inline int tag_of(const MPI_Status& status) {
  return number_in(status, mpi().status_tag);
}
/// Returns the error as MPI gives it; error_class() says which.
inline int error_of(const MPI_Status& status) {
  return number_in(status, mpi().status_error);
}

/// A status to look at, also where the program wants none.
class OutStatus {
public:
  explicit OutStatus(MPI_Status* wanted) : status_(wanted != mpi().status_ignore ? wanted : own_.get()) {}
  OutStatus(const OutStatus&) = delete;
  OutStatus& operator=(const OutStatus&) = delete;

  MPI_Status* get() { return status_; }
  const MPI_Status& operator*() const { return *status_; }

private:
  StatusRoom own_;
  MPI_Status* status_;
};

} // namespace timeless::tracer
