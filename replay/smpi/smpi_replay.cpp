#include "replay/smpi/smpi_replay.h"

#include "base/bytes.h"
#include "base/error.h"
#include "replay/result/observer.h"
#include "replay/simgrid/simgrid_network.h"
#include "replay/simgrid/simgrid_process.h"
#include "replay/smpi/job_answer.h"
#include "replay/smpi/link_watch.h"
#include "replay/smpi/machine_failures.h"
#include "replay/smpi/observations.h"
#include "replay/smpi/simulation.h"

#include <xbt/config.hpp>

#include <optional>
#include <utility>

namespace timeless::replay {

namespace {

/// SMPI's selector "automatic" tries all algorithms of a collective in turn, each time.
void refuse_trial_of_all_collectives(const SimgridPlatform& platform) {
  if (simgrid::config::get_value<std::string>("smpi/coll-selector") != "automatic") return;
  throw Error(Failure::missing_capability, "SMPI cannot replay with smpi/coll-selector automatic",
              platform.file().string(), "choose default or mpich");
}

} // namespace

std::vector<SmpiResult> smpi_replay(std::span<const SmpiJob> jobs, const SimgridPlatform& platform,
                                    const SmpiOptions& options) {
  if (jobs.empty()) throw Error(Failure::usage, "no job to replay");
  if (options.observer != nullptr && jobs.size() > 1)
    throw Error(Failure::usage, "several jobs have no timeline", {}, "replay one of them alone");
  if (options.watch_links && jobs.size() > 1)
    throw Error(Failure::usage, "the full links of several jobs are not told apart", {}, "replay one of them alone");
  refuse_trial_of_all_collectives(platform);
  smpi::Simulation simulation(jobs, platform, options);
  const ChildDeath death{Failure::runtime, "SimGrid stopped during the replay", platform.file().string(),
                         smpi::advice()};
  const std::string name = lane_name(platform, options.scaling);
  std::optional<smpi::Observations> observations;
  ChildPart part;
  if (options.observer != nullptr) {
    options.observer->begin(jobs.front().source->run());
    observations.emplace(*options.observer, *jobs.front().source);
    part = [&](std::string_view bytes) { observations->take_all(bytes); };
  }
  const auto simulate = [&] {
    try {
      return run_simgrid([&](const ChildReport& report) { return simulation.run(report); }, death, options.progress,
                         part);
    } catch (const Error& error) {
      if (const auto explained = smpi::missing_route(error)) throw *explained;
      throw;
    }
  };
  const std::string answer = simulate();

  std::vector<SmpiResult> results;
  ByteReader words(answer, ByteReader::From::process);
  for (std::size_t job = 0; job < jobs.size(); ++job) {
    results.push_back(smpi::result_of(smpi::read_job_answer(words), name, options));
    results.back().replay.notes = simulation.notes(job);
  }
  if (options.watch_links) results.front().full_links = smpi::read_full_links(words);
  while (!words.empty()) {
    const std::string note = words.text();
    for (SmpiResult& result : results)
      result.replay.notes.push_back(note);
  }
  return results;
}

SmpiResult smpi_replay(const trace::Source& source, const SimgridPlatform& platform, const Mapping& mapping,
                       const SmpiOptions& options) {
  const SmpiJob job{.source = &source,
                    .mapping = &mapping,
                    .units_per_second = options.units_per_second,
                    .seconds_per_unit = options.seconds_per_unit,
                    .kernel_factors = options.kernel_factors};
  return std::move(smpi_replay(std::span(&job, 1), platform, options).front());
}

} // namespace timeless::replay
