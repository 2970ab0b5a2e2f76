#include "tools/reporting/next_step.h"

#include "tools/cli/shell_word.h"
#include "tools/cli/trace_input.h"
#include "tools/replaying/reservations.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace timeless::tools {

namespace {

using analysis::ChangeKind;

/// The trace and how it is read.
std::string trace_words(const ReportRequest& asked) {
  std::string words = shell_word(path_argument(asked.traces.front()));
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

/// A platform that comes with Timeless.
struct Nearest {
  std::string name = "flat";
  bool alike = false; ///< its latency and bandwidth are about those of the machine
};

/// The platform with room for the ranks whose latency and bandwidth are nearest to a machine's; "flat" where nothing is
/// known of them.
Nearest nearest_platform(const ReportedMachine& machine, trace::Rank ranks, InstalledPlatforms& installed) {
  const double alike_latency = std::log(2.0);
  const double alike_bandwidth = std::log(1.25);
  Nearest nearest;
  double least = INFINITY;
  for (const platforms::ListedPlatform& one : installed.loaded()) {
    if (!machine.figures || !one.between_nodes || one.hosts < static_cast<std::size_t>(ranks)) continue;
    const double latency = std::abs(std::log(one.between_nodes->latency / machine.figures->latency));
    const double bandwidth = std::abs(std::log(one.between_nodes->bandwidth / machine.figures->bandwidth));
    if (!(latency + bandwidth < least)) continue;
    least = latency + bandwidth;
    nearest = {one.file.stem().string(), latency <= alike_latency && bandwidth <= alike_bandwidth};
  }
  return nearest;
}

/// The words of the report's command without options and their values, and others behind them.
std::string asked_again(const ReportRequest& asked, const std::vector<std::string_view>& without,
                        const std::vector<std::string>& with) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < asked.question.size(); ++i) {
    const std::string& word = asked.question[i];
    const std::string_view option = std::string_view(word).substr(0, word.find('='));
    if (std::ranges::find(without, option) == without.end())
      words.push_back(word);
    else if (option == word)
      ++i;
  }
  words.insert(words.end(), with.begin(), with.end());
  return shell_line(words);
}

/// "mpirun -np 4 /home/me/ring"
std::string launch_words(const Report& report) {
  const std::string& program = report.run().provenance.program;
  return fmt::format("mpirun -np {} {}", report.run().size, program.empty() ? "PROGRAM" : shell_word(program));
}

/// "run-rates.json", of what is found about the trace.
std::string file_beside(const ReportRequest& asked, const char* what) {
  return path_argument(std::filesystem::path(asked.traces.front()).stem().string() + what);
}

std::size_t number_of(const Report& report, const ReportedMachine& machine) {
  return static_cast<std::size_t>(&machine - report.machines.data());
}

/// A command that does away with a doubt, why it does, and how to make the report with what it finds.
struct NextStep {
  std::string command;
  std::string reason;
  std::string report = {};
};
using Possible = std::optional<NextStep>; ///< nothing where the doubt cannot be helped so

NextStep look_what_is_missing(const Report& report) {
  return {.command = "timeless info " + trace_words(report.asked),
          .reason = "it says which ranks are missing or did not end, and why; then record the program to its end"};
}

NextStep record_again(const Report& report, const std::string& counter, const char* reason) {
  return {.command = fmt::format("timeless record{} -o {} -- {}", counter,
                                 shell_word(file_beside(report.asked, "-again")), launch_words(report)),
          .reason = reason};
}

Possible calibrate_compute(const Report& report, const char* in_place_of, bool may_turn = true) {
  const ReportRequest& asked = report.asked;
  if (!asked.from.ours() || report.run().counter.unit != trace::VolumeUnit::instructions) return {};
  const std::string rates = file_beside(asked, asked.machine.rates.empty() ? "-rates.json" : "-rates-again.json");
  return NextStep{.command = fmt::format("timeless calibrate compute {} -o {} -- {}", trace_words(asked),
                                         shell_word(rates), launch_words(report)),
                  .reason = fmt::format(
                      "{}it measures how fast a processor computes this program's kernels, in place of {}: run it "
                      "on a node like those that you have, with the program's own arguments (timeless calibrate "
                      "machine, for --machine, measures a node that the program cannot run on)",
                      may_turn ? "" : "no answer waits for it, the times in brackets do: ", in_place_of),
                  .report = asked_again(asked, {"--compute-rate", "--rates", "--machine"}, {"--rates", rates})};
}

