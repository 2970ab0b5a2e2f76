#include "tools/render/report/report.h"

#include "tools/cli/trace_input.h"
#include "tools/render/figures.h"
#include "tools/render/info/kernels.h"
#include "tools/render/machines/compute_basis.h"
#include "tools/render/replay/prediction/contention.h"
#include "tools/render/replay/prediction/deadlock.h"
#include "tools/render/replay/prediction/efficiencies.h"
#include "tools/render/replay/prediction/not_modelled.h"
#include "tools/render/replay/prediction/replayed.h"
#include "tools/render/replay/prediction/times.h"
#include "tools/render/report/words.h"
#include "tools/render/scaling/times.h"
#include "tools/render/validation/validation.h"
#include "tools/reporting/upgrades.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <utility>

namespace timeless::tools {

namespace {

using nlohmann::ordered_json;
using replay::LaneResult;
using replay::RankTimes;

ordered_json interval_json(const std::optional<analysis::Interval>& interval) {
  return interval ? ordered_json({interval->low, interval->high}) : ordered_json();
}

ordered_json machine_json(const Report& report, std::size_t number) {
  const ReportedMachine& machine = report.machines[number];
  const LaneResult& lane = report.lane(number);
  const MachineBasis& basis = report.prediction.bases[number];
  ordered_json json = to_json(replayed(lane, basis, machine.interval));
  json.update({{"name", machine.name}, {"description", machine.description}, {"trust", machine.trust}});
  if (machine.figures) {
    json["latency_seconds"] = machine.figures->latency;
    json["bits_per_second"] = bits_per_second(machine.figures->bandwidth);
  }
  if (lane.deadlock) return json;
  if (lane.ideal_makespan) json["efficiency"] = efficiencies_json(lane);
  json["critical_path_seconds"] = to_json(lane.sensitivity);
  if (machine.classification) {
    json["class"] = basis.network_used() ? ordered_json(name(*machine.classification)) : nullptr;
    json["reason"] = class_reason(report, number);
  }
  json["helps"] = to_json(machine.advice, basis.compute);
  return json;
}

ordered_json answers_json(const RunAnswers& answers) {
  ordered_json json = ordered_json::array();
  for (const auto& [change, trust] : answers.answers) {
    json.push_back(to_json(change));
    json.back().update({{"confidence", name(trust.confidence)}, {"reasons", trust.words()}});
  }
  return json;
}

/// A machine on which a run does not end.
ordered_json deadlock_json(const Report& report, const MachineDeadlock& deadlock) {
  ordered_json json{{"machine", report.machines[deadlock.machine].name},
                    {"eager_limit_bytes", deadlock.eager_limit},
                    {"ends_from_bytes", nullptr},
                    {"makespan_seconds", nullptr}};
  if (!deadlock.ends_from) return json;
  json["ends_from_bytes"] =
      *deadlock.ends_from == replay::no_eager_limit ? ordered_json("none") : ordered_json(*deadlock.ends_from);
  json["makespan_seconds"] = deadlock.makespan;
  return json;
}

ordered_json text_or_null(const std::string& text) {
  return text.empty() ? ordered_json() : ordered_json(text);
}

ordered_json verdict_json(const Report& report) {
  const ReportVerdict& verdict = report.verdict;
  ordered_json json{{"sentence", verdict_sentence(report)},
                    {"runs", text_or_null(runs_sentence(report))},
                    {"refusal", text_or_null(verdict.refusal)},
                    {"time", time_sentence(report)},
                    {"advice", helps_sentence(report, report.base)},
                    {"machine", report.machines[report.base].name},
                    {"makespan_seconds", report.base_lane().makespan},
                    {"makespan_interval_seconds", interval_json(report.machines[report.base].interval)},
                    {"threshold", verdict.threshold}};
  json["claims"] = ordered_json::array();
  for (const ReportedAnswer* claim : verdict.claims())
    json["claims"].push_back({{"what", change_words(claim->change)},
                              {"sentence", claim_words(*claim, report)},
                              {"confidence", name(claim->trust.confidence)},
                              {"reasons", claim->trust.words()}});
  for (const MachineDeadlock& one : verdict.deadlocks)
    json["claims"].push_back({{"what", in_place_of_base(report, one.machine)},
                              {"sentence", deadlock_claim(report, one)},
                              {"confidence", nullptr},
                              {"reasons", {deadlock_reason}}});
  json["changes"] = answers_json(verdict);
  json["upgrades"] = text_or_null(upgrades_sentence(report));
  json["next"] = {{"command", verdict.next_command},
                  {"reason", verdict.next_reason},
                  {"report", text_or_null(verdict.next_report)}};
  return json;
}

/// The priced upgrades, in the file's order.
ordered_json upgrades_json(const Report& report) {
  ordered_json json = ordered_json::array();
  if (!report.upgrades) return json;
  for (const ChangedMachine& one : report.upgrades->upgrades) {
    ordered_json upgrade = changed_json(*report.upgrades, one);
    upgrade.erase("before"); // configurations of the sweep that answered
    upgrade.erase("after");
    const analysis::SweptConfiguration& with = report.upgrades->of(one.after);
    upgrade["makespan_seconds"] = with.deadlock ? ordered_json() : ordered_json(with.makespan);
    json.push_back(std::move(upgrade));
  }
  return json;
}

const char* curve_name(SweepCurve::Of of) {
  if (of == SweepCurve::Of::bandwidth) return "bandwidth";
  return of == SweepCurve::Of::latency ? "latency" : "both";
}

ordered_json curves_json(const Report& report) {
  ordered_json json;
  for (const SweepCurve::Of of : {SweepCurve::Of::bandwidth, SweepCurve::Of::latency, SweepCurve::Of::both})
    json[curve_name(of)] = ordered_json::array();
  for (const SweepCurve& curve : report.curves) {
    ordered_json& points = json[curve_name(curve.of)];
    for (const SweepCurve::Point& point : curve.points)
      points.push_back({{"bandwidth_factor", point.bandwidth},
                        {"latency_factor", point.latency},
                        {"makespan_seconds", point.makespan},
                        {"mean_seconds", to_json(point.mean)}});
  }
  return json;
}

ordered_json plane_json(const ClassPlane& plane) {
  ordered_json json{{"bandwidth_factors", plane.bandwidths}, {"latency_factors", plane.latencies}};
  json["rows"] = ordered_json::array(); // one for each latency
  for (std::size_t j = 0; j < plane.latencies.size(); ++j) {
    ordered_json row = ordered_json::array();
    for (std::size_t i = 0; i < plane.bandwidths.size(); ++i)
      row.push_back({{"class", plane.at(i, j).name},
                     {"helps", name(plane.at(i, j).helps)},
                     {"makespan_seconds", plane.at(i, j).makespan}});
    json["rows"].push_back(std::move(row));
  }
  for (const ClassPlane::Mark& mark : plane.marks)
    json["marks"].push_back({{"name", mark.name},
                             {"kind", mark.platform ? "platform" : "network"},
                             {"bandwidth_factor", mark.bandwidth},
                             {"latency_factor", mark.latency}});
  return json;
}

ordered_json runs_json(const Report& report) {
  ordered_json json = ordered_json::array();
  for (std::size_t run = 0; run < report.traces.size(); ++run) {
    const ReportedTrace& trace = report.traces[run];
    ordered_json one{{"trace", trace.trace},
                     {"program", trace.program},
                     {"ranks", trace.ranks},
                     {"about", run == report.about},
                     {"incompleteness", trace.incompleteness},
                     {"verdict", trace_verdict(trace, report)}};
    one["class"] = trace.classification && trace.advice && trace.advice->network_used
                       ? ordered_json(name(*trace.classification))
                       : ordered_json();
    one["refusal"] = text_or_null(trace.weighed.refusal);
    one["changes"] = answers_json(trace.weighed);
    one["deadlocks"] = one["deadlocked_on"] = ordered_json::array();
    if (trace.deadlock) one["deadlocked_on"].push_back(deadlock_json(report, *trace.deadlock));
    for (const MachineDeadlock& there : trace.weighed.deadlocks) {
      one["deadlocks"].push_back(in_place_of_base(report, there.machine));
      one["deadlocked_on"].push_back(deadlock_json(report, there));
    }
    one["helps"] = trace.advice ? ordered_json(name(trace.advice->what())) : ordered_json();
    for (std::size_t i = 0; i < trace.lanes.size(); ++i) {
      const LaneResult& lane = trace.lanes[i];
      ordered_json machine{{"name", report.machines[i].name}};
      machine["makespan_seconds"] = lane.deadlock ? ordered_json() : ordered_json(lane.makespan);
      if (lane.ideal_makespan && !lane.deadlock) machine["efficiency"] = efficiencies_json(lane);
      one["machines"].push_back(std::move(machine));
    }
    json.push_back(std::move(one));
  }
  return json;
}

/// How the kernels with the largest part scale; all of it is in `timeless scale --json`.
ordered_json scaling_json(const Report& report) {
  if (!report.scaling) return {};
  const analysis::Scaling& scaling = report.scaling->scaling;
  constexpr std::size_t most_scaling_kernels = 12;
  ordered_json json{{"finding", growth_words(*report.scaling)}, {"ranks", ordered_json::array()}};
  for (const analysis::ScaledRun& run : scaling.runs)
    json["ranks"].push_back(run.place.ranks);
  json["to_ranks"] = scaling.targets.back().ranks;
  json["kernels"] = ordered_json::array();
  for (std::size_t i = 0; i < std::min(most_scaling_kernels, scaling.kernels.size()); ++i) {
    const analysis::ScaledKernel& kernel = scaling.kernels[i];
    const analysis::ScaledFigure& most = kernel.volume().most;
    json["kernels"].push_back(
        {{"kernel", kernel.kernel},
         {"from", report.scaling->kernel_ends[i].from},
         {"to", report.scaling->kernel_ends[i].to},
         {"share", kernel.share_now},
         {"share_there", kernel.shares_there.back()},
         {"most", most.values},
         {"law", kernel.volume().law().empty() ? ordered_json() : ordered_json(kernel.volume().law())}});
  }
  return json;
}

/// Seven digits: what a reader can use, and 16,384 ranks fit.
double rounded(double seconds) {
  if (seconds == 0 || !std::isfinite(seconds)) return seconds;
  const double scale = std::pow(10.0, 6 - std::floor(std::log10(std::abs(seconds))));
  return std::isfinite(scale) && scale > 0 ? std::round(seconds * scale) / scale : seconds;
}

/// By counter, a list of all ranks'; counters that are 0 on all of them are left out.
ordered_json ranks_json(const Report& report) {
  static constexpr std::pair<const char*, double RankTimes::*> columns[] = {{"end", &RankTimes::end},
                                                                            {"compute", &RankTimes::compute},
                                                                            {"memory_copy", &RankTimes::memory_copy},
                                                                            {"overhead", &RankTimes::overhead},
                                                                            {"wait", &RankTimes::wait},
                                                                            {"latency", &RankTimes::latency},
                                                                            {"bandwidth", &RankTimes::bandwidth},
                                                                            {"files", &RankTimes::files},
                                                                            {"not_started", &RankTimes::start}};
  ordered_json json = ordered_json::object();
  for (const auto& [name, field] : columns) {
    ordered_json values = ordered_json::array();
    bool any = false;
    for (const RankTimes& rank : report.base_lane().ranks) {
      values.push_back(rounded(rank.*field));
      any = any || rank.*field != 0;
    }
    if (any) json[name] = std::move(values);
  }
  return json;
}

ordered_json kernels_json(const Report& report) {
  symbols::KernelListing listing;
  for (const ReportedKernel& kernel : report.kernels)
    listing.kernels.push_back(kernel.kernel);
  ordered_json json = to_json(listing, report.run());
  const double makespan = report.base_lane().makespan;
  for (std::size_t i = 0; i < report.kernels.size(); ++i) {
    const ReportedKernel& kernel = report.kernels[i];
    json[i]["computing_seconds"] = kernel.seconds;
    json[i]["critical_path_seconds"] = kernel.path_seconds;
    json[i]["critical_path_share"] = makespan > 0 ? kernel.path_seconds / makespan : 0;
    json[i]["units_per_second"] = kernel.rate;
    json[i]["computing_seconds_by_ranks"] = ordered_json::array();
    for (const double seconds : kernel.by_ranks)
      json[i]["computing_seconds_by_ranks"].push_back(rounded(seconds));
  }
  return json;
}

/// A cell: from block, to block, messages, bytes.
ordered_json matrix_json(const analysis::TrafficBlocks& matrix, const char* size) {
  ordered_json cells = ordered_json::array();
  for (const analysis::TrafficBlocks::Cell& cell : matrix.cells)
    cells.push_back({cell.source, cell.destination, cell.figures.messages, cell.figures.bytes});
  return {{size, matrix.ranks_per_block}, {"blocks", matrix.blocks}, {"cells", std::move(cells)}};
}

ordered_json messages_json(const Report& report) {
  const ReportedMessages& messages = report.messages;
  ordered_json json{{"count", report.summary.messages}, {"bytes", report.summary.message_bytes}};
  json["eager_limit"] = messages.eager_limit ? ordered_json(*messages.eager_limit) : ordered_json();
  json["sizes"] = ordered_json::array();
  for (const analysis::SizeClass& one : messages.sizes)
    json["sizes"].push_back(
        {{"least", one.least}, {"most", one.most}, {"messages", one.messages}, {"bytes", one.bytes}});
  json["matrix"] = matrix_json(messages.matrix, "ranks_per_block");
  if (messages.node_matrix) {
    json["node_matrix"] = matrix_json(*messages.node_matrix, "nodes_per_block");
    json["node_matrix"]["nodes"] = messages.nodes;
  }
  json["calls"] = ordered_json::object();
  for (const auto& [call, figures] : report.summary.calls)
    json["calls"][call] = {
        {"count", figures.count}, {"bytes", figures.bytes}, {"bytes_received", figures.bytes_received}};
  return json;
}

ordered_json path_json(const Report& report) {
  const auto& path = report.prediction.critical_path;
  if (!path) return nullptr;
  ordered_json json{{"compute_seconds", path->compute},     {"latency_seconds", path->latency},
                    {"bandwidth_seconds", path->bandwidth}, {"rest_seconds", path->rest},
                    {"messages", path->messages},           {"in_messages_seconds", path->in_messages},
                    {"collectives", path->collectives},     {"in_collectives_seconds", path->in_collectives},
                    {"pieces", path->segments.size()}};
  if (!report.window) return json;
  const PathWindow& window = *report.window;
  json["window"] = {{"begin", window.begin}, {"end", window.end}};
  for (const PathWindow::Row& row : window.rows) {
    ordered_json spans = ordered_json::array();
    for (const PathWindow::Span& span : row.spans)
      spans.push_back({span.begin, span.end, name(span.doing)});
    json["window"]["ranks"].push_back({{"rank", row.rank}, {"spans", std::move(spans)}});
  }
  return json;
}

ordered_json head_json(const Report& report) {
  const trace::Run& run = report.run();
  constexpr std::size_t most_hosts = 16;
  ordered_json json;
  json["command"] = report.asked.command;
  json["trace"] = report.asked.traces.front();
  json["program"] = run.provenance.program;
  json["ranks"] = run.size;
  json["actions"] = report.prediction.result.actions;
  json["complete"] = run.complete();
  json["incompleteness"] = incompleteness(run);
  json["recorded"] = {{"date", run.provenance.date},
                      {"tool", run.provenance.tool_version},
                      {"mpi_library", run.provenance.mpi_library},
                      {"extrapolated", run.provenance.extrapolated}};
  json["counter"] = {
      {"name", run.counter.name}, {"unit", name(run.counter.unit)}, {"exactness", name(run.counter.exactness)}};
  json["volume_error"] = volume_error(run);
  json["hosts"] = ordered_json::array();
  for (std::size_t host = 0; host < std::min(run.hosts.size(), most_hosts); ++host)
    json["hosts"].push_back({{"name", run.hosts[host].name}, {"cpu_model", run.hosts[host].cpu_model}});
  json["host_count"] = run.hosts.size();
  return json;
}

ordered_json basis_json(const Report& report) {
  const ComputeBasis& compute = report.prediction.bases[report.base].compute;
  ordered_json json{{"compute", compute.sentence},
                    {"compute_assumed", compute.assumed},
                    {"mapping", report.prediction.mapping_sentence}};
  json["rates"] = to_json(report.rates);
  json["notes"] = report.notes;
  for (const std::string& note : report.prediction.notes)
    json["notes"].push_back(note);
  json["not_modelled"] = to_json(report.prediction.result.not_modelled);
  return json;
}

} // namespace

ordered_json to_json(const Report& report) {
  ordered_json json = head_json(report);
  json["verdict"] = verdict_json(report);
  json["upgrades"] = upgrades_json(report);
  json["basis"] = basis_json(report);
  json["base"] = report.base;
  for (std::size_t i = 0; i < report.machines.size(); ++i)
    json["machines"].push_back(machine_json(report, i));
  json["curves"] = curves_json(report);
  json["plane"] = report.plane ? plane_json(*report.plane) : ordered_json();
  json["runs"] = runs_json(report);
  json["scaling"] = scaling_json(report);
  json["ranks_seconds"] = ranks_json(report);
  json["kernels"] = kernels_json(report);
  json["kernel_count"] = report.kernel_count;
  json["messages"] = messages_json(report);
  json["critical_path"] = path_json(report);
  json["smpi"] = nullptr;
  json["smpi_other"] = nullptr;
  if (const analysis::Contention* const found = report.contention(report.base))
    json["smpi"] = to_json(*found, report.smpi->kernels);
  if (report.simulated_other)
    if (const analysis::Contention* const found = report.contention(*report.simulated_other)) {
      json["smpi_other"] = {{"machine", report.machines[*report.simulated_other].name}};
      json["smpi_other"].update(to_json(*found, report.smpi->kernels));
    }
  json["validation"] = report.validation ? to_json(*report.validation) : ordered_json();
  json["validation_counts"] = report.validates;
  return json;
}

} // namespace timeless::tools
