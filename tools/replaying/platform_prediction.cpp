#include "tools/console.h"
#include "tools/replaying/on_platform.h"
#include "tools/replaying/prediction.h"
#include "tools/trace_input.h"

#include "replay/platform/simgrid_platform.h"
#include "replay/smpi/smpi_replay.h"
#include "trace/error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace timeless::tools {

namespace {

void predict_with_smpi(OnPlatform& on, const trace::Source& source, const PredictionOptions& options,
                       const replay::SimgridPlatform& platform) {
  Prediction& prediction = on.prediction;
  prediction.result.attributed = false;
  for (const replay::Scaling& scaling : scalings(options)) {
    Progress progress("simulating " + options.trace, total_actions(source.run()));
    replay::SmpiOptions smpi{.scaling = scaling};
    smpi.seconds_per_unit = on.speeds.seconds_per_unit;
    smpi.kernel_factors = on.speeds.kernel_factors;
    if (options.machine.compute_rate > 0) smpi.units_per_second = options.machine.compute_rate;
    smpi.progress = [&progress](std::uint64_t done, std::uint64_t) { progress.update(done); };
    replay::SmpiResult one = replay::smpi_replay(source, platform, on.mapping, smpi);
    prediction.result.actions = one.replay.actions;
    prediction.result.lanes.push_back(std::move(one.replay.lanes.front()));
    prediction.cpu_seconds.push_back(one.cpu_seconds);
    add_notes(prediction, one.replay.notes);
  }
}

Prediction predict_on_platform(const trace::Source& source, const PredictionOptions& options) {
  const replay::SimgridPlatform platform = replay::SimgridPlatform::load(platform_file(options.platform));
  OnPlatform on = place_on_platform(source, options, platform);
  if (options.backend == Backend::smpi)
    predict_with_smpi(on, source, options, platform);
  else
    predict_with_model(on, source, options, platform);
  return concluded(std::move(on));
}

} // namespace

Prediction predict(const trace::Source& source, const PredictionOptions& options) {
  require_machine(options);
  const bool networks = !options.machine.networks.empty();
  if (options.backend == Backend::smpi) {
    if (networks)
      throw Error(Failure::usage, "SMPI needs a platform file, a network's name is not enough", {},
                  "give --platform FILE");
    if (options.memory_copy_rate)
      throw Error(Failure::usage, "--memory-copy is the model's; SMPI has the platform's overheads", {},
                  "leave it out");
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
    if (!options.tolerance.empty() || options.critical_path || options.attribute != replay::AttributeBy::nothing)
      throw Error(Failure::usage, "--by, --tolerance and --critical-path are the model's; SMPI says when ranks end", {},
                  "leave them out, or use --backend model");
  }
  return networks ? predict_on_networks(source, options) : predict_on_platform(source, options);
}

} // namespace timeless::tools
