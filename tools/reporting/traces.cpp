#include "tools/reporting/traces.h"

#include "analysis/sufficiency.h"
#include "analysis/trace/program_names.h"
#include "tools/cli/trace_input.h"
#include "tools/replaying/calibrated.h"
#include "tools/replaying/options/request.h"
#include "tools/replaying/sweep/advising.h"
#include "tools/replaying/sweep/class_ranges.h"
#include "tools/reporting/machines.h"
#include "tools/reporting/upgrades.h"

#include <algorithm>
#include <filesystem>
#include <utility>

namespace timeless::tools {

namespace {

using replay::LaneResult;

ReportedTrace described_trace(const std::string& trace, const trace::Run& run, std::vector<LaneResult> lanes) {
  const std::string program = std::filesystem::path(run.provenance.program).filename().string();
  ReportedTrace found{.trace = trace,
                      .program = program.empty() ? std::filesystem::path(trace).stem().string() : program,
                      .ranks = run.size,
                      .incompleteness = incompleteness(run),
                      .lanes = std::move(lanes),
                      .classification = {},
                      .advice = {},
                      .deadlock = {},
                      .compute = {},
                      .weighed = {}};
  for (LaneResult& lane : found.lanes)
    lane.rank_sensitivities.clear();
  return found;
}

ReportedTrace first_trace(const Report& report) {
  ReportedTrace found = described_trace(report.asked.traces.front(), report.run(), report.prediction.result.lanes);
  found.classification = report.machines[report.base].classification;
  found.advice = report.machines[report.base].advice;
  found.compute = report.prediction.bases[report.base].compute;
  found.weighed = report.verdict;
  return found;
}

ReportedTrace other_trace(const Report& report, const std::string& trace) {
  ReportRequest request = report.asked;
  request.machine.calibrated = nullptr;
  const auto source = rated(open_trace(trace, request.from), request.machine);
  const PredictionOptions options = options_of(request, trace);
  const Prediction prediction = predict_as_far_as_known(*source, options, predict_without_simgrid);
  ReportedTrace found = described_trace(trace, source->run(), prediction.result.lanes);
  const PlacedMachines machines(source->run(), options);
  found.compute = machines.bases()[report.base].compute;
  if (found.lanes[report.base].deadlock) {
    Progress progress("searching " + trace, total_actions(source->run()));
    found.deadlock = deadlock_on({.machine = report.base}, machines, *source, shown_on(progress));
    return found;
  }
  if (analysis::nothing_to_judge_by(source->run(), prediction.result.lanes).empty()) {
    Progress progress("classifying " + trace, total_actions(source->run()));
    const replay::ReplayOptions replaying = shown_on(progress);
    found.classification = judge(*source, machines, report.base, replaying).classification;
    found.advice = advise(machines, *source, request.machine, request.threshold, replaying)[report.base];
  }
  const RateRange rates = rate_range(request.machine, found.compute);
  const auto intervals = intervals_of(options, *source, rates);
  found.weighed = weigh({.source = *source,
                         .asked = request,
                         .trace = trace,
                         .lanes = found.lanes,
                         .bases = machines.bases(),
                         .intervals = intervals,
                         .rates = rates,
                         .advice = found.advice ? &*found.advice : nullptr,
                         .left_out = !prediction.result.not_modelled.empty()},
                        report);
  return found;
}

} // namespace

void predict_traces(Report& report) {
  report.traces = {first_trace(report)};
  for (std::size_t i = 1; i < report.asked.traces.size(); ++i)
    report.traces.push_back(other_trace(report, report.asked.traces[i]));
  std::vector<analysis::NamedProgram> named;
  for (const ReportedTrace& one : report.traces)
    named.push_back({one.program, one.ranks});
  const std::vector<std::string> names = analysis::program_names(named);
  for (std::size_t i = 0; i < names.size(); ++i)
    report.traces[i].program = names[i];
  std::vector<std::string> programs;
  for (const ReportedTrace& one : report.traces)
    if (std::ranges::find(programs, one.program) == programs.end()) programs.push_back(one.program);
  std::ranges::stable_sort(report.traces, {}, [&](const ReportedTrace& one) {
    return std::pair(std::ranges::find(programs, one.program) - programs.begin(), one.ranks);
  });
  report.about = static_cast<std::size_t>(
      std::ranges::find(report.traces, report.asked.traces.front(), &ReportedTrace::trace) - report.traces.begin());
}

} // namespace timeless::tools
