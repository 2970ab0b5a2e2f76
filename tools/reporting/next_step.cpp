#include "tools/reporting/next_step.h"

#include "tools/cli/shell_word.h"
#include "tools/cli/trace_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace timeless::tools {

namespace {

using analysis::ChangeKind;

/// The trace and how it is read.
std::string trace_words(const ReportRequest& asked) {
  std::string words = shell_word(asked.traces.front());
  if (!asked.from.ours()) words += " --from " + shell_word(asked.from.name);
  if (const auto& calls = asked.from.as_computation) {
    std::string list = calls->local ? "local" : "";
    if (calls->nonblocking) list += list.empty() ? "nonblocking" : ",nonblocking";
    words += " --as-computation " + (list.empty() ? "none" : list);
  }
  return words;
}

/// Where ranks are, and how fast they compute; another machine has other hosts.
std::string placement_words(PresetMachineOptions asked, bool same_hosts = true) {
  std::string words;
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) words += std::string(" ") + option + " " + shell_word(value);
  };
  if (!same_hosts) {
    asked.hostfile.clear();
    if (asked.mapping == "hostfile") asked.mapping = "auto";
  }
  if (asked.mapping != "auto") add("--mapping", asked.mapping);
  add("--hostfile", asked.hostfile);
  if (asked.compute_rate > 0) add("--compute-rate", fmt::format("{}", asked.compute_rate));
  add("--rates", asked.rates);
  if (asked.noise) add("--noise", std::to_string(*asked.noise));
  add("--machine", asked.costs);
  return words;
}

std::string machine_words(const Report& report) {
  const ReportRequest& asked = report.asked;
  return asked.platforms.empty()
             ? (is_pair_of_figures(asked.machine.networks[report.base]) ? " --where " : " --network ") +
                   shell_word(asked.machine.networks[report.base])
             : " --platform " + shell_word(asked.platforms[report.base]);
}

/// The platform with room for the ranks whose latency and bandwidth are nearest to the base machine's; "flat" where
/// nothing is known of them.
std::string nearest_platform(const Report& report, InstalledPlatforms& installed) {
  const auto& base = report.machines[report.base].figures;
  std::string nearest = "flat";
  double least = INFINITY;
  for (const platforms::ListedPlatform& one : installed.loaded()) {
    if (!base || !one.between_nodes || one.hosts < static_cast<std::size_t>(report.run().size)) continue;
    const double apart = std::abs(std::log(one.between_nodes->latency / base->latency)) +
                         std::abs(std::log(one.between_nodes->bandwidth / base->bandwidth));
    if (!(apart < least)) continue;
    least = apart;
    nearest = one.file.stem().string();
  }
  return nearest;
}

void calibrate_next(Report& report) {
  const ReportRequest& asked = report.asked;
  const std::string program = report.run().provenance.program;
  const std::string rates = std::filesystem::path(asked.traces.front()).stem().string() + "-rates.json";
  report.verdict.next_command =
      fmt::format("timeless calibrate compute {} -o {} -- mpirun -np {} {}", trace_words(asked), shell_word(rates),
                  report.run().size, program.empty() ? "PROGRAM" : shell_word(program));
  report.verdict.next_reason = fmt::format(
      "it measures how fast a processor computes this program's kernels, in place of an assumption: run it on "
      "a node like those that you have, with the program's own arguments; then make this report again with "
      "--rates {}",
      shell_word(rates));
}

} // namespace

void find_next_step(Report& report, InstalledPlatforms& installed) {
  ReportVerdict& verdict = report.verdict;
  const ReportRequest& asked = report.asked;
  const ComputeBasis& compute = report.prediction.bases[report.base].compute;
  const auto pays = [&](std::initializer_list<ChangeKind> kinds) {
    return std::ranges::any_of(verdict.answers, [&](const ReportedAnswer& one) {
      return one.change.worth != analysis::Worth::ruled_out && std::ranges::find(kinds, one.change.kind) != kinds.end();
    });
  };
  if (!incompleteness(report.run()).empty()) {
    verdict.next_command = "timeless info " + trace_words(asked);
    verdict.next_reason = "it says which ranks are missing and why; then record the program to its end";
  } else if (compute.assumed && asked.from.ours() && report.run().counter.unit == trace::VolumeUnit::instructions) {
    calibrate_next(report);
  } else if (!report.smpi && pays({ChangeKind::machine, ChangeKind::bandwidth})) {
    verdict.next_command = asked.platforms.empty()
                               ? fmt::format("timeless replay {} --platform {} --backend smpi{}", trace_words(asked),
                                             nearest_platform(report, installed), placement_words(asked.machine, false))
                               : asked.question + " --smpi";
    verdict.next_reason = "SMPI shares links among messages: it shows whether the network becomes congested";
  } else {
    verdict.next_command = fmt::format("timeless replay {}{}{} --by kernel --critical-path", trace_words(asked),
                                       machine_words(report), placement_words(asked.machine));
    for (const std::string& directory : asked.symbols)
      verdict.next_command += " --symbols " + shell_word(directory);
    verdict.next_reason = "it lists the kernels and ranks that the time is spent in";
  }
}

} // namespace timeless::tools
