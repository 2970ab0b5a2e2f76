#pragma once

#include "tools/cli/trace_format.h"

#include <cstddef>
#include <string>
#include <vector>

namespace timeless::tools {

/// What is asked of a trace.
struct InfoRequest {
  std::string trace;
  TraceFormat from;
  bool json = false;
  bool brief = false;
  bool kernels = false;
  std::size_t top = 20;
  std::vector<std::string> symbols;
  bool regions = false;
  bool profile = false;
  bool matrix = false;
  bool collectives = false;
  bool csv = false;

  /// Both are made of the same answer.
  bool as_data() const { return json || csv; }
};

} // namespace timeless::tools
