#include "tools/render/figures.h"
#include "tools/render/machines/compute_basis.h"
#include "tools/render/scaling/times.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace timeless::tools {

namespace {

using analysis::TimedRun;
using nlohmann::ordered_json;

ordered_json place_and_time(const ScalingAnswer& answer, const analysis::ScalePlace& place, double seconds) {
  ordered_json json{{"ranks", place.ranks}};
  if (answer.scaling.sizes_given) json["size"] = place.size;
  json["seconds"] = seconds;
  return json;
}

ordered_json parts_json(const analysis::TimeByPart& parts, double factor) {
  return {{"computation_seconds", parts.computation},
          {"memory_seconds", known(parts.memory)},
          {"point_to_point_seconds", factor * parts.point_to_point},
          {"collective_seconds", factor * parts.collective},
          {"other_seconds", parts.other}};
}

/// Returns a kernel's number and the run that it is of, as in "kernels", under these names; null where it is of an
/// extrapolated run alone.
ordered_json kernel_json(const ScalingAnswer& answer, const analysis::KernelKey& key, const char* number = "kernel",
                         const char* run = "of_run") {
  const auto found = answer.kernel_numbers.find(key);
  if (found == answer.kernel_numbers.end()) return {{number, nullptr}, {run, nullptr}};
  const analysis::ScaledKernel& kernel = answer.scaling.kernels[found->second];
  return {{number, kernel.kernel}, {run, answer.scaling.runs[kernel.run].name}};
}

ordered_json timed_json(const ScalingAnswer& answer, const TimedRun& run) {
  const ScalingTimes& times = answer.times;
  ordered_json json = place_and_time(answer, run.place, run.makespan);
  json["parts"] = parts_json(run.parts, 1);
  const analysis::Efficiencies& found = run.efficiencies;
  json["efficiencies"] = {{"computation_scaling", known(computation_scaling(times.runs.front(), run, answer.scaling))},
                          {"parallel", known(found.parallel)},
                          {"load_balance", known(found.load_balance)},
                          {"communication", known(found.communication)},
                          {"serialisation", known(found.serialisation)},
                          {"transfer", known(found.transfer)}};
  json["kernels"] = ordered_json::array();
  for (const auto& [key, kernel] : run.kernels) {
    ordered_json row = kernel_json(answer, key);
    row.update({{"mean_seconds", kernel.mean},
                {"most_seconds", kernel.most},
                {"most_on_rank", kernel.rank == trace::no_rank ? ordered_json() : ordered_json(kernel.rank)},
                {"wait_seconds", kernel.wait},
                {"path_seconds", kernel.path}});
    json["kernels"].push_back(std::move(row));
  }
  return json;
}

ordered_json target_json(const ScalingAnswer& answer, const ReplayedTarget& target) {
  ordered_json place = target.timed ? timed_json(answer, *target.timed) : place_and_time(answer, target.place, 0);
  if (!target.timed) place["seconds"] = nullptr;
  place["refused"] = target.timed ? ordered_json() : ordered_json(target.refused);
  place["grid"] =
      target.timed ? ordered_json(fmt::format("{}, {}", target.grid.text(), target.assumption)) : ordered_json();
  place["work_error"] = target.timed ? ordered_json(target.error) : ordered_json();
  return place;
}

ordered_json grown_json(double before, double expected, double after) {
  return {{"before_seconds", before}, {"expected_seconds", expected}, {"after_seconds", after}};
}

} // namespace

ordered_json times_json(const ScalingAnswer& answer) {
  const ScalingTimes& times = answer.times;
  const analysis::ScaleEquations& equations = times.equations;
  ordered_json json{{"machine", times.machine},
                    {"mappings", times.mappings},
                    {"compute", to_json(times.compute)},
                    {"notes", times.notes}};
  json["last_cache_misses"] = known(times.last_cache_misses);
  json["runs"] = ordered_json::array();
  for (std::size_t i = 0; i < times.runs.size(); ++i) {
    ordered_json run{{"name", times.names[i]}};
    run.update(timed_json(answer, times.runs[i]));
    json["runs"].push_back(std::move(run));
  }
  json["equations"] = {{"byte_seconds", equations.byte_time},
                       {"call_seconds", equations.call_time},
                       {"collective_log_seconds", equations.log_time},
                       {"collective_byte_seconds", equations.collective_byte_time},
                       {"collective_call_seconds", equations.collective_call_time},
                       {"communication_factor", equations.communication_factor},
                       {"places", ordered_json::array()}};
  for (const analysis::EquationTime& said : times.by_equations) {
    ordered_json place = place_and_time(answer, said.place, said.makespan);
    place["parts"] = parts_json(said.parts, equations.communication_factor);
    place["share_without_law"] = said.lawless;
    place["share_doubtful"] = said.doubtful;
    place["longest_kernel_seconds"] = said.longest_kernel;
    json["equations"]["places"].push_back(std::move(place));
  }
  json["work_tolerance"] = times.tolerance;
  json["extrapolated"] = ordered_json::array();
  for (const ReplayedTarget& target : times.targets)
    json["extrapolated"].push_back(target_json(answer, target));
  json["no_other_grids"] = times.no_other_grids;
  json["other_grids"] = ordered_json::array();
  for (const ReplayedTarget& other : times.other_grids) {
    ordered_json one = target_json(answer, other);
    one["extents"] = ordered_json::array();
    for (const trace::GridDimension& side : other.grid.sides)
      one["extents"].push_back(side.extent);
    json["other_grids"].push_back(std::move(one));
  }
  json["extrapolated_check"] = times.check ? target_json(answer, *times.check) : ordered_json();
  return json;
}

ordered_json growth_json(const ScalingAnswer& answer) {
  if (!answer.times.growth) return {};
  const analysis::Growth& growth = *answer.times.growth;
  ordered_json json{{"from", answer.times.growth_from}, {"to", answer.times.growth_to}, {"factor", growth.factor}};
  json.update(grown_json(growth.before, growth.expected, growth.after));
  json["parts"] = ordered_json::array();
  for (const analysis::GrownPart& part : growth.parts) {
    const bool of_kernel = part.of == analysis::GrowthOf::work || part.of == analysis::GrowthOf::imbalance;
    ordered_json row{{"of", name(part.of)}};
    row.update(of_kernel ? kernel_json(answer, part.kernel) : ordered_json{{"kernel", nullptr}, {"of_run", nullptr}});
    row.update(grown_json(part.before, part.expected, part.after));
    json["parts"].push_back(std::move(row));
  }
  json["waits"] = ordered_json::array();
  for (const analysis::GrownWait& wait : growth.waits) {
    ordered_json row = kernel_json(answer, wait.behind, "behind_kernel", "behind_kernel_of_run");
    row.update(wait.known ? kernel_json(answer, wait.cause, "because_of_kernel", "because_of_kernel_of_run")
                          : ordered_json{{"because_of_kernel", nullptr}, {"because_of_kernel_of_run", nullptr}});
    row["because_of_seconds"] = wait.known ? ordered_json(wait.explained) : ordered_json();
    row.update(grown_json(wait.before, wait.expected, wait.after));
    json["waits"].push_back(std::move(row));
  }
  json["positions"] = ordered_json::array();
  for (const analysis::PositionTime& one : answer.times.positions)
    json["positions"].push_back({{"position", one.position},
                                 {"ranks", one.ranks},
                                 {"compute_seconds", one.computed},
                                 {"wait_seconds", one.waited}});
  return json;
}

} // namespace timeless::tools
