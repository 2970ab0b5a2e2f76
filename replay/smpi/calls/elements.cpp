#include "replay/smpi/calls/elements.h"

#include "replay/smpi/calls/smpi_internals.h"

#include <algorithm>
#include <bit>

namespace timeless::replay::smpi {

trace::Bytes unit_for(trace::Bytes bytes) {
  trace::Bytes unit = 1;
  while ((bytes + unit - 1) / unit > largest_count)
    unit = unit == 1 ? 8 : 2 * unit;
  return unit;
}

MPI_Datatype ElementTypes::of(trace::Bytes size) {
  switch (size) {
  case 1:
    return MPI_BYTE;
  case 2:
    return MPI_SHORT;
  case 4:
    return MPI_INT;
  case 8:
    return MPI_DOUBLE;
  case 16:
    return MPI_C_DOUBLE_COMPLEX;
  default:
    break;
  }
  MPI_Datatype& type = solid_.emplace(size, MPI_DATATYPE_NULL).first->second;
  if (type == MPI_DATATYPE_NULL) {
    // SMPI copies real bytes of derived types, even while replaying.
    if (std::has_single_bit(size))
      type = simgrid::smpi::Datatype::make(static_cast<int>(size), static_cast<MPI_Aint>(size));
    else
      PMPI_Type_contiguous(static_cast<int>(size), MPI_BYTE, &type);
    PMPI_Type_commit(&type);
  }
  return type;
}

MPI_Datatype ElementTypes::without_room(trace::Bytes size) {
  MPI_Datatype& type = hollow_.emplace(size, MPI_DATATYPE_NULL).first->second;
  if (type == MPI_DATATYPE_NULL) {
    type = simgrid::smpi::Datatype::make(static_cast<int>(size), 0);
    PMPI_Type_commit(&type);
  }
  return type;
}

Elements ElementTypes::elements(trace::Bytes bytes, trace::Bytes times) {
  const trace::Bytes unit = unit_for(bytes * std::max<trace::Bytes>(times, 1));
  return {count_of(bytes, unit), of(unit)};
}

Elements ElementTypes::elements_without_room(trace::Bytes bytes, trace::Bytes times) {
  if (bytes * times < worth_sparing) return elements(bytes, times);
  const trace::Bytes unit = unit_for(bytes * times);
  return {count_of(bytes, unit), without_room(unit)};
}

Elements ElementTypes::room_for(trace::Bytes bytes) {
  bytes = std::max(bytes, smallest_large_);
  if (bytes <= largest_count) return elements(bytes);
  constexpr trace::Bytes turn = trace::Bytes{1} << 32U;
  constexpr trace::Bytes widest = 0x7fff0000; // as an int; a multiple of all units
  trace::Bytes room = bytes / turn * turn + widest;
  if (room < bytes) room += turn;
  return elements(room);
}

} // namespace timeless::replay::smpi
