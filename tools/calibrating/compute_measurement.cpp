#include "tools/calibrating/compute_measurement.h"

#include "tools/calibrating/launches.h"

#include "analysis/calibration/compute/rates.h"
#include "base/error.h"

#include <fmt/format.h>

#include <algorithm>

namespace timeless::tools {

namespace {

constexpr double worth_the_other_clock = 0.05; // of the time, in long visits

void add(MeasuredLaunches& all, const trace::Source& volumes, const trace::Source& launch) {
  all.launches.push_back(analysis::join(volumes, launch));
  if (all.launches.size() == 1 || launch.run().provenance.date < all.first.provenance.date) all.first = launch.run();
  ++(all.launches.back().processor_time ? all.cputime : all.walltime);
}

void add_launches(MeasuredLaunches& all, const trace::Source& volumes, const LaunchPlan& plan) {
  const int made = launch(plan, [&](const trace::Source& recording) { add(all, volumes, recording); });
  if (made < plan.launches)
    all.not_reached.push_back(
        fmt::format("{} of {} launches with {}: the time was over (--budget)", made, plan.launches, plan.counter));
}

/// How volumes counted by a processor are timed: in the same launch, since they are of the code that ran there.
std::string counter_for(const trace::Run& volumes) {
  return volumes.counter.exactness == trace::Exactness::hardware ? counter_option(volumes.counter.name) : "walltime";
}

void measure_by_launching(MeasuredLaunches& all, const trace::Source& volumes, const ComputeMeasurement& asked,
                          LaunchDirectory& directory) {
  LaunchPlan plan{.command = asked.command,
                  .counter = counter_for(volumes.run()),
                  .launches = asked.launches,
                  .keep = directory.path(),
                  .limit = asked.limit,
                  .recorded = [&] { directory.keep_when_interrupted(); }};
  if (asked.budget) plan.until = std::chrono::steady_clock::now() + *asked.budget;
  add_launches(all, volumes, plan);
  const double longer =
      analysis::share_of_long_visits(all.launches.front(), analysis::SpeedOptions{}.long_visit_seconds);
  if (plan.counter != "walltime" || longer < worth_the_other_clock) return;
  plan.counter = "cputime";
  add_launches(all, volumes, plan);
}

/// What validations keep beside launches, the recording of volumes, has no times.
void add_kept(MeasuredLaunches& all, const trace::Source& volumes, const std::filesystem::path& directory) {
  for (const std::filesystem::path& recording : kept_recordings(directory)) {
    const auto source = open_launch(recording);
    if (has_times(*source) || source->run().counter.unit == trace::VolumeUnit::nanoseconds) add(all, volumes, *source);
  }
  if (all.launches.empty())
    throw Error(Failure::invalid_input, "no recordings of launches are here", directory.string(),
                "name the directory that was given to --keep");
}

/// Empty where all ranks made the same calls in all launches.
std::string why_joined_by_kernel(const std::vector<analysis::JoinedLaunch>& launches) {
  const auto most = std::ranges::max_element(launches, {}, &analysis::JoinedLaunch::unjoined);
  const bool any = std::ranges::any_of(launches, [](const auto& launch) { return !launch.reordered.empty(); });
  if (!any) return {};
  double joined = 0;
  for (const analysis::RankSums& rank : most->ranks)
    joined += rank.volume;
  return fmt::format(
      "probes and tests came in another order than recorded, as they do by chance: their ranks are joined "
      "kernel by kernel, without {:.2f} % of the volume",
      100 * most->unjoined / std::max(1.0, joined + most->unjoined));
}

} // namespace

void require_volumes(const trace::Source& recording, const std::string& trace) {
  const trace::Run& volumes = recording.run();
  const bool counts =
      volumes.counter.unit == trace::VolumeUnit::instructions || volumes.counter.unit == trace::VolumeUnit::events;
  if (!counts)
    throw Error(Failure::usage, "rates need a recording of instructions",
                fmt::format("this one's counter is {}", volumes.counter.name),
                "record it with --counter icount, or papi where there are hardware counters");
  if (!volumes.complete())
    throw Error(Failure::invalid_input, "the recording is not whole", trace,
                "what is calibrated must run to MPI_Finalize on all ranks");
}

void measure(const trace::Source& volumes, const ComputeMeasurement& asked,
             const std::function<void(const MeasuredLaunches&)>& use) {
  MeasuredLaunches all;
  if (asked.noise) all.noise = read_noise(noise_text(*asked.noise)); // as it is kept
  const auto finish = [&] {
    if (const std::string reordered = why_joined_by_kernel(all.launches); !reordered.empty())
      all.not_reached.push_back(reordered);
    if (const std::string folded = why_folded(all.first); !folded.empty()) all.not_reached.push_back(folded);
    use(all);
  };
  if (asked.command.empty()) {
    add_kept(all, volumes, asked.from);
    all.noise = kept_noise(asked.from);
    return finish();
  }
  LaunchDirectory directory(asked.keep, asked.saved);
  directory.fill([&] {
    if (asked.noise) keep_noise(*asked.noise, directory.path());
    measure_by_launching(all, volumes, asked, directory);
    finish();
  });
}

} // namespace timeless::tools
