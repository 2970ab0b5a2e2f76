#include "tools/verbs/advise.h"

#include "tools/cli/locate.h"
#include "tools/cli/option_checks.h"
#include "tools/cli/option_groups.h"
#include "tools/cli/trace_input.h"
#include "tools/render/advising/advising.h"
#include "tools/render/answer.h"
#include "tools/replaying/factors.h"
#include "tools/verbs/parts.h"
#include "tools/verbs/verbs.h"

#include "base/error.h"

#include <CLI/CLI.hpp>

#include <array>
#include <memory>
#include <string>

namespace timeless::tools {

namespace {

constexpr std::array advise_parts{
    Verb{"features", "List what is known of a run before it is simulated, or write it for traces", add_advise_features},
    Verb{"collect", "Replay traces with the model and in SMPI, for training", add_advise_collect},
    Verb{"train", "Fit a model to what was collected", add_advise_train},
    Verb{"evaluate", "Say how often such models are wrong", add_advise_evaluate},
};

struct AdviseOptions {
  AdviceRequest request;
  std::string cpu = "x1";
  std::string by;
  bool json = false;
};

PartsBy parts_called(const std::string& word) {
  if (word == "region") return PartsBy::region;
  if (word == "phase") return PartsBy::phase;
  return word == "function" ? PartsBy::function : PartsBy::nothing;
}

int advise(AdviseOptions& options) {
  PredictionOptions& asked = options.request.prediction;
  if (asked.trace.empty())
    throw Error(Failure::usage, "no trace", {}, "write timeless advise run.tia --platform graphene");
  if (options.request.model.empty()) options.request.model = advisor_model();
  asked.compute = parse_speeds(options.cpu, "--cpu");
  if (asked.compute.size() != 1)
    throw Error(Failure::usage, "advice is of one speed of computation", "--cpu", "give one factor, such as x2");
  take_machines(asked.machine, asked.platforms);
  options.request.by = parts_called(options.by);
  const AdviceAnswer answer = answer_advice(options.request);
  print_answer("advise", 1, answer, options.json);
  const int status = warn_of_recorded_part(answer.trace, answer.lack);
  return answer.outside() ? static_cast<int>(Failure::partial) : status;
}

} // namespace

VerbAction add_advise(CLI::App& command) {
  auto options = std::make_shared<AdviseOptions>();
  AdviceRequest& request = options->request;
  add_trace_argument(command, request.prediction.trace, request.prediction.from);
  command.get_option("trace")->required(false);
  begin_group(command, "Machine");
  add_platform_option(command, request.prediction.platforms);
  add_placement_options(command, request.prediction.machine);
  command.get_option("--compute-rate")->default_str("the platform's speeds");
  command.add_option("--cpu", options->cpu, "How much faster processors are: x2, /2")->type_name("FACTOR");
  begin_group(command, "Advice");
  command.add_option("--model", request.model, "What timeless advise train has written")
      ->type_name("FILE")
      ->default_str("the one that comes with Timeless");
  command
      .add_option("--threshold", request.threshold,
                  "A difference that matters, as a share of the time; another than the model was trained for is told "
                  "by a curve through the probability of that one")
      ->transform(threshold_share())
      ->default_str("the model's");
  command
      .add_option(
          "--miss-cost", request.miss_cost,
          "The cost of not simulating where it was needed, over that of simulating in vain: simulation is advised from "
          "a probability of 1 / (1 + cost) on")
      ->check(number_between(1e-6, 1e6));
  CLI::Option* const by =
      command
          .add_option(
              "--by", options->by,
              "Say it of each part of the run alone, too: region, those that the program marks, phase, from one "
              "collective of all ranks to another, or function, those that call MPI")
          ->check(CLI::IsMember({"region", "phase", "function"}));
  add_symbols_option(command, request.symbols)->needs(by);
  begin_group(command, "Output");
  command.add_flag("--json", options->json, "Print JSON (schema timeless.advise/1)");
  command.footer("timeless advise PART --help says more of the parts.\n"
                 "Exit status: 0, 2 for a request that makes no sense, 3 for input that is wrong, 6 where the run is "
                 "outside of what the model was trained on, or the recording is not whole.\n"
                 "Example: timeless advise run.tia --platform graphene");
  const VerbAction part = add_parts(command, advise_parts);
  command.require_subcommand(0, 1);
  return [options, part, &command] { return command.get_subcommands().empty() ? advise(*options) : part(); };
}

} // namespace timeless::tools
