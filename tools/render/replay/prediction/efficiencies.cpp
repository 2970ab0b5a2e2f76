#include "tools/render/replay/prediction/efficiencies.h"

#include "tools/cli/console.h"
#include "tools/render/figures.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace timeless::tools {

namespace {

using nlohmann::ordered_json;
using replay::LaneResult;

} // namespace

std::string efficiencies_text(std::span<const LaneResult> lanes) {
  Table table({"efficiency %", "parallel", "load balance", "communication", "serialisation", "transfer"});
  for (const LaneResult& lane : lanes) {
    if (lane.deadlock) continue;
    if (!lane.ideal_makespan) return "";
    const analysis::Efficiencies found = analysis::efficiencies(lane);
    table.add({lane.name, percent_text(found.parallel), percent_text(found.load_balance),
               percent_text(found.communication), percent_text(found.serialisation), percent_text(found.transfer)});
  }
  return "\n" + table.text() +
         text_paragraph("", "parallel = load balance x communication, communication = serialisation x transfer");
}

std::string sensitivities_text(std::span<const LaneResult> lanes) {
  Table table({"1 % less of it saves %", "latency", "byte time", "computation"});
  for (const LaneResult& lane : lanes) {
    if (lane.deadlock) continue;
    if (lane.rank_sensitivities.empty()) return "";
    const auto share = [&](double seconds) {
      return fmt::format("{:.3f}", lane.makespan > 0 ? seconds / lane.makespan : 0);
    };
    table.add({lane.name, share(lane.sensitivity.latency), share(lane.sensitivity.bandwidth),
               share(lane.sensitivity.compute)});
  }
  return "\n" + table.text();
}

ordered_json efficiencies_json(const LaneResult& lane) {
  return efficiencies_json(analysis::efficiencies(lane), *lane.ideal_makespan);
}

ordered_json efficiencies_json(const analysis::Efficiencies& found, double ideal_makespan) {
  return {{"parallel", known(found.parallel)},           {"load_balance", known(found.load_balance)},
          {"communication", known(found.communication)}, {"serialisation", known(found.serialisation)},
          {"transfer", known(found.transfer)},           {"ideal_makespan_seconds", ideal_makespan}};
}

ordered_json to_json(const replay::Sensitivity& sensitivity) {
  return {{"latency_seconds", sensitivity.latency},
          {"bandwidth_seconds", sensitivity.bandwidth},
          {"compute_seconds", sensitivity.compute}};
}

} // namespace timeless::tools
