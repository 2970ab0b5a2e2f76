#include "tools/cli/console.h"
#include "tools/cli/trace_input.h"
#include "tools/replaying/on_platform.h"
#include "tools/replaying/prediction.h"
#include "tools/replaying/served_platforms.h"
#include "tools/replaying/smpi/smpi_apart.h"
#include "tools/replaying/smpi/smpi_prediction.h"

#include "base/error.h"
#include "replay/lane_partition.h"
#include "replay/result/observer.h"
#include "replay/result/problem.h"
#include "replay/simgrid/simgrid_network.h"
#include "replay/simgrid/simgrid_platform.h"
#include "replay/smpi/smpi_replay.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

namespace timeless::tools {

namespace {

/// The model on the same platform, for what SMPI takes longer; nothing, and a note, where it does not come to its end.
std::optional<replay::Result> without_contention(OnPlatform& on, const trace::Source& source,
                                                 const PredictionOptions& options, const replay::Platform& platform) {
  try {
    const replay::Network network =
        replay::simgrid_network(platform, source.run(), on.mapping, network_options(on, options));
    Progress progress(
        fmt::format("replaying {} without contention on {}", options.trace, on.prediction.bases.front().name),
        total_actions(source.run()));
    replay::ReplayOptions replaying = replay_options(options, progress);
    replaying.observer = nullptr;
    replaying.attribute = replay::AttributeBy::kernels;
    return replay::replay(source, network, replaying);
  } catch (const Error& error) {
    if (error.failure() != Failure::invalid_input) throw;
    add_notes(on.prediction,
              {std::string("no contention is reported, the model does not come to its end: ") + error.description()});
    return std::nullopt;
  }
}

/// Replays the run in SMPI, where its ranks are placed.
using SmpiRun = std::function<replay::SmpiResult(const replay::Mapping& mapping, const replay::SmpiOptions& options)>;

/// Runs it; of a deadlock returns the lane, with SMPI's words, since other platforms and speeds need not end in one.
replay::SmpiResult run_or_deadlock(const SmpiRun& run, const replay::Mapping& mapping,
                                   const replay::SmpiOptions& options, const std::string& name) {
  try {
    return run(mapping, options);
  } catch (const Error& error) {
    if (!replay::is_deadlock(error)) throw;
    replay::Diagnosis diagnosis;
    diagnosis.remarks = {error.what()};
    replay::SmpiResult stuck;
    stuck.replay.attributed = false;
    stuck.replay.lanes.push_back(replay::stuck_lane(name, std::make_shared<const replay::Diagnosis>(diagnosis)));
    return stuck;
  }
}

void predict_with_smpi(OnPlatform& on, const trace::Source& source, const PredictionOptions& options,
                       const replay::Platform& platform, const SmpiRun& run) {
  Prediction& prediction = on.prediction;
  prediction.result.attributed = false;
  const std::vector<replay::Scaling> all = scalings(options);
  const std::optional<replay::Result> model = without_contention(on, source, options, platform);
  if (model) add_notes(prediction, platform.notes());
  std::vector<std::string> names;
  for (const replay::Scaling& scaling : all)
    names.push_back(replay::lane_name(platform, scaling));
  const std::size_t observed = options.observer == nullptr ? all.size() : options.observer->lane(names);
  for (std::size_t i = 0; i < all.size(); ++i) {
    Progress progress(fmt::format("simulating {} on {}", options.trace, names[i]), total_actions(source.run()));
    replay::SmpiOptions smpi = smpi_options(options);
    smpi.scaling = all[i];
    smpi.seconds_per_unit = on.speeds.seconds_per_unit;
    smpi.kernel_factors = on.speeds.kernel_factors;
    smpi.attribute =
        options.attribute == replay::AttributeBy::nothing ? replay::AttributeBy::kernels : options.attribute;
    // It takes time of its own, so only where somebody asks what time goes into.
    smpi.watch_links = model.has_value() && options.attribute != replay::AttributeBy::nothing;
    if (i == observed) smpi.observer = options.observer;
    smpi.units_per_second = on.units_per_second;
    smpi.progress = [&progress](std::uint64_t done, std::uint64_t) { progress.update(done); };
    replay::SmpiResult one = run_or_deadlock(run, on.mapping, smpi, names[i]);
    if (one.replay.lanes.front().deadlock) {
      prediction.contentions.emplace_back();
      prediction.cpu_seconds.push_back(0);
      add_lanes(prediction.result, std::move(one.replay));
      continue;
    }
    const bool comes_to_its_end = model && !model->lanes.at(i).deadlock;
    prediction.contentions.push_back(comes_to_its_end ? std::optional(analysis::contention(one.replay, *model, i))
                                                      : std::nullopt);
    if (smpi.watch_links && comes_to_its_end) prediction.contentions.back()->links = std::move(one.full_links);
    prediction.result.actions = one.replay.actions;
    prediction.cpu_seconds.push_back(one.cpu_seconds);
    add_notes(prediction, one.replay.notes);
    if (options.attribute == replay::AttributeBy::nothing) one.replay.attribution = {};
    add_lanes(prediction.result, std::move(one.replay));
  }
  const std::vector<replay::LaneResult>& lanes = prediction.result.lanes;
  if (std::ranges::all_of(lanes, [](const replay::LaneResult& lane) { return lane.deadlock != nullptr; }))
    throw replay::ReplayProblem(*lanes.front().deadlock);
}

void predict_with_smpi_apart(OnPlatform& on, const trace::Source& source, const PredictionOptions& options,
                             const replay::Platform& platform) {
  predict_with_smpi(on, source, options, platform, [&](const auto& mapping, const auto& smpi) {
    return smpi_replay_apart(source, platform.file(), options.settings, mapping, smpi);
  });
}

Prediction predict_on_platform(const trace::Source& source, const PredictionOptions& options) {
  demand_settings_apart(options, source);
  const replay::SimgridPlatform platform =
      replay::SimgridPlatform::load(platform_file(options.platforms.front()), options.settings);
  OnPlatform on = place_on_platform(source.run(), options, platform);
  if (options.backend == Backend::smpi)
    predict_with_smpi(on, source, options, platform, [&](const auto& mapping, const auto& smpi) {
      return replay::smpi_replay(source, platform, mapping, smpi);
    });
  else
    predict_with_model(on, source, options, platform);
  return concluded(std::move(on));
}

} // namespace

replay::SmpiOptions smpi_options(const PredictionOptions& options) {
  replay::SmpiOptions smpi;
  smpi.files = {.latency = options.file_system.latency,
                .byte_time = options.file_system.byte_time,
                .aggregate_byte_time = options.file_system.aggregate_byte_time,
                .assumed = options.file_system.assumed};
  smpi.cores_per_rank = options.cores_per_rank;
  return smpi;
}

void require_smpi_can(const PredictionOptions& options) {
  if (!options.machine.networks.empty())
    throw Error(Failure::usage, "SMPI needs a platform file, a network's name is not enough", {},
                "give --platform FILE");
  if (options.memory_copy_rate)
    throw Error(Failure::usage, "--memory-copy is the model's; SMPI has the platform's overheads", {}, "leave it out");
  if (options.eager_limit || options.handshake)
    throw Error(Failure::usage, "--eager-limit and --handshake are the model's; SMPI has the platform's", {},
                "leave them out, or set smpi/send-is-detached-thresh in the platform file");
  if (options.completions != replay::CompletionOrder::of_arrival || options.clock != replay::StartClock::own ||
      !options.nonblocking_copy || !options.creation)
    throw Error(Failure::usage, "--copies, --completions, --communicator-creation and --clock are the model's", {},
                "leave them out");
  if (options.collectives != replay::CollectiveModel::mpich || options.overlap != replay::Overlap::latency_first)
    throw Error(Failure::usage, "--collectives and --overlap are the model's; SMPI plays its own messages", {},
                "leave them out, or name collectives in the platform file (smpi/coll-selector)");
  if (options.ports != replay::Ports::none)
    throw Error(Failure::usage, "--ports is the model's; SMPI shares every link", {}, "leave it out");
  if (!options.tolerance.empty() || options.critical_path)
    throw Error(Failure::usage, "--tolerance and --critical-path are the model's; SMPI says how long things take", {},
                "leave them out, or use --backend model");
}

Prediction predict(const trace::Source& source, const PredictionOptions& options) {
  require_machine(options);
  const bool networks = !options.machine.networks.empty();
  if (options.backend == Backend::smpi) require_smpi_can(options);
  if (networks) return predict_on_networks(source, options);
  if (options.platforms.size() == 1) return predict_on_platform(source, options);
  return predict_on_served_platforms(source, options,
                                     options.backend == Backend::smpi ? predict_with_smpi_apart : predict_with_model);
}

} // namespace timeless::tools
