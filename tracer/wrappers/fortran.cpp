#include "tracer/wrappers/fortran.h"

#include "tracer/handles/communicators.h"

#include <cstring>

namespace timeless::tracer {

int peers(MPI_Comm communicator) {
  int inter = 0;
  int size = 0;
  mpi().Comm_test_inter(communicator, &inter);
  if (inter != 0)
    mpi().Comm_remote_size(communicator, &size);
  else
    mpi().Comm_size(communicator, &size);
  return size;
}

int peers_unless_in_place(const void* sendbuf, MPI_Comm communicator) {
  return sendbuf == mpi().in_place ? 0 : peers(communicator);
}

int in_neighbors(MPI_Comm communicator) {
  return ask_neighbors(communicator).in;
}

int out_neighbors(MPI_Comm communicator) {
  return ask_neighbors(communicator).out;
}

int cart_dimensions(MPI_Comm communicator) {
  int dimensions = 0;
  mpi().Cartdim_get(communicator, &dimensions);
  return dimensions;
}

} // namespace timeless::tracer

namespace timeless::tracer::fortran {

void* buffer(void* address) {
  if (address == nullptr) return address;
  if (address == mpi().fortran_in_place) return mpi().in_place;
  if (address == mpi().fortran_bottom) return mpi().bottom;
  return address;
}

const int* weights(const MPI_Fint* address) {
  if (address == nullptr) return address;
  if (address == mpi().fortran_unweighted) return mpi().unweighted;
  if (address == mpi().fortran_weights_empty) return mpi().weights_empty;
  return address;
}

void Statuses::store(int count) {
  if (fortran_ == nullptr) return;
  const std::ptrdiff_t integers = mpi().status_bytes / static_cast<int>(sizeof(MPI_Fint));
  for (int index = 0; index < count; ++index)
    mpi().Status_c2f(status_at(c(), index), fortran_ + index * integers);
}

Requests::Requests(MPI_Fint* requests, int size) : fortran_(requests), size_(size), requests_(size) {
  for (int index = 0; index < size; ++index)
    requests_[index] = mpi().Request_f2c(requests[index]);
}

void Requests::store() {
  for (int index = 0; index < size_; ++index)
    fortran_[index] = mpi().Request_c2f(requests_[index]);
}

Datatypes::Datatypes(const MPI_Fint* datatypes, int size) : datatypes_(size) {
  for (int index = 0; index < size; ++index)
    datatypes_[index] = mpi().Type_f2c(datatypes[index]);
}

Logicals::Logicals(const MPI_Fint* values, int size) : values_(size) {
  for (int index = 0; index < size; ++index)
    values_[index] = truth(values[index]);
}

String::String(const char* text, std::size_t length) : text_(static_cast<int>(length) + 1) {
  while (length > 0 && text[length - 1] == ' ')
    --length;
  std::memcpy(text_.data(), text, length);
  text_[static_cast<int>(length)] = '\0';
}

} // namespace timeless::tracer::fortran
