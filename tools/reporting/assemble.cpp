#include "tools/cli/console.h"
#include "tools/cli/trace_input.h"
#include "tools/replaying/calibrated.h"
#include "tools/replaying/options/kernel_names.h"
#include "tools/replaying/options/request.h"
#include "tools/reporting/contents.h"
#include "tools/reporting/machines.h"
#include "tools/reporting/next_step.h"
#include "tools/reporting/plane.h"
#include "tools/reporting/report.h"
#include "tools/reporting/scaling.h"
#include "tools/reporting/traces.h"
#include "tools/reporting/upgrades.h"
#include "tools/validating/validation_file.h"

#include "base/error.h"
#include "base/parsing.h"
#include "replay/result/problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <utility>

namespace timeless::tools {

namespace {

/// What ranks do around the critical path: the base machine once more, observed.
std::optional<PathWindow> observed_window(const Report& report, const trace::Source& source) {
  const auto& path = report.prediction.critical_path;
  if (!path || report.prediction.critical_path_lane != report.base) return std::nullopt;
  PathWindow window = path_window(path->segments);
  if (window.rows.empty() || !(window.end > window.begin)) return std::nullopt;
  PredictionOptions options = base_options(report);
  WindowObserver observer(window, 0);
  options.observer = &observer;
  predict_without_simgrid(source, options);
  observer.finish();
  return window;
}

/// The fastest machine but the base machine, of those on which the program ends.
std::optional<std::size_t> fastest_other(const Report& report) {
  std::optional<std::size_t> fastest;
  for (std::size_t i = 0; i < report.machines.size(); ++i)
    if (i != report.base && !report.lane(i).deadlock &&
        (!fastest || report.lane(i).makespan < report.lane(*fastest).makespan))
      fastest = i;
  return fastest;
}

void simulate(Report& report, const trace::Source& source) {
  if (!report.asked.smpi) return;
  PredictionOptions options = base_options(report);
  options.backend = Backend::smpi;
  if (const std::optional<std::size_t> other = fastest_other(report)) {
    PredictionOptions both = options;
    both.platforms.push_back(report.asked.platforms[*other]);
    try {
      Prediction simulated = predict(source, both);
      for (const replay::LaneResult& lane : simulated.result.lanes)
        if (lane.deadlock) throw replay::ReplayProblem(*lane.deadlock);
      report.smpi = std::move(simulated);
      report.simulated_other = other;
    } catch (const Error& problem) { // such as a deadlock, with other eager limits than the model's
      report.notes.push_back(
          fmt::format("{} was not simulated: in SMPI, {}", report.machines[*other].name, first_line(problem.what())));
    }
  }
  if (!report.smpi) report.smpi = predict(source, options);
  name_kernels(*report.smpi, source, report.asked.symbols);
}

/// "/home/me/ring" of what a shell takes for a word.
std::string named_file(std::string word) {
  std::erase_if(word, [](char c) { return c == '"' || c == '\''; });
  return std::filesystem::path(word).filename().string();
}

/// Whether the launches that a validation is of were this program's: one of the words that launched them is its name.
bool of_this_program(const Validation& validation, const trace::Run& run) {
  const std::string program = std::filesystem::path(run.provenance.program).filename().string();
  std::istringstream words(validation.command);
  for (std::string word; words >> word;)
    if (!program.empty() && named_file(word) == program) return true;
  return false;
}

/// Whether predictions of a validation are of that machine: they name it, and describe it in brackets.
bool is_of_machine(const ValidatedPrediction& prediction, const std::string& machine) {
  return prediction.machine == machine || prediction.machine.starts_with(machine + " (");
}

/// Why a validation says nothing of this report's answers; empty where it does.
std::string foreign_validation(const Validation& validation, const Report& report) {
  const trace::Run& run = report.run();
  const std::string& machine = report.machines[report.base].name;
  if (!of_this_program(validation, run))
    return fmt::format("of another program (it launched: {}), not of {}",
                       validation.command.empty() ? "nothing it names" : validation.command, run.provenance.program);
  if (validation.ranks > 0 && validation.ranks != run.size)
    return fmt::format("of launches on {} ranks, this run has {}", validation.ranks, run.size);
  const auto is_of_base = [&](const ValidatedPrediction& one) { return is_of_machine(one, machine); };
  if (std::ranges::any_of(validation.predictions, is_of_base)) return {};
  return fmt::format("of {}, not of {}",
                     validation.predictions.empty() ? "no machine" : validation.predictions.front().machine, machine);
}

/// A validation of another program, number of ranks or machine is shown, and counts for nothing.
void judge_validation(Report& report) {
  if (!report.validation) return;
  const std::string why = foreign_validation(*report.validation, report);
  report.validates = why.empty();
  if (report.validates) return;
  report.warnings.push_back("the validation is " + why + ": it is shown, and does not count for the confidence");
  report.notes.push_back(report.warnings.back());
}

} // namespace

const ValidatedPrediction* Report::launched() const {
  if (!validates) return nullptr;
  const auto found = std::ranges::find_if(
      validation->predictions, [&](const ValidatedPrediction& one) { return is_of_machine(one, machines[base].name); });
  return found == validation->predictions.end() ? nullptr : &*found;
}

const analysis::Contention* Report::contention(std::size_t machine) const {
  if (!smpi || (machine != base && machine != simulated_other)) return nullptr;
  const std::size_t place = machine == base ? 0 : 1;
  return place < smpi->contentions.size() && smpi->contentions[place] ? &*smpi->contentions[place] : nullptr;
}

std::optional<double> Report::simulated_saving() const {
  const analysis::Contention* const here = contention(base);
  const analysis::Contention* const there = simulated_other ? contention(*simulated_other) : nullptr;
  if (here == nullptr || there == nullptr || !(here->makespan.smpi > 0)) return {};
  return 1 - there->makespan.smpi / here->makespan.smpi;
}

Report assemble(ReportRequest request) {
  if (request.smpi && request.platforms.empty())
    throw Error(Failure::usage, "SMPI needs a platform file, a network's name is not enough", "--smpi",
                "give --platform FILE");
  Report report;
  if (!request.upgrades.empty()) read_upgrades(request.upgrades); // refused before what may take minutes
  if (!request.validation.empty()) report.validation = read_validation(request.validation);
  report.asked = std::move(request);
  const std::string& trace = report.asked.traces.front();
  report.source = open_trace(trace, report.asked.from);
  const auto source = rated(open_trace(trace, report.asked.from), report.asked.machine);
  predict_machines(report, *source, report.asked.machine.calibrated != nullptr);
  judge_validation(report);
  classify_machines(report, *source);
  InstalledPlatforms installed;
  // A process that has simulated cannot have another platform loaded.
  if (report.asked.smpi && report.asked.map) installed.loaded();
  simulate(report, *source);
  weigh_upgrades(report, *source);
  price_upgrades(report, *source);
  if (report.verdict.refusal.empty() && report.asked.map && report.prediction.bases[report.base].network_used())
    report.plane = class_plane(report, installed, *source);
  predict_traces(report);
  if (report.asked.map) read_scaling(report);
  read_contents(report, *report.source);
  report.window = observed_window(report, *source);
  find_next_step(report, installed);
  return report;
}

} // namespace timeless::tools
