#include "base/parsing.h"

namespace timeless {

std::optional<std::vector<std::string>> csv_values(std::string_view line) {
  std::vector<std::string> values(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"') {
      if (quoted && i + 1 < line.size() && line[i + 1] == '"')
        values.back() += line[++i];
      else
        quoted = !quoted;
    } else if (line[i] == ',' && !quoted) {
      values.emplace_back();
    } else {
      values.back() += line[i];
    }
  }
  if (quoted) return {};
  for (std::string& value : values)
    value = trimmed(value);
  return values;
}

} // namespace timeless
