#pragma once

#include "trace/formats/common/format.h"

#include <optional>
#include <string>

namespace timeless::tools {

/// How a trace is written that may be none of ours, and how it is read then.
struct TraceFormat {
  std::string name = {}; ///< --from; empty: an archive, or a recording
  /// --as-computation, where it was given.
  std::optional<trace::formats::CallsAsComputation> as_computation = {};

  bool ours() const { return name.empty(); }
};

} // namespace timeless::tools
