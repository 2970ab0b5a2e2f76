#include "tools/cli/console.h"
#include "tools/cli/trace_input.h"
#include "tools/verbs/verbs.h"

#include "base/error.h"
#include "replay/network/hockney_network.h"
#include "replay/replay.h"
#include "trace/check/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace timeless::tools {

namespace {

using trace::CheckReport;
using trace::Finding;
using trace::Severity;

struct CheckOptions {
  std::string trace;
  TraceFormat from;
  std::size_t lines = 20;
  bool json = false;
};

/// The lines of a text as one.
std::string joined_lines(std::string text) {
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', end)) {
    const std::size_t next = std::min(text.find_first_not_of(" \n", end), text.size());
    text.replace(end, next - end, next < text.size() ? "; " : "");
  }
  return text;
}

/// Whether ranks, and threads of a rank, come to wait for each other where messages are buffered whatever their size,
/// or the replay stumbles over something else: what shows in how the actions of all follow each other.
void replay_once(const trace::Source& source, CheckReport& report) {
  Progress progress("replaying", total_actions(source.run()));
  replay::HockneyNetwork machine({{.name = "check", .between_nodes = {1e-6, 1e-9}, .within_node = {1e-6, 1e-9}}},
                                 replay::one_rank_per_node(source.run().size, 1e-9));
  replay::ReplayOptions options;
  options.progress = [&](std::uint64_t done, std::uint64_t) { progress.update(done); };
  try {
    replay::replay(source, machine, options);
  } catch (const Error& error) {
    if (error.failure() != Failure::invalid_input) throw;
    const std::string where = error.where().empty() ? "" : " (" + error.where() + ")";
    report.findings.push_back(
        {.severity = Severity::inconsistent, .words = "in a replay, " + joined_lines(error.description() + where)});
    ++report.inconsistent;
  }
}

CheckReport examine_trace(const trace::Source& source) {
  CheckReport report;
  {
    Progress progress("checking", total_actions(source.run()));
    const auto* const imported = dynamic_cast<const trace::formats::ImportedRun*>(&source);
    report = trace::check(source, {.receives_name_buffers = imported != nullptr && imported->receives_name_buffers(),
                                   .progress = [&](std::uint64_t actions) { progress.update(actions); }});
  }
  // Of rank files, what is cut short shows in how their ranks end; what is damaged was refused above.
  if (const auto* archive = dynamic_cast<const trace::ArchiveReader*>(&source)) trace::add_damage(*archive, report);
  if (report.inconsistent == 0 && report.incomplete == 0) replay_once(source, report);
  // The worst first; within one severity as they were found.
  std::ranges::stable_sort(report.findings, std::greater{}, &Finding::severity);
  return report;
}

std::string text(const Finding& finding) {
  std::string where;
  if (finding.rank != trace::no_rank) where = fmt::format("rank {} ", finding.rank);
  if (finding.action != trace::no_action) where += fmt::format("(action {}) ", finding.action);
  return fmt::format("{:<13}{}{}", name(finding.severity), where, finding.words);
}

std::string verdict(const CheckReport& report) {
  if (report.inconsistent > 0)
    return fmt::format("INCONSISTENT: {} finding{}", report.inconsistent, report.inconsistent == 1 ? "" : "s");
  if (report.incomplete > 0) return "INCOMPLETE, consistent as far as it goes";
  return "consistent and complete";
}

void print_text(const CheckOptions& options, const trace::Run& run, const CheckReport& report) {
  print_line("{}: {}", options.trace, verdict(report));
  print_line("{:<13}{} actions, {} messages ({}), {} requests, {} collective calls", "checked",
             human_count(static_cast<double>(report.actions)), human_count(static_cast<double>(report.messages)),
             human_bytes(static_cast<double>(report.message_bytes)), human_count(static_cast<double>(report.requests)),
             human_count(static_cast<double>(report.collectives)));
  if (run.volume_error > 0) print_line("{:<13}{}", "volumes", rounding(run));
  for (const auto& [call, count] : run.unrecorded_calls())
    print_line("{:<13}{} called {} times: not in the trace, so neither checked nor in any replay", "NOT RECORDED", call,
               count);
  const std::size_t shown = std::min(options.lines, report.findings.size());
  for (std::size_t line = 0; line < shown; ++line)
    print_line("{}", text(report.findings[line]));
  const std::uint64_t all = report.inconsistent + report.incomplete + report.notes;
  if (all > shown) print_line("and {} more", all - shown);
}

void print_answer(const CheckOptions& options, const trace::Run& run, const CheckReport& report) {
  nlohmann::ordered_json findings = nlohmann::ordered_json::array();
  for (const Finding& finding : report.findings) {
    nlohmann::ordered_json row = {{"severity", name(finding.severity)}, {"rank", nullptr}, {"action", nullptr}};
    if (finding.rank != trace::no_rank) row["rank"] = finding.rank;
    if (finding.action != trace::no_action) row["action"] = finding.action;
    row["words"] = finding.words;
    findings.push_back(std::move(row));
  }
  print_json("check", 1,
             {{"trace", options.trace},
              {"consistent", report.inconsistent == 0},
              {"complete", report.incomplete == 0},
              {"volume_error", volume_error(run)},
              {"actions", report.actions},
              {"messages", report.messages},
              {"message_bytes", report.message_bytes},
              {"requests", report.requests},
              {"collective_calls", report.collectives},
              {"findings_inconsistent", report.inconsistent},
              {"findings_incomplete", report.incomplete},
              {"notes", report.notes},
              {"unrecorded_calls", run.unrecorded_calls()},
              {"findings", findings}});
}

int exit_code(const CheckReport& report) {
  if (report.inconsistent > 0) return static_cast<int>(Failure::invalid_input);
  if (report.incomplete > 0) return static_cast<int>(Failure::partial);
  return exit_ok;
}

int check_trace(const CheckOptions& options) {
  const auto source = open_trace(options.trace, options.from);
  const CheckReport report = examine_trace(*source);
  if (options.json)
    print_answer(options, source->run(), report);
  else
    print_text(options, source->run(), report);
  return exit_code(report);
}

} // namespace

VerbAction add_check(CLI::App& command) {
  auto options = std::make_shared<CheckOptions>();
  add_trace_argument(command, options->trace, options->from);
  command.add_option("--lines", options->lines, "Print at most this many findings");
  command.add_flag("--json", options->json, "Print JSON (schema timeless.check/1)");
  command.footer(
      "Exit status: 0 when all is well, 3 when something is inconsistent, 6 when only something is missing.\n"
      "Example: timeless check lu.C.64.tia");
  return [options] { return check_trace(*options); };
}

} // namespace timeless::tools
