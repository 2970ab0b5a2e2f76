#include "tools/render/replay/sweep/sweep_parts.h"

#include "tools/cli/trace_input.h"
#include "tools/render/figures.h"
#include "tools/render/machines/compute_basis.h"
#include "tools/render/replay/advice.h"
#include "tools/render/replay/prediction/deadlock.h"
#include "tools/render/replay/prediction/efficiencies.h"
#include "tools/render/replay/prediction/not_modelled.h"
#include "tools/render/replay/prediction/replayed.h"
#include "tools/render/replay/prediction/times.h"
#include "tools/render/replay/prediction/tolerances.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <optional>
#include <utility>

namespace timeless::tools {

namespace {

using analysis::SweepPoint;
using analysis::SweptConfiguration;
using nlohmann::ordered_json;

/// As it was asked for: 1/(1/3) is not 3.
double cpu_factor(const SweepPoint& point) {
  const double factor = 1 / point.compute;
  const double scale = std::pow(10, 12 - std::ceil(std::log10(factor)));
  return std::isfinite(scale) ? std::round(factor * scale) / scale : factor;
}

void add_point(ordered_json& json, const SweepPrediction& prediction, const SweepPoint& point) {
  json["machine"] = prediction.basis_of(point).name;
  json["bandwidth_factor"] = point.bandwidth;
  json["latency_factor"] = point.latency;
  json["cpu_factor"] = cpu_factor(point);
  json["ranks_per_node"] = point.ranks_per_node > 0 ? ordered_json(point.ranks_per_node) : nullptr;
  json["collectives"] = replay::name(point.collectives);
  json["eager_limit_bytes"] = nullptr; // the machine's own
  if (point.eager_limit == replay::no_eager_limit)
    json["eager_limit_bytes"] = "none";
  else if (point.eager_limit)
    json["eager_limit_bytes"] = *point.eager_limit;
}

ordered_json replayed_json(const SweepPrediction& prediction, const SweptConfiguration& one,
                           const std::optional<analysis::Interval>& interval) {
  const MachineBasis& basis = prediction.basis_of(one.point);
  ordered_json json = to_json(Replayed{.name = one.name,
                                       .basis = basis,
                                       .makespan = one.makespan,
                                       .mean = one.mean,
                                       .deadlock = one.deadlock.get(),
                                       .interval = interval});
  if (one.deadlock) return json;
  for (std::size_t rank = 0; rank < one.ranks.size(); ++rank)
    json["ranks"].push_back({{"rank", rank}, {"node", basis.nodes.at(rank)}, {"seconds", to_json(one.ranks[rank])}});
  if (one.ideal_makespan) json["efficiency"] = efficiencies_json(one.efficiencies, *one.ideal_makespan);
  json["critical_path_seconds"] = to_json(one.sensitivity);
  return json;
}

} // namespace

ordered_json configuration_json(const SweepPrediction& prediction, const SweptConfiguration& one,
                                const std::optional<analysis::Interval>& interval) {
  ordered_json json = replayed_json(prediction, one, interval);
  add_point(json, prediction, one.point);
  if (one.deadlock) return json;
  json["speedup"] = prediction.speedup(one);
  json["mostly"] = name(one.longest_part());
  return json;
}

ordered_json configuration_json(const SweepPrediction& prediction, std::size_t place) {
  return configuration_json(prediction, prediction.of(place), prediction.intervals[place]);
}

ordered_json class_json(const SweepPrediction& prediction, std::size_t number) {
  const std::size_t place = prediction.grid[number];
  const auto& found = prediction.classes[number];
  const auto& helps = prediction.helps[number];
  ordered_json json{{"configuration", place}, {"class", nullptr}};
  const MachineBasis& basis = prediction.basis_of(prediction.of(place).point);
  if (!basis.network_used())
    json["reason"] = no_network_reason(basis);
  else if (found)
    json.update({{"class", name(*found)}, {"reason", reason(*found)}});
  json["helps"] = helps ? ordered_json(name(helps->what())) : nullptr;
  return json;
}

namespace {

void add_confidence(ordered_json& json, const std::optional<analysis::Trust>& trust) {
  json["confidence"] = trust ? ordered_json(name(trust->confidence)) : nullptr;
  json["reasons"] = trust ? ordered_json(trust->words()) : ordered_json::array();
}

ordered_json machine_json(const SweepPrediction& prediction, std::size_t number) {
  const SweepPoint& point = prediction.of(prediction.machines[number]).point;
  const PlacedMachines& placed = prediction.placed_for(point);
  const MachineBasis& basis = prediction.basis_of(point);
  ordered_json json{{"name", basis.name},
                    {"description", placed.descriptions().at(point.machine)},
                    {"overheads", basis.overheads},
                    {"compute_rate", to_json(basis.compute)},
                    {"configuration", prediction.machines[number]},
                    {"helps", to_json(prediction.advice[number], basis.compute)}};
  add_confidence(json, prediction.trusts[number]);
  return json;
}

ordered_json crossover_json(const SweepPrediction& prediction, const analysis::Crossover& crossover) {
  return {{"machine", prediction.basis_of(crossover.at).name},
          {"factor", name(crossover.axis)},
          {"least", crossover.least},
          {"most", crossover.most},
          {"of", crossover.part == &analysis::SweptConfiguration::longest_part ? "critical path" : "network"},
          {"before", name(crossover.before)},
          {"after", name(crossover.after)}};
}

ordered_json turn_json(const std::optional<analysis::SpeedRange>& between) {
  if (!between) return nullptr;
  return {{"least_speed", between->slowest}, {"most_speed", between->fastest}};
}

} // namespace

ordered_json changed_json(const SweepPrediction& prediction, const ChangedMachine& one) {
  ordered_json json;
  if (!one.name.empty()) json["name"] = one.name;
  json["change"] = one.words;
  json["before"] = one.before;
  json["after"] = one.after;
  json["gain"] = json["gain_interval"] = json["answer"] = nullptr;
  if (const auto& change = one.change) {
    json["gain"] = change->saving.expected;
    json["gain_interval"] = {change->saving.least, change->saving.most};
    json["answer"] = name(*one.answer());
    if (change->switchover) json["turns"] = to_json(*change->switchover);
  }
  json["recorded_part"] = prediction.recorded_part;
  add_confidence(json, one.trust);
  if (!one.price) return json;
  json["price"] = *one.price;
  json["price_per_percent"] = known(price_per_percent(prediction, one));
  json["saving_is_worth"] = one.change ? ordered_json(name(one.change->worth)) : ordered_json();
  json["worth_a_look"] = one.change ? ordered_json(look_words(prediction, one)) : ordered_json();
  json["on_pareto_front"] = one.on_front;
  json["on_pareto_front_at_some_rates"] = one.on_front_at_some();
  json["on_pareto_front_at_all_rates"] = one.on_front_at_all();
  json["beaten_at"] = ordered_json::array();
  for (const analysis::BeatenRange& range : one.beaten_at)
    json["beaten_at"].push_back({{"from", turn_json(range.from)}, {"to", turn_json(range.to)}});
  json["beaten_by"] = one.beaten_by ? ordered_json(prediction.upgrades.at(*one.beaten_by).name) : ordered_json();
  return json;
}

namespace {

ordered_json searches_json(const SweepPrediction& prediction, const std::vector<SearchedMachine>& searches,
                           JsonOfSearch json_of) {
  ordered_json json = ordered_json::array();
  for (std::size_t i = 0; i < searches.size(); ++i) {
    if (searches[i].empty()) continue;
    ordered_json& one = json.emplace_back(ordered_json{{"configuration", prediction.machines[i]}});
    one.update(json_of(searches[i].front().tolerance));
    for (std::size_t k = 1; k < searches[i].size(); ++k) {
      one["at_speeds"].push_back({{"speed", searches[i][k].speed}});
      one["at_speeds"].back().update(json_of(searches[i][k].tolerance));
    }
  }
  return json;
}

void add_head(ordered_json& json, const SweepAnswer& answer) {
  const auto& run = answer.run;
  const SweepPrediction& prediction = answer.prediction;
  json["trace"] = answer.asked.prediction.trace;
  json["complete"] = run.complete();
  json["incompleteness"] = incompleteness(run);
  json["ranks"] = run.size;
  json["actions"] = prediction.sweep.actions;
  json["passes"] = prediction.sweep.passes;
  json["counter"] = {
      {"name", run.counter.name}, {"unit", name(run.counter.unit)}, {"exactness", name(run.counter.exactness)}};
  json["volume_error"] = volume_error(run);
  const ComputeBasis& compute = prediction.basis_of(prediction.of(prediction.anchor).point).compute;
  json["compute"] = compute.sentence;
  json["compute_assumed"] = compute.assumed;
  json["rates"] = to_json(prediction.rates);
  json["refusal"] = prediction.refusal.empty() ? ordered_json() : ordered_json(prediction.refusal);
  json["ports"] = replay::name(answer.asked.prediction.ports);
  json["notes"] = prediction.notes;
  json["not_modelled"] = to_json(prediction.sweep.not_modelled);
  for (const auto& [ranks_per_node, placed] : prediction.placed)
    json["mappings"].push_back({{"ranks_per_node", ranks_per_node > 0 ? ordered_json(ranks_per_node) : nullptr},
                                {"mapping", placed.mapping_sentence()}});
}

} // namespace

ordered_json to_json(const SweepAnswer& answer) {
  const SweepPrediction& prediction = answer.prediction;
  ordered_json json;
  add_head(json, answer);
  for (std::size_t i = 0; i < prediction.machines.size(); ++i)
    json["machines"].push_back(machine_json(prediction, i));
  json["anchor"] = prediction.anchor;
  json["configurations"] = ordered_json::array();
  for (std::size_t place = 0; place < prediction.sweep.configurations.size(); ++place)
    json["configurations"].push_back(configuration_json(prediction, place));
  json["grid"] = prediction.grid;
  json["turns"] = ordered_json::array();
  for (const analysis::Crossover& crossover : prediction.crossovers)
    json["turns"].push_back(crossover_json(prediction, crossover));
  for (std::size_t i = 0; i < prediction.classes.size(); ++i)
    json["classes"].push_back(class_json(prediction, i));
  for (const ChangedMachine& one : prediction.what_if)
    json["what_if"].push_back(changed_json(prediction, one));
  for (const ChangedMachine& one : prediction.upgrades)
    json["upgrades"].push_back(changed_json(prediction, one));
  if (!prediction.break_even.empty()) json["break_even"] = searches_json(prediction, prediction.break_even, to_json);
  if (!prediction.gains.empty()) json["gain"] = searches_json(prediction, prediction.gains, gains_json);
  return json;
}

} // namespace timeless::tools
