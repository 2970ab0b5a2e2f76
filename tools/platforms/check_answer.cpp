#include "tools/cli/console.h"
#include "tools/platforms/answers.h"

#include "base/error.h"
#include "replay/simgrid/simgrid_remarks.h"

#include <fmt/format.h>

#include <algorithm>

namespace timeless::tools::platforms {

Findings judge(const std::filesystem::path& file) {
  const XmlFile xml = XmlFile::read(file);
  const std::vector<std::string> settings = replay::simgrid_settings();
  Findings findings = check_text(xml, settings);
  // SimGrid stops at the first mistake, in its own words: only where we have found none does it add something.
  if (!has_mistakes(findings)) {
    const Findings loaded = check_by_loading(xml);
    findings.insert(findings.end(), loaded.begin(), loaded.end());
  }
  return findings;
}

void throw_mistake(const Findings& findings, const std::filesystem::path& file, const std::string& before) {
  const auto found = std::ranges::find(findings, Severity::mistake, &Finding::severity);
  if (found == findings.end()) return;
  throw Error(found->failure, before + found->what,
              file.string() + (found->line == 0 ? "" : fmt::format(":{}", found->line)),
              found->advice.empty() ? "see timeless platform check" : found->advice);
}

namespace {

/// How a replay ends that meets all of the mistakes: what is invalid goes before what no replay can do.
Failure failure_of(const Findings& findings) {
  const bool invalid = std::ranges::any_of(findings, [](const Finding& finding) {
    return finding.severity == Severity::mistake && finding.failure == Failure::invalid_input;
  });
  return invalid ? Failure::invalid_input : Failure::missing_capability;
}

} // namespace

int answer_check(const std::filesystem::path& file, bool json) {
  const Findings findings = judge(file);
  const bool wrong = has_mistakes(findings);
  if (json) {
    nlohmann::ordered_json answer{{"action", "check"}, {"file", file.string()}, {"good", !wrong}};
    answer["findings"] = nlohmann::ordered_json::array();
    for (const Finding& finding : findings)
      answer["findings"].push_back({{"severity", finding.severity == Severity::mistake ? "mistake" : "remark"},
                                    {"line", finding.line},
                                    {"what", finding.what},
                                    {"advice", finding.advice}});
    print_json("platform", 1, answer);
  } else {
    for (const Finding& finding : findings)
      print_line("{}{}: {}{}{}", file.string(), finding.line == 0 ? "" : fmt::format(":{}", finding.line),
                 finding.severity == Severity::mistake ? "" : "remark: ", finding.what,
                 finding.advice.empty() ? "" : ": " + finding.advice);
    const auto mistakes = std::ranges::count(findings, Severity::mistake, &Finding::severity);
    if (wrong)
      print_line("{} mistake{}", mistakes, mistakes == 1 ? "" : "s");
    else
      print_line("{}: good; SimGrid loads it{}", file.string(), findings.empty() ? " without a warning" : "");
  }
  return wrong ? static_cast<int>(failure_of(findings)) : 0;
}

} // namespace timeless::tools::platforms
