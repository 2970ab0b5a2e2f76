#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace timeless::tools {

/// Returns JSON as it is printed and written: in one line, or indented; bytes that are no UTF-8 are replaced, and what
/// is not to be seen stands as escapes.
std::string json_text(const nlohmann::ordered_json& json, int indent = -1);

} // namespace timeless::tools
