#include "tools/render/trace/check.h"

#include "tools/cli/console.h"
#include "tools/cli/trace_input.h"
#include "tools/render/figures.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>

namespace timeless::tools {

namespace {

using nlohmann::ordered_json;
using trace::CheckReport;
using trace::Finding;

std::string finding_line(const Finding& finding) {
  std::string where;
  if (finding.rank != trace::no_rank) where = fmt::format("rank {} ", finding.rank);
  if (finding.action != trace::no_action) where += fmt::format("(action {}) ", finding.action);
  return text_line("{:<13}{}{}", name(finding.severity), where, finding.words);
}

ordered_json finding_json(const Finding& finding) {
  ordered_json row = {{"severity", name(finding.severity)}, {"rank", nullptr}, {"action", nullptr}};
  if (finding.rank != trace::no_rank) row["rank"] = finding.rank;
  if (finding.action != trace::no_action) row["action"] = finding.action;
  row["words"] = finding.words;
  return row;
}

std::string verdict(const CheckReport& report) {
  if (report.inconsistent > 0)
    return fmt::format("INCONSISTENT: {} finding{}", report.inconsistent, plural(report.inconsistent));
  if (report.incomplete > 0) return "INCOMPLETE, consistent as far as it goes";
  return "consistent and complete";
}

} // namespace

std::string to_text(const CheckAnswer& answer) {
  const CheckReport& report = answer.report;
  std::string text = text_line("{}: {}", answer.trace, verdict(report));
  text += text_fact(13, "checked", "{} actions, {} messages ({}), {} requests, {} collective calls",
                    count_text(report.actions), count_text(report.messages), bytes_text(report.message_bytes),
                    count_text(report.requests), count_text(report.collectives));
  if (const std::string made = extrapolation_words(answer.run); !made.empty())
    text += text_fact(13, "trace", "{}", made);
  if (answer.run.volume_error > 0) text += text_fact(13, "volumes", "{}", rounding(answer.run));
  for (const auto& [call, count] : answer.run.unrecorded_calls())
    text += text_fact(13, "NOT RECORDED", "{} called {} times: not in the trace, so neither checked nor in any replay",
                      call, count);
  const std::size_t shown = std::min(answer.lines, report.findings.size());
  for (std::size_t line = 0; line < shown; ++line)
    text += finding_line(report.findings[line]);
  const std::uint64_t all = report.inconsistent + report.incomplete + report.notes;
  if (all > shown) text += text_line("and {} more", all - shown);
  return text;
}

ordered_json to_json(const CheckAnswer& answer) {
  const CheckReport& report = answer.report;
  ordered_json findings = ordered_json::array();
  for (const Finding& finding : report.findings)
    findings.push_back(finding_json(finding));
  return {{"trace", answer.trace},
          {"consistent", report.inconsistent == 0},
          {"complete", report.incomplete == 0},
          {"extrapolated", !answer.run.provenance.extrapolated.empty()},
          {"volume_error", volume_error(answer.run)},
          {"actions", report.actions},
          {"messages", report.messages},
          {"message_bytes", report.message_bytes},
          {"requests", report.requests},
          {"collective_calls", report.collectives},
          {"findings_inconsistent", report.inconsistent},
          {"findings_incomplete", report.incomplete},
          {"notes", report.notes},
          {"unrecorded_calls", answer.run.unrecorded_calls()},
          {"findings", findings}};
}

} // namespace timeless::tools
