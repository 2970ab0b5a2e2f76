#include "tools/cli/json_text.h"

#include "base/escaping.h"

#include <nlohmann/json.hpp>

namespace timeless::tools {

std::string json_text(const nlohmann::ordered_json& json, int indent) {
  return escaped_json(json.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

} // namespace timeless::tools