/// Measures the first machine whose figures are a guess, or, where there is none, were measured in noise.
Possible calibrate_network(const Report& report) {
  auto guessed = std::ranges::find_if(report.machines, analysis::is_guess, &ReportedMachine::trust);
  const bool noisy = guessed == report.machines.end();
  if (noisy)
    guessed = std::ranges::find_if(report.machines, [&](const ReportedMachine& one) {
      const std::filesystem::path& file = report.prediction.bases[number_of(report, one)].file;
      return !file.empty() && reservations(file).noisy;
    });
  if (guessed == report.machines.end()) return {};
  const std::size_t number = number_of(report, *guessed);
  const bool platform = !report.asked.platforms.empty();
  const std::string file = "measured-" + std::to_string(number + 1) + (platform ? ".xml" : ".json");
  std::vector<std::string> with;
  const auto& all = platform ? report.asked.platforms : report.asked.machine.networks;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string& name = i == number ? file : all[i];
    with.insert(with.end(), {platform ? "--platform" : is_pair_of_figures(name) ? "--where" : "--network", name});
  }
  return NextStep{
      .command = fmt::format("timeless calibrate network -o {} --budget 20s -- mpirun -np 2", file),
      .reason = fmt::format("it measures what {}'s messages take, in place of figures that are {}: run it on two of "
                            "its nodes, as with mpirun --host NODE,NODE -np 2",
                            guessed->name, noisy ? "measured in noise" : analysis::trust_words(guessed->trust)),
      .report = asked_again(report.asked, {"--network", "--where", "--platform"}, with)};
}

Possible validate(const Report& report) {
  const ReportRequest& asked = report.asked;
  if (!asked.from.ours() || !(asked.machine.speeds_from_file() || asked.machine.compute_rate > 0)) return {};
  const std::string file = file_beside(asked, "-validation.json");
  return NextStep{.command = fmt::format("timeless validate --json --trace {}{}{} -- {} >{}", trace_words(asked),
                                         machine_words(report), placement_words(asked.machine), launch_words(report),
                                         shell_word(file)),
                  .reason = fmt::format("it compares this prediction with launches: run it on {}, with the program's "
                                        "own arguments",
                                        report.machines[report.base].name),
                  .report = asked_again(asked, {"--validation"}, {"--validation", file})};
}

/// The platforms that come with Timeless and are of the kind of a report's networks, each once, the base machine's
/// first: with room for the ranks, and about as much latency and bandwidth. Nothing unless the base machine has one,
/// and another machine another.
std::vector<std::string> like_platforms(const Report& report, InstalledPlatforms& installed) {
  std::vector<std::string> names;
  const auto add = [&](const ReportedMachine& machine) {
    const Nearest nearest = nearest_platform(machine, report.run().size, installed);
    if (!nearest.alike || std::ranges::find(names, nearest.name) != names.end()) return false;
    names.push_back(nearest.name);
    return true;
  };
  if (!add(report.machines[report.base])) return {};
  for (std::size_t i = 0; i < report.machines.size(); ++i)
    if (i != report.base) add(report.machines[i]);
  return names.size() > 1 ? names : std::vector<std::string>();
}

/// Simulates the base machine with contention: in a report on platforms where there are such of the networks' kinds.
std::string simulation_command(const Report& report, InstalledPlatforms& installed) {
  const ReportRequest& asked = report.asked;
  if (!asked.platforms.empty()) return asked_again(asked, {}, {"--smpi"});
  const std::vector<std::string> platforms = like_platforms(report, installed);
  if (platforms.empty())
    return fmt::format("timeless replay {} --platform {} --backend smpi{}", trace_words(asked),
                       nearest_platform(report.machines[report.base], report.run().size, installed).name,
                       placement_words(asked.machine, false));
  std::vector<std::string_view> without{"--network", "--where", "--validation", "--hostfile"};
  if (asked.machine.mapping == "hostfile") without.emplace_back("--mapping"); // other machines have other hosts
  return asked_again(asked, without, {"--platform", fmt::format("{}", fmt::join(platforms, ",")), "--smpi"});
}

