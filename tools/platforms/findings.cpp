#include "tools/platforms/findings.h"

#include <algorithm>
#include <string_view>

namespace timeless::tools::platforms {

Findings check_text(const XmlFile& file, std::span<const std::string> known_settings) {
  Findings findings;
  check_head(file, findings);
  if (std::string_view(file.document().document_element().name()) == "platform") {
    check_structure(file, findings);
    check_quantities(file, findings);
    check_clusters(file, findings);
    check_settings(file, known_settings, findings);
    check_references(file, findings);
    check_replay(file, findings);
  }
  std::ranges::stable_sort(findings, {}, &Finding::line);
  return findings;
}

bool has_mistakes(const Findings& findings) {
  return std::ranges::any_of(findings, [](const Finding& finding) { return finding.severity == Severity::mistake; });
}

} // namespace timeless::tools::platforms
