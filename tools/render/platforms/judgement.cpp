#include "tools/render/platforms/judgement.h"

#include "tools/cli/console.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace timeless::tools::platforms {

nlohmann::ordered_json to_json(const Judgement& judgement) {
  nlohmann::ordered_json answer{{"action", "check"}, {"file", judgement.file.string()}, {"good", judgement.good()}};
  answer["findings"] = nlohmann::ordered_json::array();
  for (const Finding& finding : judgement.findings)
    answer["findings"].push_back({{"severity", finding.severity == Severity::mistake ? "mistake" : "remark"},
                                  {"line", finding.line},
                                  {"what", finding.what},
                                  {"advice", finding.advice}});
  return answer;
}

std::string to_text(const Judgement& judgement) {
  const std::string file = judgement.file.string();
  std::string text;
  for (const Finding& finding : judgement.findings)
    text += text_line("{}{}: {}{}{}", file, finding.line == 0 ? "" : fmt::format(":{}", finding.line),
                      finding.severity == Severity::mistake ? "" : "remark: ", finding.what,
                      finding.advice.empty() ? "" : ": " + finding.advice);
  if (judgement.good())
    return text +
           text_line("{}: good; SimGrid loads it{}", file, judgement.findings.empty() ? " without a warning" : "");
  const auto mistakes = std::ranges::count(judgement.findings, Severity::mistake, &Finding::severity);
  return text + text_line("{} mistake{}", mistakes, mistakes == 1 ? "" : "s");
}

} // namespace timeless::tools::platforms