Possible simulate(const Report& report, InstalledPlatforms& installed) {
  const bool pays = std::ranges::any_of(report.verdict.answers, [](const ReportedAnswer& one) {
    return one.change.worth != analysis::Worth::ruled_out &&
           (one.change.kind == ChangeKind::machine || one.change.kind == ChangeKind::bandwidth);
  });
  if (report.smpi || !pays) return {};
  return NextStep{.command = simulation_command(report, installed),
                  .reason = "SMPI shares links among messages: it shows whether the network becomes congested"};
}

NextStep list_kernels(const Report& report) {
  NextStep step{.command = fmt::format("timeless replay {}{}{} --by kernel --critical-path", trace_words(report.asked),
                                       machine_words(report), placement_words(report.asked.machine)),
                .reason = "it lists the kernels and ranks that the time is spent in"};
  for (const std::string& directory : report.asked.symbols)
    step.command += " --symbols " + shell_word(directory);
  return step;
}

/// What a calibration replaces.
const char* source_of_rate(const std::string& from) {
  if (from == "given") return "one number for all";
  if (from == "borrowed") return "rates of other kernels";
  return from == "machine" ? "what a machine's operations cost" : "an assumption";
}

/// Whether doing away with it may turn an answer: others are the same at twice or half the saving, or at all rates.
bool may_turn_an_answer(const analysis::Reason& reason) {
  return reason.limit == analysis::Confidence::low || reason.doubt == analysis::Doubt::contention;
}

Possible step_against(const analysis::Reason& reason, const Report& report, InstalledPlatforms& installed) {
  using analysis::Doubt;
  switch (reason.doubt) {
  case Doubt::incomplete:
    return look_what_is_missing(report);
  case Doubt::no_computation:
    return record_again(report, "", "it records what the program computes, too");
  case Doubt::rate:
    return calibrate_compute(report, source_of_rate(report.rates.from), may_turn_an_answer(reason));
  case Doubt::contradicted:
  case Doubt::misfit:
    return calibrate_compute(report, "rates that do not fit, or of launches that differ");
  case Doubt::figures:
    return calibrate_network(report);
  case Doubt::inexact:
    return record_again(report, " --counter icount", "it counts instructions exactly, the same in every recording");
  case Doubt::contention:
    return simulate(report, installed);
  case Doubt::not_compared:
    return validate(report);
  case Doubt::bases:
  case Doubt::left_out:
    break;
  }
  return {};
}

/// What does away with the weightiest doubt that can be helped, of those that may turn an answer first.
NextStep next_step(const Report& report, InstalledPlatforms& installed) {
  if (!report.verdict.refusal.empty())
    return report.run().complete()
               ? record_again(report, "", "what was recorded takes no time: record the part of the program that works")
               : look_what_is_missing(report);
  std::vector<analysis::Trust> to_be_had;
  for (const auto& [change, trust] : report.verdict.answers)
    if (change.kind == ChangeKind::machine || is_of_processors(change.kind)) to_be_had.push_back(trust);
  std::vector<analysis::Reason> reasons = analysis::least(to_be_had).by_urgency();
  std::ranges::stable_partition(reasons, may_turn_an_answer);
  for (const analysis::Reason& reason : reasons)
    if (Possible step = step_against(reason, report, installed)) return std::move(*step);
  if (Possible step = simulate(report, installed)) return std::move(*step);
  return list_kernels(report);
}

} // namespace

void find_next_step(Report& report, InstalledPlatforms& installed) {
  NextStep step = next_step(report, installed);
  report.verdict.next_command = std::move(step.command);
  report.verdict.next_reason = std::move(step.reason);
  report.verdict.next_report = std::move(step.report);
}

} // namespace timeless::tools
