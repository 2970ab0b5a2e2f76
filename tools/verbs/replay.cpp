#include "tools/console.h"
#include "tools/replaying/prediction.h"
#include "tools/replaying/report.h"
#include "tools/trace_input.h"
#include "tools/verbs/verbs.h"

#include "gather/files_source.h"
#include "replay/replay.h"

#include <memory>
#include <string>

namespace timeless::tools {

namespace {

struct Options {
  PredictionOptions prediction;
  ReportOptions report;
  std::string latency = "x1";
  std::string bandwidth = "x1";
  std::string compute = "x1";
  std::string backend = "model";
  std::string collectives = "mpich";
  std::string overlap = "latency-first";
};

/// That ranks wait for what was not recorded is no contradiction in an incomplete trace: nothing can be said of it, and
/// that is all.
Prediction predict_as_far_as_known(const trace::Source& source, const PredictionOptions& asked, bool incomplete) {
  try {
    return predict(source, asked);
  } catch (const replay::ReplayProblem& problem) {
    if (!incomplete) throw;
    throw Error(Failure::partial, problem.description(), "an incomplete trace",
                "ranks wait for what was not recorded: record the program to its end");
  }
}

int replay_trace(Options& options) {
  PredictionOptions& asked = options.prediction;
  asked.latency = parse_factors(options.latency, "--latency");
  asked.bandwidth = parse_factors(options.bandwidth, "--bandwidth");
  asked.compute = parse_factors(options.compute, "--compute");
  if (options.backend == "smpi") asked.backend = Backend::smpi;
  if (options.collectives == "simple") asked.collectives = replay::CollectiveModel::simple;
  if (options.overlap == "bandwidth-first") asked.overlap = replay::Overlap::bandwidth_first;
  const auto source = gather::open_run(asked.trace);
  const std::string lack = incompleteness(source->run());
  if (!lack.empty()) print_warning("the trace is incomplete: " + lack + "; the prediction ends where it does");
  const Prediction prediction = predict_as_far_as_known(*source, asked, !lack.empty());
  print_prediction(asked, source->run(), prediction, options.report);
  return lack.empty() ? exit_ok : static_cast<int>(Failure::partial);
}

void add_machine_options(CLI::App& command, Options& options) {
  PredictionOptions& asked = options.prediction;
  command.add_option("--platform", asked.platform,
                     "A SimGrid platform file, or the name of one that comes with Timeless");
  command.add_option("--network", asked.machine.networks, "Networks by name: e1g, e10g, qdr; several in one pass")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->default_str("");
  add_placement_options(command, asked.machine);
  command.get_option("--compute-rate")->default_str("the platform's speeds; with --network 1e9, an assumption");
  command.add_option("--latency", options.latency, "Latencies times x2, /2, or a list: one configuration each");
  command.add_option("--bandwidth", options.bandwidth, "Bandwidths likewise; lists combine");
  command.add_option("--compute", options.compute, "Computation times likewise: /2 is a processor twice as fast");
}

void add_model_options(CLI::App& command, Options& options) {
  command.add_option("--backend", options.backend, "The built-in model, or SimGrid's SMPI with contention")
      ->check(CLI::IsMember({"model", "smpi"}));
  command
      .add_option("--collectives", options.collectives, "Costs of collectives: MPICH's algorithms, or log2(p) steps")
      ->check(CLI::IsMember({"mpich", "simple"}));
  command.add_option("--overlap", options.overlap, "What computation hides first of a message's way")
      ->check(CLI::IsMember({"latency-first", "bandwidth-first"}));
  command
      .add_option("--memory-copy", options.prediction.memory_copy_rate,
                  "Bytes per second of the sender's copy; 0: it costs nothing")
      ->check(CLI::NonNegativeNumber)
      ->default_str("32e9 with --network, 0 with --platform");
}

} // namespace

VerbAction add_replay(CLI::App& command) {
  auto options = std::make_shared<Options>();
  add_trace_argument(command, options->prediction.trace);
  add_machine_options(command, *options);
  add_model_options(command, *options);
  command.add_flag("--per-rank", options->report.per_rank, "Also list every rank");
  command.add_flag("--json", options->report.json, "Print JSON (schema timeless.replay/1)");
  command.footer("Example: timeless replay run.tia --platform graphene --backend smpi\n"
                 "         timeless replay run.tia --network e1g,qdr --bandwidth /2,x1,x2 --compute-rate 2.5e9");
  return [options] { return replay_trace(*options); };
}

} // namespace timeless::tools
