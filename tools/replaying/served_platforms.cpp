#include "tools/replaying/served_platforms.h"

#include "tools/cli/console.h"
#include "tools/cli/locate.h"

#include "base/error.h"
#include "replay/lane_partition.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace timeless::tools {

namespace {

/// Puts a prediction on another machine behind those before it. Questions that are answered for one configuration have
/// the answer of the first machine where there is one.
void add(Prediction& all, Prediction one) {
  const std::string name = one.bases.front().name;
  if (all.result.lanes.empty()) {
    const std::vector<std::string> notes = std::exchange(one.notes, {});
    all = std::move(one);
    for (const std::string& note : notes)
      add_notes(all, {name + ": " + note});
    return;
  }
  const std::size_t before = all.result.lanes.size();
  all.machine += ", " + one.machine;
  if (one.mapping_sentence != all.mapping_sentence)
    all.mapping_sentence += "; on " + name + ": " + one.mapping_sentence;
  all.bases.push_back(std::move(one.bases.front()));
  for (const std::string& note : one.notes)
    add_notes(all, {name + ": " + note});
  std::ranges::move(one.tolerances, std::back_inserter(all.tolerances));
  std::ranges::move(one.cpu_seconds, std::back_inserter(all.cpu_seconds));
  std::ranges::move(one.contentions, std::back_inserter(all.contentions));
  if (!all.critical_path && one.critical_path) {
    all.critical_path = std::move(one.critical_path);
    all.critical_path_lane = before + one.critical_path_lane;
  }
  add_lanes(all.result, std::move(one.result));
}

} // namespace

std::vector<replay::LaneResult> stuck_lanes(std::span<const std::string> names, const replay::ReplayProblem& problem) {
  const auto why = std::make_shared<const replay::Diagnosis>(problem.diagnosis());
  std::vector<replay::LaneResult> lanes;
  for (const std::string& name : names)
    lanes.push_back(replay::stuck_lane(name, why));
  return lanes;
}

ServedPlatforms::ServedPlatforms(std::span<const std::string> names, std::span<const std::string> settings) {
  for (const std::string& name : names) {
    std::vector<std::string> server{platform_server().string(), platform_file(name).string()};
    server.insert(server.end(), settings.begin(), settings.end());
    platforms_.push_back(std::make_unique<replay::ServedPlatform>(server));
  }
}

CommonRate common_rate(const trace::Run& run, const PresetMachineOptions& options, const ServedPlatforms& platforms,
                       bool beside_networks) {
  if (platforms.size() < 2 && !beside_networks) return {};
  std::vector<OwnRate> rates;
  const replay::MappingRequest request = replay::parse_mapping(options.mapping, options.hostfile);
  for (std::size_t i = 0; i < platforms.size(); ++i)
    rates.push_back(rate_of(platforms[i], replay::map_ranks(run, platforms[i].hosts(), request)));
  OwnRate common = rates.front();
  std::string speeds;
  for (const OwnRate& rate : rates) {
    if (&rate != &rates.front()) common.platform += ", " + rate.platform;
    common.least = std::min(common.least, rate.least);
    common.most = std::max(common.most, rate.most);
    speeds += fmt::format("{}{} {}", speeds.empty() ? "" : ", ", rate.platform, human_count(rate.least));
  }
  const bool that_of_networks = !beside_networks || common.least == assumed_instruction_rate;
  if (common.least == common.most && that_of_networks) return {.rate = common, .note = {}};
  const bool counts = run.counter.unit == trace::VolumeUnit::instructions;
  const bool said = options.compute_rate > 0 || options.speeds_from_file();
  return {.rate = OwnRate{},
          .note = counts && !said ? "all machines compute at the same rate; their hosts' own speeds are left aside (" +
                                        speeds + "): replay on one alone for that, or give --compute-rate or --rates"
                                  : std::string()};
}

Prediction predict_on_served_platforms(const trace::Source& source, const PredictionOptions& options,
                                       PredictOnServed predict_one) {
  if (options.platforms.size() > 1 && options.observer != nullptr)
    throw Error(Failure::usage, "a timeline shows one machine", "--timeline",
                "name one --platform, and another file for the next");
  demand_settings_apart(options, source);
  const ServedPlatforms platforms(options.platforms, options.settings);
  const CommonRate common = common_rate(source.run(), options.machine, platforms);
  std::vector<Prediction> each;
  std::optional<std::size_t> ended;
  std::optional<replay::ReplayProblem> problem; // the first
  for (std::size_t i = 0; i < platforms.size(); ++i) {
    OnPlatform on = place_on_platform(source.run(), options, platforms[i], common.rate);
    try {
      predict_one(on, source, options, platforms[i]);
      if (!ended) ended = i;
    } catch (const replay::ReplayProblem& here) { // which another platform need not have
      if (!problem) problem = here;
      std::vector<std::string> names;
      for (const replay::Scaling& scaling : scalings(options))
        names.push_back(replay::scaled_name(platforms[i].file().stem().string(), scaling));
      on.prediction.result = {};
      on.prediction.result.attributed = options.backend == Backend::model;
      on.prediction.result.lanes = stuck_lanes(names, here);
      on.prediction.tolerances.resize(options.tolerance.empty() ? 0 : on.prediction.result.lanes.size());
    }
    each.push_back(concluded(std::move(on)));
  }
  if (!ended) throw replay::ReplayProblem(*problem);
  if (platforms.size() == 1) return std::move(each.front());
  for (Prediction& one : each)
    if (one.result.lanes.front().deadlock && one.result.actions == 0) replay::take_run(one.result, each[*ended].result);
  Prediction all;
  for (Prediction& one : each)
    add(all, std::move(one));
  if (!common.note.empty()) add_notes(all, {common.note});
  if (const std::string note = overheads_note(all.bases); !note.empty()) add_notes(all, {note});
  return all;
}

Prediction predict_without_simgrid(const trace::Source& source, const PredictionOptions& options) {
  return options.platforms.empty() ? predict_on_networks(source, options)
                                   : predict_on_served_platforms(source, options, predict_with_model);
}

} // namespace timeless::tools
