#include "tools/render/recording/capabilities.h"

#include "tools/cli/console.h"

#include <nlohmann/json.hpp>

namespace timeless::tools {

std::string to_text(const Capabilities& capabilities) {
  std::string text;
  for (const Check& check : capabilities.checks) {
    text += text_paragraph(fmt::format("{:<8} {:<20} ", name(check.health), check.subject), check.found);
    if (!check.remedy.empty()) text += text_paragraph(fmt::format("{:<29} -> ", ""), check.remedy);
  }
  return text + "\n" +
         text_line("{}", capabilities.recording_possible
                             ? "Recording works here. Next: timeless record -- " +
                                   (capabilities.command.empty() ? "mpirun -np 4 ./program" : capabilities.command)
                             : "Recording does not work here; what is missing above says why.");
}

nlohmann::ordered_json to_json(const Capabilities& capabilities) {
  nlohmann::ordered_json checks = nlohmann::ordered_json::array();
  for (const Check& check : capabilities.checks)
    checks.push_back(
        {{"subject", check.subject}, {"health", name(check.health)}, {"found", check.found}, {"remedy", check.remedy}});
  return {{"recording_possible", capabilities.recording_possible}, {"checks", checks}};
}

} // namespace timeless::tools
