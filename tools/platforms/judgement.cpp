#include "tools/platforms/judgement.h"

#include "replay/simgrid/simgrid_remarks.h"

#include <fmt/format.h>

#include <algorithm>

namespace timeless::tools::platforms {

Judgement judge(const std::filesystem::path& file, const ChildProgress& progress) {
  const XmlFile xml = XmlFile::read(file);
  const std::vector<std::string> settings = replay::simgrid_settings();
  Judgement judgement{file, check_text(xml, settings)};
  // SimGrid stops at the first mistake, in its own words: only where we have found none does it add something.
  if (judgement.good()) {
    const Findings loaded = check_by_loading(xml, progress);
    judgement.findings.insert(judgement.findings.end(), loaded.begin(), loaded.end());
  }
  return judgement;
}

Failure Judgement::failure() const {
  const bool invalid = std::ranges::any_of(findings, [](const Finding& finding) {
    return finding.severity == Severity::mistake && finding.failure == Failure::invalid_input;
  });
  return invalid ? Failure::invalid_input : Failure::missing_capability;
}

void throw_mistake(const Judgement& judgement, const std::filesystem::path& file, const std::string& before) {
  const auto found = std::ranges::find(judgement.findings, Severity::mistake, &Finding::severity);
  if (found == judgement.findings.end()) return;
  throw Error(found->failure, before + found->what,
              file.string() + (found->line == 0 ? "" : fmt::format(":{}", found->line)),
              found->advice.empty() ? "see timeless platform check" : found->advice);
}

} // namespace timeless::tools::platforms
