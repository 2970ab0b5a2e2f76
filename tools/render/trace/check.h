#pragma once

#include "trace/check/check.h"
#include "trace/model/run.h"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <string>

namespace timeless::tools {

/// Whether a trace is consistent and complete (schema timeless.check/1).
struct CheckAnswer {
  std::string trace;
  const trace::Run& run;
  const trace::CheckReport& report;
  std::size_t lines = 20; ///< findings that the text lists
};

nlohmann::ordered_json to_json(const CheckAnswer& answer);
std::string to_text(const CheckAnswer& answer);

} // namespace timeless::tools
