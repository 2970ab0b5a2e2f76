#include "tools/validating/prediction_kind.h"

#include "base/files/temporary_file.h"
#include "tools/calibrating/launches.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace timeless::tools {

namespace {

using replay::MeasuredInstance;

bool same_hosts(const MeasuredInstance& instance, const trace::Run& launched) {
  return std::ranges::all_of(launched.hosts, [&](const trace::Host& host) {
    return std::ranges::find(instance.hosts, host.name) != instance.hosts.end();
  });
}

/// "another input or build", or which other program.
std::string other(const MeasuredInstance& instance, const trace::Run& volumes) {
  const std::string program = file_name(instance.program);
  const std::string its = file_name(volumes.provenance.program);
  if (program.empty() || its.empty() || program == its)
    return fmt::format("another input or build ({})", instance.name);
  return fmt::format("{}, and {} is predicted", program, its);
}

bool same_input(const MeasuredInstance& instance, const trace::Run& volumes, double units_per_rank) {
  constexpr double same = 1e-3; // counts of one input differ by less
  return !replay::of_another_build(instance, volumes) && instance.ranks == static_cast<std::uint64_t>(volumes.size) &&
         std::abs(instance.units_per_rank / units_per_rank - 1) < same;
}

} // namespace

const char* name(PredictionKind kind) {
  switch (kind) {
  case PredictionKind::assumption:
    return "assumption";
  case PredictionKind::self_consistency:
    return "self-consistency";
  case PredictionKind::re_prediction:
    return "re-prediction";
  case PredictionKind::prediction:
    break;
  }
  return "prediction";
}

std::pair<PredictionKind, std::string> prediction_kind(const std::vector<MeasuredInstance>& instances,
                                                       const trace::Run& volumes, const trace::Run& launched,
                                                       double units_per_rank) {
  for (const MeasuredInstance& instance : instances)
    if (same_hosts(instance, launched) && same_input(instance, volumes, units_per_rank))
      return {PredictionKind::self_consistency,
              fmt::format("the rates are of this program and input on this machine ({}): an error is the network's, or "
                          "the machine was not at rest",
                          instance.name)};
  const auto here =
      std::ranges::find_if(instances, [&](const MeasuredInstance& one) { return same_hosts(one, launched); });
  if (here == instances.end()) return {PredictionKind::prediction, "the rates are of another machine"};
  const std::size_t ranks = ranks_per_host(launched);
  if (here->ranks_per_node != ranks)
    return {PredictionKind::prediction,
            fmt::format("the rates are by {} ranks on a node, and {} are predicted", here->ranks_per_node, ranks)};
  if (here->ranks != static_cast<std::uint64_t>(volumes.size))
    return {PredictionKind::prediction,
            fmt::format("the rates are by {} ranks, and {} are predicted", here->ranks, volumes.size)};
  return {PredictionKind::re_prediction, fmt::format("the rates are of this machine, of {}", other(*here, volumes))};
}

} // namespace timeless::tools
