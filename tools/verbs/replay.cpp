#include "tools/answers/kernel_figures.h"
#include "tools/console.h"
#include "tools/kernel_listing.h"
#include "tools/replaying/request.h"
#include "tools/symbols/symboliser.h"
#include "tools/trace_input.h"
#include "tools/verbs/verbs.h"

#include "gather/files_source.h"

#include <memory>
#include <string>

namespace timeless::tools {

namespace {

/// Names the kernels that will be listed, as `timeless info --kernels` does.
void name_kernels(ReplayRequest& request, const trace::Source& source, const Prediction& prediction) {
  const trace::Run& run = source.run();
  std::vector<KernelFigures> figures;
  {
    Progress progress("reading", total_actions(run));
    figures = kernel_figures(source, [&](std::uint64_t done) { progress.update(done); });
  }
  symbols::Symboliser symboliser(run, {request.symbols.begin(), request.symbols.end()});
  const KernelListing listing{run, figures, {}, symboliser};
  const auto name = [&](trace::KernelId kernel) {
    if (kernel < run.kernels.size() && !request.report.answers.kernels.contains(kernel))
      request.report.answers.kernels[kernel] = {begin_text(listing, kernel), end_text(listing, kernel)};
  };
  if (prediction.result.attribution.by == replay::AttributeBy::kernels)
    for (const replay::AttributedTimes& part : prediction.result.attribution.parts)
      name(part.subject);
  if (prediction.critical_path)
    for (const auto& [kernel, seconds] : prediction.critical_path->by_kernel)
      name(kernel);
  for (const std::string& notice : symboliser.notices())
    print_warning(notice);
}

int replay_trace(ReplayRequest& request) {
  read_words(request);
  const PredictionOptions& asked = request.prediction;
  const auto source = gather::open_run(asked.trace);
  const std::string lack = incompleteness(source->run());
  if (!lack.empty()) print_warning("the trace is incomplete: " + lack + "; the prediction ends where it does");
  const Prediction prediction = predict_as_far_as_known(*source, asked, predict);
  if (asked.attribute == replay::AttributeBy::kernels || prediction.critical_path)
    name_kernels(request, *source, prediction);
  print_prediction(asked, source->run(), prediction, request.report);
  return lack.empty() ? exit_ok : static_cast<int>(Failure::partial);
}

} // namespace

VerbAction add_replay(CLI::App& command) {
  auto request = std::make_shared<ReplayRequest>();
  add_replay_options(command, *request, Machines::all);
  command.footer("Example: timeless replay run.tia --platform graphene --backend smpi\n"
                 "         timeless replay run.tia --network e1g,qdr --bandwidth /2,x1,x2 --compute-rate 2.5e9");
  return [request] { return replay_trace(*request); };
}

} // namespace timeless::tools
