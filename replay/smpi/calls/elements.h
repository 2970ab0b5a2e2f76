#pragma once

#include "trace/model/ids.h"

#include <smpi/smpi.h>

#include <cstddef>
#include <map>
#include <span>

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

/// Returns how large an element has to be so that an int can count so many bytes in them: a power of two, at most 1
/// GiB.
trace::Bytes unit_for(trace::Bytes bytes);

/// Returns how many elements of this size hold so many bytes.
inline int count_of(trace::Bytes bytes, trace::Bytes element) {
  return static_cast<int>((bytes + element - 1) / element);
}

/// Returns the part with this index; 0 where the list does not have it.
inline trace::Bytes part_at(std::span<const trace::Bytes> parts, std::size_t index) {
  return index < parts.size() ? parts[index] : 0;
}

/// The types of elements of all sizes.
class ElementTypes {
public:
  /// Returns a type of elements of this many bytes.
  MPI_Datatype of(trace::Bytes size);
  /// Returns a type of elements of this many bytes that take no room in memory: their extent is 0. What SMPI's
  /// collectives set aside is as large as what they move, and they fill it with zeros, though a replay never looks at
  /// it.
  MPI_Datatype without_room(trace::Bytes size);

  /// Returns elements that make so many bytes. MPI counts are ints, and SMPI multiplies them by numbers of ranks, as
  /// ints again: where it multiplies by `times`, the elements are large enough for both.
  Elements elements(trace::Bytes bytes, trace::Bytes times = 1);
  /// Returns the same, without room where they are many.
  Elements elements_without_room(trace::Bytes bytes, trace::Bytes times);

  /// Returns room to receive so many bytes.
  ///
  /// SMPI has receives of small messages wait in one place and those of large ones in another, by sizes that it takes
  /// for ints (so 2 to 4 GiB are small). Small messages look into both, large ones into theirs alone. So a receive of a
  /// large message may be taken by a small one, though a small receive came before it, and the large message finds
  /// none. Where all receives count as large, they are taken in their order. What a message costs depends on its
  /// sender's size.
  Elements room_for(trace::Bytes bytes);
  /// Sets the smallest of the messages that SMPI takes for large ones: smpi/async-small-thresh.
  void set_smallest_large(trace::Bytes bytes) { smallest_large_ = bytes; }

private:
  trace::Bytes smallest_large_ = 0;
  std::map<trace::Bytes, MPI_Datatype> solid_;
  std::map<trace::Bytes, MPI_Datatype> hollow_;
};

} // namespace timeless::replay::smpi
