#include "tools/replaying/jobs.h"

#include "tools/cli/console.h"
#include "tools/cli/trace_input.h"
#include "tools/cli/verb.h"
#include "tools/replaying/on_platform.h"
#include "tools/replaying/smpi_prediction.h"

#include "base/error.h"
#include "replay/simgrid/simgrid_platform.h"
#include "replay/smpi/smpi_replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace timeless::tools {

namespace {

using nlohmann::ordered_json;

/// A job as it was asked for, and what is known of it before it runs.
struct Job {
  PredictionOptions asked;
  std::unique_ptr<trace::Source> source;
  OnPlatform on;
  std::string lack; ///< what its trace does not hold; empty when it is whole
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

Job opened(const PredictionOptions& asked, const std::string& word, const replay::SimgridPlatform& platform) {
  Job job{.asked = asked, .source = nullptr, .on = {}, .lack = {}};
  job.asked.trace = word;
  if (!std::filesystem::exists(word))
    if (const std::size_t at = word.rfind('@'); at != std::string::npos) {
      job.asked.trace = word.substr(0, at);
      job.asked.machine.hostfile = word.substr(at + 1);
    }
  job.source = open_trace(job.asked.trace, job.asked.from);
  job.lack = incompleteness(job.source->run());
  if (!job.lack.empty())
    print_warning(job.asked.trace + " is incomplete: " + job.lack + "; the prediction ends where it does");
  job.on = place_on_platform(job.source->run(), job.asked, platform);
  return job;
}

replay::SmpiJob smpi_job(const Job& job) {
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

double slowdown(const Prediction& job) {
  const double alone = job.result.lanes[1].makespan;
  return alone > 0 ? job.result.lanes[0].makespan / alone : 1;
}

void print_text(const std::vector<Job>& jobs, const std::vector<Prediction>& predictions,
                const ReportOptions& options) {
  Table table({"job", "ranks", "alone", "together", "times as long"});
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const auto& lanes = predictions[i].result.lanes;
    table.add({jobs[i].asked.trace, std::to_string(jobs[i].source->run().size), human_seconds(lanes[1].makespan),
               human_seconds(lanes[0].makespan), fmt::format("{:.3f}", slowdown(predictions[i]))});
  }
  fmt::print("{}", table.text());
  for (std::size_t i = 0; i < jobs.size() && options.per_rank; ++i) {
    Table ranks({"rank", "node", "alone", "together"});
    const auto& lanes = predictions[i].result.lanes;
    for (std::size_t rank = 0; rank < lanes[0].ranks.size(); ++rank)
      ranks.add({std::to_string(rank), predictions[i].bases.front().nodes.at(rank),
                 human_seconds(lanes[1].ranks[rank].end), human_seconds(lanes[0].ranks[rank].end)});
    fmt::print("\n{}{}", text_line("{}", jobs[i].asked.trace), ranks.text());
  }
  fmt::print("\n");
  print_line("{:<10}{}", "machine", predictions.front().machine);
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    print_line("{:<10}{}", fmt::format("job {}", i + 1), jobs[i].asked.trace);
    print_line("{:<10}{}", "mapping", predictions[i].mapping_sentence);
    const ComputeBasis& compute = predictions[i].bases.front().compute;
    print_line("{:<10}{}{}", "compute", compute.assumed ? "ASSUMED: " : "", compute.sentence);
    for (const std::string& note : predictions[i].notes)
      print_line("{:<10}{}", "note", note);
  }
}

} // namespace

int replay_jobs(const ReplayRequest& request) {
  require_goes_with_jobs(request);
  const PredictionOptions& asked = request.prediction;
  const auto platform = replay::SimgridPlatform::load(platform_file(asked.platforms.front()), asked.settings);
  std::vector<Job> jobs;
  for (const std::string& word : request.jobs)
    jobs.push_back(opened(asked, word, platform));
  std::vector<replay::SmpiJob> all;
  for (const Job& job : jobs)
    all.push_back(smpi_job(job));

  const std::vector<replay::SmpiResult> together = simulated(all, asked, platform, "all jobs");
  std::vector<Prediction> predictions;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    add(jobs[i].on.prediction, "together", together[i]);
    add(jobs[i].on.prediction, "alone", simulated({&all[i], 1}, asked, platform, jobs[i].asked.trace).front());
    predictions.push_back(concluded(jobs[i].on));
  }

  if (request.report.json) {
    ordered_json json{{"jobs", ordered_json::array()}};
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      ordered_json one = prediction_json(jobs[i].asked, jobs[i].source->run(), predictions[i], request.report.answers);
      one["times_as_long"] = slowdown(predictions[i]);
      json["jobs"].push_back(std::move(one));
    }
    print_json("replay-jobs", 1, json);
  } else {
    print_text(jobs, predictions, request.report);
  }
  const bool whole = std::ranges::all_of(jobs, [](const Job& job) { return job.lack.empty(); });
  return whole ? exit_ok : static_cast<int>(Failure::partial);
}

} // namespace timeless::tools
