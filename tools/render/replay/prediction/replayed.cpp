#include "tools/render/replay/prediction/replayed.h"

#include "tools/render/machines/compute_basis.h"
#include "tools/render/replay/prediction/deadlock.h"
#include "tools/render/replay/prediction/times.h"

#include <nlohmann/json.hpp>

namespace timeless::tools {

Replayed replayed(const replay::LaneResult& lane, const MachineBasis& basis, std::optional<analysis::Interval> interval,
                  bool attributed) {
  return {.name = lane.name,
          .basis = basis,
          .makespan = lane.makespan,
          .mean = lane.deadlock ? replay::RankTimes() : replay::mean(lane),
          .deadlock = lane.deadlock.get(),
          .interval = interval,
          .attributed = attributed};
}

nlohmann::ordered_json to_json(const Replayed& replayed) {
  nlohmann::ordered_json json{{"name", replayed.name}, {"makespan_seconds", nullptr}};
  if (replayed.deadlock != nullptr)
    json.update({{"deadlocked", true}, {"diagnosis", to_json(*replayed.deadlock)}});
  else
    json["makespan_seconds"] = replayed.makespan;
  if (replayed.interval) json["makespan_interval_seconds"] = {replayed.interval->low, replayed.interval->high};
  json["overheads"] = replayed.basis.overheads;
  json["compute_rate"] = to_json(replayed.basis.compute);
  if (replayed.deadlock == nullptr) json["mean_seconds"] = to_json(replayed.mean, replayed.attributed);
  return json;
}

} // namespace timeless::tools
