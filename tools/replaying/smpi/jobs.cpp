#include "tools/replaying/smpi/jobs.h"

#include "tools/cli/console.h"
#include "tools/cli/trace_input.h"
#include "tools/replaying/calibrated.h"
#include "tools/replaying/on_platform.h"
#include "tools/replaying/smpi/smpi_prediction.h"

#include "base/error.h"
#include "replay/simgrid/simgrid_platform.h"
#include "replay/smpi/smpi_replay.h"

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace timeless::tools {

namespace {

/// A job that is opened, later placed, and has not run.
struct OpenedJob {
  PredictionOptions asked;
  std::unique_ptr<trace::Source> source;
  OnPlatform on;
  std::string lack;
};

void require_goes_with_jobs(const ReplayRequest& request) {
  const PredictionOptions& asked = request.prediction;
  if (!asked.trace.empty()) throw Error(Failure::usage, "a trace and jobs", asked.trace, "give it as a --job, too");
  if (asked.backend != Backend::smpi || asked.platforms.size() != 1)
    throw Error(Failure::usage, "several jobs meet in SMPI only, where messages share links", "--job",
                "give --backend smpi and one --platform");
  if (request.timeline.asked() || asked.attribute != replay::AttributeBy::nothing || scalings(asked).size() > 1)
    throw Error(Failure::usage, "--timeline, --by and lists of factors are for one run", "--job",
                "leave them out, or replay one run");
  require_smpi_can(asked);
}

OpenedJob opened(const PredictionOptions& asked, const std::string& word) {
  OpenedJob job{.asked = asked, .source = nullptr, .on = {}, .lack = {}};
  job.asked.trace = word;
  if (!std::filesystem::exists(word))
    if (const std::size_t at = word.rfind('@'); at != std::string::npos) {
      job.asked.trace = word.substr(0, at);
      job.asked.machine.hostfile = word.substr(at + 1);
    }
  job.source = rated(open_trace(job.asked.trace, job.asked.from), job.asked.machine);
  job.lack = incompleteness(job.source->run());
  warn_of_recorded_part(job.asked.trace, job.lack);
  demand_settings_apart(job.asked, *job.source);
  return job;
}

replay::SmpiJob smpi_job(const OpenedJob& job) {
  replay::SmpiJob made{.source = job.source.get(), .mapping = &job.on.mapping};
  made.units_per_second = job.on.units_per_second;
  made.seconds_per_unit = job.on.speeds.seconds_per_unit;
  made.kernel_factors = job.on.speeds.kernel_factors;
  return made;
}

std::vector<replay::SmpiResult> simulated(std::span<const replay::SmpiJob> jobs, const PredictionOptions& asked,
                                          const replay::SimgridPlatform& platform, const std::string& what) {
  std::uint64_t actions = 0;
  for (const replay::SmpiJob& job : jobs)
    actions += total_actions(job.source->run());
  Progress progress("simulating " + what, actions);
  replay::SmpiOptions options = smpi_options(asked);
  options.scaling = scalings(asked).front();
  options.progress = [&progress](std::uint64_t done, std::uint64_t) { progress.update(done); };
  return replay::smpi_replay(jobs, platform, options);
}

/// Adds a job's configuration "together" or "alone".
void add(Prediction& prediction, const char* name, const replay::SmpiResult& one) {
  prediction.result.attributed = false;
  prediction.result.actions = one.replay.actions;
  prediction.result.lanes.push_back(one.replay.lanes.front());
  prediction.result.lanes.back().name = name;
  prediction.cpu_seconds.push_back(one.cpu_seconds);
  add_notes(prediction, one.replay.notes);
}

} // namespace

double Job::times_as_long() const {
  const double alone = prediction.result.lanes[1].makespan;
  return alone > 0 ? prediction.result.lanes[0].makespan / alone : 1;
}

std::vector<Job> predict_jobs(const ReplayRequest& request) {
  require_goes_with_jobs(request);
  const PredictionOptions& asked = request.prediction;
  std::vector<OpenedJob> placed;
  for (const std::string& word : request.jobs)
    placed.push_back(opened(asked, word));
  const auto platform = replay::SimgridPlatform::load(platform_file(asked.platforms.front()), asked.settings);
  std::vector<replay::SmpiJob> all;
  for (OpenedJob& job : placed) {
    job.on = place_on_platform(job.source->run(), job.asked, platform);
    all.push_back(smpi_job(job));
  }

  const std::vector<replay::SmpiResult> together = simulated(all, asked, platform, "all jobs");
  std::vector<Job> jobs;
  for (std::size_t i = 0; i < placed.size(); ++i) {
    OpenedJob& job = placed[i];
    add(job.on.prediction, "together", together[i]);
    add(job.on.prediction, "alone", simulated({&all[i], 1}, asked, platform, job.asked.trace).front());
    jobs.push_back({job.asked, std::move(job.source), job.lack, concluded(job.on)});
  }
  return jobs;
}

} // namespace timeless::tools
