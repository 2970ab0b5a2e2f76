#include "tools/render/replay/classification.h"

#include "tools/cli/trace_input.h"
#include "tools/machines/named_networks.h"
#include "tools/render/machines/compute_basis.h"
#include "tools/render/replay/advice.h"
#include "tools/render/replay/prediction/efficiencies.h"
#include "tools/render/replay/prediction/not_modelled.h"
#include "tools/render/replay/prediction/times.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace timeless::tools {

namespace {

nlohmann::ordered_json evidence_json(const analysis::Evidence& evidence) {
  return {{"total_seconds", evidence.total},
          {"computation", evidence.computation},
          {"overhead", evidence.overhead},
          {"wait", evidence.wait},
          {"latency", evidence.latency},
          {"bandwidth", evidence.bandwidth},
          {"communication", evidence.communication},
          {"total_change", evidence.total_change},
          {"wait_change", evidence.wait_change},
          {"latency_change", evidence.latency_change},
          {"bandwidth_change", evidence.bandwidth_change},
          {"bandwidth_gain", evidence.bandwidth_gain},
          {"latency_gain", evidence.latency_gain},
          {"both_gain", evidence.both_gain},
          {"bandwidth_speedup", evidence.bandwidth_speedup},
          {"latency_speedup", evidence.latency_speedup},
          {"both_speedup", evidence.both_speedup},
          {"bandwidth_twice_speedup", evidence.bandwidth_twice},
          {"latency_twice_speedup", evidence.latency_twice},
          {"both_twice_speedup", evidence.both_twice}};
}

/// The definition that is missed by least, with what it asks for; null where none is missed.
nlohmann::ordered_json missed_json(const analysis::Classification& classification) {
  const auto missed = analysis::nearest_missed(classification);
  if (!missed) return nullptr;
  nlohmann::ordered_json json{{"class", name(*missed)}, {"conditions", nlohmann::ordered_json::array()}};
  for (const analysis::Condition& one : missed->conditions)
    json["conditions"].push_back({{"what", one.words()},
                                  {"found", one.found},
                                  {"limit", one.limit},
                                  {"wanted", one.at_least ? "at least" : "below"},
                                  {"holds", one.holds()}});
  return json;
}

nlohmann::ordered_json point_json(const ComputeBasis& compute, const ClassRange::Point* point) {
  if (point == nullptr) return nullptr;
  return {{"speed", point->speed},
          {"per_second", compute.one_rate() ? nlohmann::ordered_json(compute.least * point->speed) : nullptr},
          {"class", point->name}};
}

nlohmann::ordered_json range_json(const ComputeBasis& compute, const ClassRange& range) {
  nlohmann::ordered_json json{{"lowest", point_json(compute, &range.tried[range.first])},
                              {"highest", point_json(compute, &range.tried[range.last])},
                              {"below", point_json(compute, range.below())},
                              {"above", point_json(compute, range.above())}};
  for (const ClassRange::Point& point : range.tried)
    json["tried"].push_back(point_json(compute, &point));
  return json;
}

/// What the change that helps saves, and how far to trust that it helps; null where no change is named, or none was
/// weighed.
nlohmann::ordered_json confidence_json(const ClassifiedMachine& answer) {
  nlohmann::ordered_json json{
      {"saving", nullptr}, {"saving_interval", nullptr}, {"confidence", nullptr}, {"confidence_reasons", nullptr}};
  const analysis::Change* named = answer.advice ? answer.advice->find(answer.advice->what()) : nullptr;
  if (named != nullptr) {
    json["saving"] = named->saving.expected;
    json["saving_interval"] = {named->saving.least, named->saving.most};
  }
  if (answer.trust) {
    json["confidence"] = name(answer.trust->confidence);
    json["confidence_reasons"] = answer.trust->words();
  }
  return json;
}

nlohmann::ordered_json machine_json(const ClassifiedMachine& answer) {
  nlohmann::ordered_json json;
  json["network"] = answer.basis.name;
  if (answer.network) {
    const auto [latency, bandwidth] = figures(*answer.network);
    json["latency_seconds"] = latency;
    json["bits_per_second"] = bits_per_second(bandwidth);
  }
  json["overheads"] = answer.basis.overheads;
  json["compute_rate"] = to_json(answer.basis.compute);
  json["class"] = answer.has_class() ? nlohmann::ordered_json(name(answer.classification)) : nullptr;
  json["recorded_part"] = answer.recorded_part;
  json["reason"] = class_reason(answer);
  json["missed"] = answer.has_class() ? missed_json(answer.classification) : nullptr;
  json["helps"] = to_json(answer.advice, answer.basis.compute);
  json.update(confidence_json(answer));
  if (answer.range) json["class_holds"] = range_json(answer.basis.compute, *answer.range);
  json["deadlocked"] = answer.deadlocked();
  for (const char* const name : {"evidence", "efficiency", "critical_path_seconds"})
    json[name] = nullptr;
  json["configurations"] = nlohmann::ordered_json::array();
  if (answer.deadlocked()) return json;
  json["evidence"] = evidence_json(answer.classification.evidence);
  json["efficiency"] = efficiencies_json(answer.anchor());
  json["critical_path_seconds"] = to_json(answer.anchor().sensitivity);
  for (const replay::LaneResult& lane : answer.lanes)
    json["configurations"].push_back(
        {{"name", lane.name}, {"makespan_seconds", lane.makespan}, {"mean_seconds", to_json(replay::mean(lane))}});
  return json;
}

} // namespace

nlohmann::ordered_json to_json(const ClassifyAnswer& answer) {
  const trace::Run& run = answer.run;
  const PlacedMachines& machines = answer.machines;
  const replay::Result& result = answer.result;
  nlohmann::ordered_json json;
  json["trace"] = answer.trace;
  json["program"] = answer.program;
  json["ranks"] = run.size;
  json["complete"] = run.complete();
  json["counter"] = {{"unit", name(run.counter.unit)}, {"exactness", name(run.counter.exactness)}};
  json["volume_error"] = volume_error(run);
  json["mapping"] = machines.mapping_sentence();
  json["compute"] = machines.bases().front().compute.sentence;
  json["compute_assumed"] = machines.bases().front().compute.assumed;
  json["rates"] = to_json(answer.rates);
  json["actions"] = result.actions;
  std::vector<std::string> notes = machines.notes();
  notes.insert(notes.end(), result.notes.begin(), result.notes.end());
  json["notes"] = notes;
  json["not_modelled"] = to_json(result.not_modelled);
  for (const ClassifiedMachine& machine : answer.classified)
    json["networks"].push_back(machine_json(machine));
  return json;
}

nlohmann::ordered_json to_json(const ClassifyTracesAnswer& answer) {
  nlohmann::ordered_json json;
  for (const ClassifyAnswer& one : answer.traces)
    json["traces"].push_back(to_json(one));
  json["refused"] = nlohmann::ordered_json::array();
  for (const RefusedTrace& one : answer.refused)
    json["refused"].push_back({{"trace", one.trace}, {"because", one.because}});
  return json;
}

} // namespace timeless::tools
