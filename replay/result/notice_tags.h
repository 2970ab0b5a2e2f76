#pragma once

#include "trace/model/ids.h"

namespace timeless::replay {

/// The tags of the notices that processes of a window exchange (MPI_Win_post, MPI_Win_complete); no message of a
/// program has them.
inline constexpr trace::Tag post_tag = -1001;
inline constexpr trace::Tag complete_tag = -1002;

} // namespace timeless::replay
