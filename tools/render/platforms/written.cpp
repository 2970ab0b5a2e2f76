#include "tools/render/platforms/written.h"

#include "tools/cli/console.h"

#include <nlohmann/json.hpp>

namespace timeless::tools::platforms {

nlohmann::ordered_json to_json(const WrittenPlatform& written) {
  if (!written.from) return {{"action", "new"}, {"output", written.output.string()}};
  return {{"action", "upgrade"},
          {"file", written.from->string()},
          {"output", written.output.string()},
          {"changes", written.changes}};
}

std::string to_text(const WrittenPlatform& written) {
  const std::string output = written.output.string();
  if (!written.from) return text_line("{}: written; timeless platform show {} says what is in it", output, output);
  std::string text;
  for (const std::string& change : written.changes)
    text += text_line("{}", change);
  return text + text_line("{}: format 4.1, {}", output, written.changes.empty() ? "as before" : "and SimGrid loads it");
}

} // namespace timeless::tools::platforms
