#include "tools/cli/console.h"
#include "tools/cli/trace_input.h"
#include "tools/render/not_modelled.h"
#include "tools/replaying/jobs.h"
#include "tools/replaying/kernel_names.h"
#include "tools/replaying/request.h"
#include "tools/replaying/simgrid_timeline.h"
#include "tools/verbs/verbs.h"

#include <memory>
#include <string>

namespace timeless::tools {

namespace {

int replay_trace(ReplayRequest& request) {
  read_words(request);
  if (!request.jobs.empty()) return replay_jobs(request);
  const PredictionOptions& asked = request.prediction;
  if (asked.trace.empty()) throw Error(Failure::usage, "no trace to replay", {}, "name one, or several with --job");
  const auto source = open_trace(asked.trace, asked.from);
  const std::string lack = incompleteness(source->run());
  if (!lack.empty()) print_warning("the trace is incomplete: " + lack + "; the prediction ends where it does");
  const auto timeline = asked_timeline(request, *source);
  const auto simgrid_timeline = asked_simgrid_timeline(request);
  Prediction prediction = predict_as_far_as_known(*source, asked, predict);
  if (timeline) prediction.timeline = written(request.timeline, timeline->finish(prediction.result));
  if (simgrid_timeline) prediction.timeline = written(request.timeline, simgrid_timeline->finish());
  if (asked.attribute == replay::AttributeBy::kernels || prediction.critical_path || !prediction.contentions.empty())
    name_kernels(request, *source, prediction);
  print_prediction(asked, source->run(), prediction, request.report);
  if (request.strict) require_all_modelled(prediction.result);
  return lack.empty() ? exit_ok : static_cast<int>(Failure::partial);
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
