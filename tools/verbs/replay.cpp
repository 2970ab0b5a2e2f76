#include "tools/advising/backend_choice.h"
#include "tools/cli/console.h"
#include "tools/cli/trace_input.h"
#include "tools/render/answer.h"
#include "tools/render/replay/jobs.h"
#include "tools/render/replay/prediction/prediction.h"
#include "tools/replaying/calibrated.h"
#include "tools/replaying/not_modelled.h"
#include "tools/replaying/options/kernel_names.h"
#include "tools/replaying/options/request.h"
#include "tools/replaying/smpi/jobs.h"
#include "tools/replaying/smpi/simgrid_timeline.h"
#include "tools/verbs/verbs.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace timeless::tools {

namespace {

int replay_jobs(const ReplayRequest& request) {
  const std::vector<Job> jobs = predict_jobs(request);
  print_answer("replay-jobs", 1, JobsAnswer{jobs, request.listing}, request.json);
  const bool whole = std::ranges::all_of(jobs, [](const Job& job) { return job.lack.empty(); });
  return whole ? exit_ok : static_cast<int>(Failure::partial);
}

int replay_trace(ReplayRequest& request) {
  read_words(request);
  if (!request.jobs.empty()) return replay_jobs(request);
  const PredictionOptions& asked = request.prediction;
  if (asked.trace.empty()) throw Error(Failure::usage, "no trace to replay", {}, "name one, or several with --job");
  const auto source = rated(open_trace(asked.trace, asked.from), request.prediction.machine);
  const int status = warn_of_recorded_part(asked.trace, incompleteness(source->run()));
  std::string choice;
  if (request.backend == "auto") {
    const BackendChoice chosen = choose_backend(request.prediction);
    request.prediction.backend = chosen.backend;
    choice = chosen.because;
  }
  const auto timeline = asked_timeline(request, *source);
  const auto simgrid_timeline = asked_simgrid_timeline(request);
  Prediction prediction = predict_as_far_as_known(*source, asked, predict);
  if (!choice.empty()) add_notes(prediction, {choice});
  add_intervals(prediction, *source, asked);
  add_notes(prediction, message_notes(*source, prediction.bases));
  if (timeline) prediction.timeline = written(request.timeline, timeline->finish(prediction.result));
  if (timeline) add_notes(prediction, timeline_notes(request.timeline, prediction.result));
  if (simgrid_timeline) prediction.timeline = written(request.timeline, simgrid_timeline->finish());
  if (asked.attribute == replay::AttributeBy::kernels || prediction.critical_path || !prediction.contentions.empty())
    name_kernels(prediction, *source, request.symbols);
  print_prediction({asked, source->run(), prediction, request.listing}, request.json);
  if (request.strict) require_all_modelled(prediction.result.not_modelled);
  return status;
}

} // namespace

VerbAction add_replay(CLI::App& command) {
  auto request = std::make_shared<ReplayRequest>();
  add_replay_options(command, *request, Processes::one);
  command.get_option("trace")->required(false);
  command.footer("Example: timeless replay run.tia --platform graphene --backend smpi\n"
                 "         timeless replay --job a.tia@hosts-a --job b.tia@hosts-b --platform graphene --backend smpi\n"
                 "         timeless replay run.tia --network e1g,qdr --bandwidth /2,x1,x2 --compute-rate 2.5e9");
  return [request] { return replay_trace(*request); };
}

} // namespace timeless::tools
