#include "tools/verbs/advise.h"

#include "base/files/new_file.h"
#include "tools/advising/data_file.h"
#include "tools/advising/model_file.h"
#include "tools/cli/console.h"
#include "tools/cli/option_checks.h"
#include "tools/cli/trace_input.h"
#include "tools/render/advising/advising.h"
#include "tools/render/answer.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace timeless::tools {

namespace {

struct TrainOptions {
  std::string data;
  std::string features = "own";
  std::string label = "total";
  analysis::EvaluationOptions evaluation;
  bool likelihood = false;
  bool take_all = false;
  std::string output;
  bool force = false;
  bool json = false;

  analysis::TrainingOptions training() const {
    analysis::TrainingOptions training = evaluation.training;
    training.label = label_called(label).value();
    training.candidates = named_features(features);
    training.select = !take_all;
    training.penalty = likelihood ? analysis::Penalty::none : analysis::Penalty::log_f;
    return training;
  }
};

void add_training_options(CLI::App& command, TrainOptions& options) {
  command.add_option("data", options.data, "What timeless advise collect has written")->required()->type_name("FILE");
  command
      .add_option("--threshold", options.evaluation.training.threshold,
                  "Simulation is needed where SMPI's time differs by more than this share")
      ->transform(threshold_share())
      ->default_str("2%");
  command
      .add_option("--label", options.label,
                  "What that time is compared with: the model's (total), or SMPI's own where nobody shares a link "
                  "(contention), of the rows that were collected with --contention")
      ->check(CLI::IsMember({"total", "contention"}));
  command.add_option("--features", options.features, "Those to choose from: own, paper, all, or a list of names");
  CLI::Option* const most =
      command.add_option("--most", options.evaluation.training.most_features, "The most features that are chosen")
          ->check(count_from(1));
  command.add_flag("--take-all", options.take_all, "Take all of --features, without choosing among them")
      ->excludes(most);
  command.add_flag("--maximum-likelihood", options.likelihood,
                   "Fit without the log-F(1,1) prior on the coefficients, as the paper did");
  command.add_flag("--json", options.json, "Print JSON (schema timeless.advise/1)");
}

/// Reads the rows that have the label, and warns of others.
analysis::AdvisorData labelled_rows(const TrainOptions& options) {
  TrainingData read = read_training_data(options.data, label_called(options.label).value());
  if (read.without_label > 0)
    print_warning(fmt::format("{} of {} rows of {} have no such label: timeless advise collect --contention adds it",
                              read.without_label, read.without_label + read.data.rows.size(), options.data));
  return std::move(read.data);
}

int train_model(const TrainOptions& options) {
  const std::filesystem::path data[] = {options.data};
  demand_output_apart(options.output, data);
  const Existing existing = options.force ? Existing::replace : Existing::refuse;
  demand_free_output(options.output, existing);
  const TrainingAnswer answer{.data = options.data,
                              .output = options.output,
                              .model = analysis::train(labelled_rows(options), options.training())};
  if (answer.model.programs.size() < 2)
    print_warning(
        fmt::format("{} has runs of one program: what the model says of another was never tested", options.data));
  write_file(options.output, to_json(answer.model).dump(2) + "\n", existing);
  print_answer("advise", 1, answer, options.json);
  return exit_ok;
}

int evaluate_models(const TrainOptions& options) {
  analysis::EvaluationOptions asked = options.evaluation;
  asked.training = options.training();
  const EvaluationAnswer answer{.data = options.data,
                                .threshold = asked.training.threshold,
                                .label = asked.training.label,
                                .partitions = asked.partitions,
                                .evaluation = analysis::evaluate(labelled_rows(options), asked)};
  print_answer("advise", 1, answer, options.json);
  return exit_ok;
}

} // namespace

VerbAction add_advise_train(CLI::App& command) {
  auto options = std::make_shared<TrainOptions>();
  add_training_options(command, *options);
  command.add_option("-o,--output", options->output, "The model")->required()->type_name("FILE");
  command.add_flag("--force", options->force, "Replace an existing output");
  command.footer("Example: timeless advise train data.csv -o model.json");
  return [options] { return train_model(*options); };
}

VerbAction add_advise_evaluate(CLI::App& command) {
  auto options = std::make_shared<TrainOptions>();
  add_training_options(command, *options);
  command.add_option("--partitions", options->evaluation.partitions, "Random partitions")->check(count_from(1));
  command.add_option("--seed", options->evaluation.seed, "Of the partitions, and of the choices of --curve");
  CLI::Option* const curve =
      command
          .add_option("--curve", options->evaluation.curve,
                      "Tell each program by so many of the others, too, chosen at random: 4,8,16")
          ->type_name("COUNTS")
          ->delimiter(',')
          ->check(count_from(1));
  command.add_option("--draws", options->evaluation.draws, "Random choices of so many, for each program")
      ->check(count_from(1))
      ->needs(curve);
  command.footer("Example: timeless advise evaluate data.csv --features paper");
  return [options] { return evaluate_models(*options); };
}

} // namespace timeless::tools
