#include "tools/render/replay/prediction/prediction.h"

#include "analysis/trace/measured.h"
#include "tools/cli/trace_input.h"
#include "tools/render/machines/compute_basis.h"
#include "tools/render/replay/prediction/contention.h"
#include "tools/render/replay/prediction/critical_path.h"
#include "tools/render/replay/prediction/deadlock.h"
#include "tools/render/replay/prediction/division.h"
#include "tools/render/replay/prediction/efficiencies.h"
#include "tools/render/replay/prediction/not_modelled.h"
#include "tools/render/replay/prediction/process_work.h"
#include "tools/render/replay/prediction/replayed.h"
#include "tools/render/replay/prediction/steady.h"
#include "tools/render/replay/prediction/times.h"
#include "tools/render/replay/prediction/tolerances.h"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <optional>

namespace timeless::tools {

namespace {

using replay::LaneResult;

const char* backend_name(Backend backend) {
  return backend == Backend::smpi ? "smpi" : "model";
}

/// "by_call", "by_kernel"
const char* division_name(const replay::Attribution& attribution) {
  return attribution.by == replay::AttributeBy::calls ? "by_call" : "by_kernel";
}

void add_answers(nlohmann::ordered_json& json, const Prediction& prediction, std::size_t number, bool per_rank) {
  const LaneResult& lane = prediction.result.lanes[number];
  if (lane.deadlock) return;
  if (lane.ideal_makespan) json["efficiency"] = efficiencies_json(lane);
  if (!lane.rank_sensitivities.empty()) json["critical_path_seconds"] = to_json(lane.sensitivity);
  if (prediction.critical_path && number == prediction.critical_path_lane)
    json["critical_path"] = to_json(*prediction.critical_path, prediction.kernels);
  if (number < prediction.contentions.size() && prediction.contentions[number])
    json["contention"] = to_json(*prediction.contentions[number], prediction.kernels);
  if (!prediction.tolerances.empty()) json["tolerance"] = to_json(prediction.tolerances.at(number));
  const replay::Attribution& attribution = prediction.result.attribution;
  if (attribution.by == replay::AttributeBy::nothing) return;
  json[division_name(attribution)] = division_json(prediction, number);
  if (!per_rank) return;
  for (auto& rank : json["ranks"])
    rank[division_name(attribution)] = division_json(prediction, number, rank["rank"].get<trace::Rank>());
}

nlohmann::ordered_json lane_json(const Prediction& prediction, std::size_t number) {
  const LaneResult& lane = prediction.result.lanes[number];
  const MachineBasis& basis = basis_of(prediction, number);
  const bool attributed = prediction.result.attributed;
  std::optional<analysis::Interval> interval;
  if (number < prediction.intervals.size()) interval = prediction.intervals[number];
  nlohmann::ordered_json json = to_json(replayed(lane, basis, interval, attributed));
  if (lane.deadlock) return json;
  if (const auto ends = ends_as_recorded(lane)) json["as_recorded_seconds"] = {ends->low, ends->high};
  if (prediction.result.steady) json["jumped_actions"] = lane.jumped;
  if (const auto ends = ends_in_samples(lane)) json["sampled_seconds"] = {ends->low, ends->high};
  json["ranks"] = nlohmann::ordered_json::array();
  for (std::size_t rank = 0; rank < lane.ranks.size(); ++rank)
    json["ranks"].push_back(
        {{"rank", rank}, {"node", basis.nodes.at(rank)}, {"seconds", to_json(lane.ranks[rank], attributed)}});
  for (const replay::ThreadTimes& one : lane.threads)
    json["ranks"].at(static_cast<std::size_t>(one.rank))["threads"].push_back(
        {{"thread", one.thread}, {"seconds", to_json(one.times, attributed)}});
  return json;
}

} // namespace

nlohmann::ordered_json to_json(const PredictionAnswer& answer) {
  const auto& [asked, run, prediction, listing] = answer;
  nlohmann::ordered_json json;
  json["trace"] = asked.trace;
  json["complete"] = run.complete();
  json["incompleteness"] = incompleteness(run);
  json["ranks"] = run.size;
  json["actions"] = prediction.result.actions;
  json["backend"] = backend_name(asked.backend);
  if (asked.backend == Backend::model) json["collectives"] = replay::name(asked.collectives);
  json["machine"] = prediction.machine;
  json["mapping"] = prediction.mapping_sentence;
  json["counter"] = {
      {"name", run.counter.name}, {"unit", name(run.counter.unit)}, {"exactness", name(run.counter.exactness)}};
  json["volume_error"] = volume_error(run);
  json["compute"] = prediction.bases.front().compute.sentence;
  json["compute_assumed"] = prediction.bases.front().compute.assumed;
  json["notes"] = prediction.notes;
  if (asked.backend == Backend::model) json["not_modelled"] = to_json(prediction.result.not_modelled);
  if (asked.backend == Backend::model) json["ports"] = replay::name(asked.ports);
  if (const auto& incast = prediction.result.incast; incast && !prediction.result.lanes.front().deadlock)
    json["incast"] = {
        {"rank", incast->rank}, {"seconds", incast->seconds}, {"configuration", prediction.result.lanes.front().name}};
  if (const auto& steady = prediction.result.steady) json["jumped"] = to_json(*steady);
  if (const std::optional<double> seconds = analysis::measured_time(run)) {
    json["measured_seconds"] = *seconds;
    json["measured_incomparable_because"] = why_incomparable(run, prediction.result.steady);
  }
  json["configurations"] = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < prediction.result.lanes.size(); ++i) {
    nlohmann::ordered_json& one = json["configurations"].emplace_back(lane_json(prediction, i));
    add_answers(one, prediction, i, listing.per_rank);
    if (!prediction.cpu_seconds.empty()) one["simulation_cpu_seconds"] = prediction.cpu_seconds.at(i);
    const LaneResult& lane = prediction.result.lanes[i];
    const std::optional<double> ratio = analysis::over_measured(lane.makespan, run);
    if (ratio && !lane.deadlock && why_incomparable(run, prediction.result.steady).empty())
      one["predicted_over_measured"] = *ratio;
  }
  if (!prediction.processes.empty()) json["processes"] = to_json(prediction.processes);
  if (const auto& timeline = prediction.timeline)
    json["timeline"] = {{"file", timeline->file}, {"format", timeline->format}, {"bytes", timeline->bytes}};
  return json;
}

} // namespace timeless::tools
