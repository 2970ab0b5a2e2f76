#include "tools/replaying/examination.h"

#include "tools/cli/console.h"
#include "tools/cli/trace_input.h"

#include "base/error.h"
#include "replay/network/hockney_network.h"
#include "replay/replay.h"

#include <algorithm>
#include <functional>
#include <string>

namespace timeless::tools {

namespace {

using trace::CheckReport;
using trace::Finding;
using trace::Severity;

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
  const replay::Network machine =
      replay::hockney_network({{.name = "check", .between_nodes = {1e-6, 1e-9}, .within_node = {1e-6, 1e-9}}},
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

} // namespace

CheckReport examined(const trace::Source& source) {
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

} // namespace timeless::tools
