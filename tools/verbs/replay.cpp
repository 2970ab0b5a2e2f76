#include "tools/answers/kernel_figures.h"
#include "tools/console.h"
#include "tools/kernel_listing.h"
#include "tools/not_modelled.h"
#include "tools/replaying/request.h"
#include "tools/symbols/symboliser.h"
#include "tools/trace_input.h"
#include "tools/verbs/verbs.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

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

/// A kernel's begin and end, for a timeline. The trace is read for it when the first is asked for.
class KernelNames {
public:
  KernelNames(const trace::Source& source, const std::vector<std::string>& symbols)
      : source_(source), symboliser_(source.run(), {symbols.begin(), symbols.end()}) {}

  std::string operator()(trace::KernelId kernel) {
    if (kernel >= source_.run().kernels.size()) return "kernel " + std::to_string(kernel);
    if (figures_.empty()) figures_ = kernel_figures(source_);
    const KernelListing listing{source_.run(), figures_, {}, symboliser_};
    return begin_text(listing, kernel) + " to " + end_text(listing, kernel);
  }

private:
  const trace::Source& source_;
  symbols::Symboliser symboliser_;
  std::vector<KernelFigures> figures_;
};

using replay::timeline::Timeline;

std::unique_ptr<Timeline> asked_timeline(ReplayRequest& request, const trace::Source& source) {
  replay::timeline::TimelineOptions options = timeline_options(request.timeline);
  if (!request.timeline.asked()) return nullptr;
  if (request.prediction.backend == Backend::smpi)
    throw Error(Failure::usage, "SMPI's replay has no timeline", "--timeline", "leave --backend smpi out");
  options.kernel = [names = std::make_shared<KernelNames>(source, request.symbols)](trace::KernelId kernel) {
    return (*names)(kernel);
  };
  auto timeline = std::make_unique<Timeline>(std::move(options));
  request.prediction.observer = timeline.get();
  return timeline;
}

int replay_trace(ReplayRequest& request) {
  read_words(request);
  const PredictionOptions& asked = request.prediction;
  const auto source = open_trace(asked.trace, asked.from);
  const std::string lack = incompleteness(source->run());
  if (!lack.empty()) print_warning("the trace is incomplete: " + lack + "; the prediction ends where it does");
  const auto timeline = asked_timeline(request, *source);
  const Prediction prediction = predict_as_far_as_known(*source, asked, predict);
  if (timeline) timeline->finish(prediction.result);
  if (asked.attribute == replay::AttributeBy::kernels || prediction.critical_path)
    name_kernels(request, *source, prediction);
  print_prediction(asked, source->run(), prediction, request.report);
  if (request.strict) require_all_modelled(prediction.result);
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
