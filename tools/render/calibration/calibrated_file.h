#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace timeless::tools {

/// A file of rates, a machine or the head of a platform that calibrate wrote: what its figures rest on.
struct CalibratedFileAnswer {
  std::string file;
  nlohmann::ordered_json content; ///< of a platform {"format": "platform", "head": [line, ...]}
};

nlohmann::ordered_json to_json(const CalibratedFileAnswer& answer);
/// Throws nlohmann::json::exception where the content lacks what calibrate writes.
std::string to_text(const CalibratedFileAnswer& answer);

} // namespace timeless::tools
