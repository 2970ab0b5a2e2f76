#pragma once

#include "trace/model/ids.h"

#include <smpi/smpi.h>

#include <map>

namespace timeless::replay::smpi {

/// The most that an MPI count can say.
inline constexpr trace::Bytes largest_count = 0x7fffffff;

/// The most that one message, or one rank's part of a collective, is taken to hold: 32 GiB.
inline constexpr trace::Bytes largest_payload = trace::Bytes{16} * largest_count;

/// From this size on, memory that SMPI would fill with zeros and never use is not given to it.
inline constexpr trace::Bytes worth_sparing = trace::Bytes{1} << 20U;

/// Bytes as SMPI is told of them: rounded up to whole elements.
struct Elements {
  int count = 0;
  MPI_Datatype type = MPI_BYTE;
};

/// How large an element has to be so that an int can count so many bytes in them: a power of two, at most 1 GiB.
trace::Bytes unit_for(trace::Bytes bytes);

/// How many elements of this size hold so many bytes.
inline int count_of(trace::Bytes bytes, trace::Bytes element) {
  return static_cast<int>((bytes + element - 1) / element);
}

/// The types of elements of all sizes.
class ElementTypes {
public:
  /// Elements of this many bytes.
  MPI_Datatype of(trace::Bytes size);
  /// Elements of this many bytes that take no room in memory: their extent is 0. What SMPI's collectives set aside is
  /// as large as what they move, and they fill it with zeros, though a replay never looks at it.
  MPI_Datatype without_room(trace::Bytes size);

private:
  std::map<trace::Bytes, MPI_Datatype> solid_;
  std::map<trace::Bytes, MPI_Datatype> hollow_;
};

} // namespace timeless::replay::smpi
