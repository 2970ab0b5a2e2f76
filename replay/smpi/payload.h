#pragma once

#include "trace/ids.h"

namespace timeless::replay::smpi {

/// The most that an MPI count can say.
inline constexpr trace::Bytes largest_count = 0x7fffffff;

/// The most that one message, or one rank's part of a collective, can hold: MPI counts are ints, and SMPI's largest
/// predefined types have 16 bytes.
inline constexpr trace::Bytes largest_payload = trace::Bytes{16} * largest_count;

} // namespace timeless::replay::smpi
