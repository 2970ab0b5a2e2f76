#include "tools/cli/option_groups.h"
#include "tools/verbs/calibrate.h"

#include "analysis/calibration/compute/rates.h"
#include "analysis/trace/kernel_figures.h"
#include "base/files/new_file.h"
#include "tools/calibrating/compute_measurement.h"
#include "tools/calibrating/launch_request.h"
#include "tools/calibrating/launches.h"
#include "tools/calibrating/noise.h"
#include "tools/calibrating/rates_text.h"
#include "tools/cli/console.h"
#include "tools/cli/option_checks.h"
#include "tools/cli/trace_input.h"
#include "tools/cli/words_usage.h"
#include "tools/render/answer.h"
#include "tools/render/calibration/compute.h"
#include "tools/render/figures.h"
#include "tools/symbols/kernel_places.h"
#include "tools/symbols/place_labels.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace timeless::tools {

namespace {

struct ComputeOptions {
  std::string trace;
  std::string output;
  std::string name;
  LaunchRequest launches;
  double budget = 0;
  bool add = false;
  bool whole = false;
  bool force = false;
  bool json = false;
  std::size_t top = 10;
  std::vector<std::string> command;
};

Existing existing_file(const ComputeOptions& options) {
  return options.force || options.add ? Existing::replace : Existing::refuse;
}

/// One input of the program: what it computes, and what starts it.
struct ComputeInput {
  std::string trace;
  std::vector<std::string> command;
  std::string name;
};

std::string instance_name(const ComputeOptions& options, const std::string& file) {
  if (!options.name.empty()) return options.name;
  const std::filesystem::path trace(file);
  const std::filesystem::path last = (trace.has_filename() ? trace : trace.parent_path()).filename(); // of "run/" too
  return last.extension() == ".tia" ? last.stem().string() : last.string(); // cg.W and cg.A are two
}

bool is_recording(const std::string& word) {
  return word.ends_with(".tia") || std::filesystem::is_directory(word);
}

/// The words between one "--" and the next.
std::vector<std::vector<std::string>> commands_in(const std::vector<std::string>& words) {
  std::vector<std::vector<std::string>> commands(1);
  for (const std::string& word : words)
    if (word == "--")
      commands.emplace_back();
    else
      commands.back().push_back(word);
  return commands;
}

/// The recordings come first, then as many commands as there are recordings, each behind a "--". With one recording, a
/// "--" is its command's.
std::vector<ComputeInput> inputs_of(const ComputeOptions& options) {
  std::vector<ComputeInput> inputs{{options.trace, {}, instance_name(options, options.trace)}};
  auto word = options.command.begin();
  for (; word != options.command.end() && is_recording(*word); ++word)
    inputs.push_back({*word, {}, instance_name(options, *word)});
  const std::vector<std::string> words(word, options.command.end());
  if (inputs.size() == 1) {
    inputs.front().command = words;
    return inputs;
  }
  if (words.empty()) return inputs;
  std::vector<std::vector<std::string>> commands = commands_in(words);
  const bool empty = std::ranges::any_of(commands, [](const auto& command) { return command.empty(); });
  if (commands.size() != inputs.size() || empty)
    throw Error(Failure::usage,
                fmt::format("{} recordings, and {} command{}", inputs.size(), commands.size(),
                            empty ? "s, one of which is empty" : plural(commands.size())),
                "--",
                "give each recording its command, in their order, each behind a --: small.tia large.tia -o rates.json "
                "-- mpirun -np 2 ./program small -- mpirun -np 2 ./program large");
  for (std::size_t input = 0; input < inputs.size(); ++input)
    inputs[input].command = std::move(commands[input]);
  return inputs;
}

/// What only one input can have.
void require_apart(const ComputeOptions& options, const std::vector<ComputeInput>& inputs) {
  if (inputs.size() == 1) return;
  if (options.whole)
    throw Error(Failure::usage, "--whole gives one rate for everything, of one recording", "--whole",
                "name one recording, or leave it out");
  if (!options.name.empty())
    throw Error(Failure::usage, "one name for several recordings", "--name",
                "leave it out: each is called as its recording is");
  std::set<std::string> names;
  for (const ComputeInput& input : inputs)
    if (!names.insert(input.name).second)
      throw Error(Failure::usage,
                  fmt::format("two recordings are called '{}', and the second would replace the first", input.name),
                  input.trace, "rename one of them");
}

/// Before anything is launched.
void require_sense(const ComputeOptions& options, const std::vector<ComputeInput>& inputs) {
  if (options.output.empty()) throw Error(Failure::usage, "no output is named", "", "give -o rates.json");
  demand_free_output(options.output, existing_file(options));
  for (const ComputeInput& input : inputs) {
    const std::filesystem::path traces[] = {input.trace};
    demand_output_apart(options.output, traces);
  }
  require_launches(options.launches, !inputs.front().command.empty());
  require_apart(options, inputs);
  if (options.add && options.whole)
    throw Error(Failure::usage, "--whole gives one rate for everything, to which nothing can be added", "--add",
                "leave one of them out");
}

/// Returns what the rates do not say as well as they look.
std::vector<std::string> shortcomings(const analysis::ComputeSpeeds& speeds, const MeasuredLaunches& measured) {
  constexpr double enough = 0.9;
  std::vector<std::string> sentences = measured.not_reached;
  if (speeds.coverage < enough)
    sentences.push_back(
        fmt::format("only {:.1f} % of the volume is in kernels with a rate of their own", 100 * speeds.coverage));
  if (speeds.explained() < enough)
    sentences.push_back(fmt::format("the rates give all visits only {:.1f} % of the time measured: launches were "
                                    "disturbed, or visits of a kernel differ by more than its volume says",
                                    100 * speeds.explained()));
  if (speeds.explained() > 2 - enough)
    sentences.push_back(
        fmt::format("the rates give all visits {:.1f} % of the time measured: visits of a kernel differ "
                    "by more than its volume says, or rates that few visits tell are the program's",
                    100 * speeds.explained()));
  // A kernel's rate is from the launches by one of the clocks.
  const std::size_t least = measured.cputime > 0 ? std::min(measured.walltime, measured.cputime) : measured.walltime;
  if (least == 1)
    sentences.emplace_back("one launch: no spread is known");
  else if (measured.walltime > 0 && least < 5)
    sentences.push_back(fmt::format("{} launches{}: intervals of fewer than 5 say little", least,
                                    measured.cputime > 0 ? " by each clock" : ""));
  return sentences;
}

std::vector<std::string> kernel_texts(const trace::Source& volumes, symbols::Symboliser& symboliser) {
  const std::vector<analysis::KernelFigures> figures = analysis::kernel_figures(volumes);
  const symbols::KernelPlaces places(volumes.run(), figures, symboliser);
  std::vector<std::string> texts;
  for (trace::KernelId id = 0; id < figures.size(); ++id)
    texts.push_back(places.text(id));
  return texts;
}

/// What is asked of one input, of so many. Several keep their launches apart by their names, and share the time.
ComputeMeasurement measurement(const ComputeOptions& options, const ComputeInput& input, std::size_t inputs,
                               const std::optional<Noise>& noise) {
  const auto directory = [&](const std::string& named) -> std::filesystem::path {
    if (named.empty() || inputs == 1) return named;
    return std::filesystem::path(named) / input.name;
  };
  std::filesystem::path saved = std::filesystem::path(options.output).replace_extension(".launches");
  if (inputs > 1) saved = std::filesystem::path(options.output).replace_extension("." + input.name + ".launches");
  ComputeMeasurement asked{.command = input.command,
                           .launches = options.launches.launches,
                           .limit = options.launches.limit(),
                           .keep = directory(options.launches.keep),
                           .saved = saved,
                           .noise = noise,
                           .from = directory(options.launches.from)};
  if (options.budget > 0)
    asked.budget = std::chrono::ceil<std::chrono::seconds>(
        std::chrono::duration<double>(options.budget / static_cast<double>(inputs)));
  return asked;
}

/// What is calibrated, one input after the other.
class ComputeCalibration {
public:
  /// `noise` is that of the host that launches; nothing where nothing is launched.
  ComputeCalibration(const ComputeOptions& options, std::size_t inputs, std::optional<Noise> noise)
      : options_(options), inputs_(inputs), noise_(std::move(noise)),
        adds_(options.add && std::filesystem::exists(options.output)) {}

  /// Launches one input, and writes its rates to the file, beside those that are there.
  void calibrate(const ComputeInput& input) {
    const auto volumes = open_trace(input.trace, {});
    if (adds_ && demand_addable(options_.output, input.name, volumes->run()))
      print_notice(fmt::format("{} has rates of '{}', which these replace; {} keeps both", options_.output, input.name,
                               inputs_ > 1 ? "another name of the recording" : "--name"));
    measure(*volumes, measurement(options_, input, inputs_, noise_),
            [&](const MeasuredLaunches& measured) { rate(input, *volumes, measured); });
    adds_ = true;
  }

  const ComputeAnswers& answers() const { return answers_; }

private:
  void rate(const ComputeInput& input, const trace::Source& volumes, const MeasuredLaunches& measured) {
    const analysis::ComputeSpeeds speeds = analysis::compute_speeds(measured.launches);
    const analysis::WholeRate whole = analysis::whole_rate(measured.launches);
    const std::vector<std::string> sentences = shortcomings(speeds, measured);
    symbols::Symboliser symboliser(volumes.run(), {});
    write({.name = input.name,
           .volumes = volumes.run(),
           .launched = measured.first,
           .speeds = speeds,
           .whole = whole,
           .places = symbols::place_labels(volumes.run(), symboliser),
           .walltime_launches = measured.walltime,
           .cputime_launches = measured.cputime,
           .noise = measured.noise,
           .not_reached = sentences});
    answers_.add(ComputeAnswer{.trace = input.trace,
                               .file = options_.output,
                               .unit = volumes.run().counter.unit == trace::VolumeUnit::instructions
                                           ? "instructions"
                                           : volumes.run().counter.name,
                               .speeds = speeds,
                               .whole = whole,
                               .kernels = kernel_texts(volumes, symboliser),
                               .top = options_.top,
                               .ranks_per_node = ranks_per_host(measured.first),
                               .walltime_launches = measured.walltime,
                               .cputime_launches = measured.cputime,
                               .noise = measured.noise,
                               .not_reached = sentences,
                               .one_rate = options_.whole});
  }

  void write(const CalibratedInstance& instance) const {
    std::optional<std::filesystem::path> before;
    if (adds_) before = options_.output;
    const nlohmann::ordered_json file = options_.whole ? whole_rate_file(instance) : rates_file(instance, before);
    write_file(options_.output, file.dump(1) + "\n", adds_ ? Existing::replace : existing_file(options_));
  }

  const ComputeOptions& options_;
  std::size_t inputs_;
  std::optional<Noise> noise_;
  bool adds_; ///< to a file that has rates already
  ComputeAnswers answers_;
};

int calibrate_compute(const ComputeOptions& options) {
  const std::vector<ComputeInput> inputs = inputs_of(options);
  require_sense(options, inputs);
  for (const ComputeInput& input : inputs)
    require_volumes(*open_trace(input.trace, {}), input.trace);
  for (const ComputeInput& input : inputs)
    if (!input.command.empty()) demand_launcher(input.command);
  std::optional<Noise> noise;
  if (!inputs.front().command.empty()) noise = noise_here();
  ComputeCalibration calibration(options, inputs.size(), std::move(noise));
  for (const ComputeInput& input : inputs) {
    if (inputs.size() > 1) print_notice(fmt::format("{}:", input.name));
    try {
      calibration.calibrate(input);
    } catch (const Error& error) {
      if (&input == &inputs.front()) throw;
      throw Error(error.failure(), error.description(), error.where(),
                  fmt::format("{}{}the rates of the recordings before {} are in {}, to which --add adds",
                              error.advice(), error.advice().empty() ? "" : "; ", input.trace, options.output));
    }
  }
  print_answer("calibrate-compute", 1, calibration.answers(), options.json);
  return 0;
}

} // namespace

VerbAction add_calibrate_compute(CLI::App& command) {
  auto options = std::make_shared<ComputeOptions>();
  command
      .add_option("trace", options->trace,
                  "A recording of the program by icount or papi: what it computes; further ones, of other inputs, "
                  "behind it")
      ->required();
  begin_group(command, "Output");
  command.add_option("-o,--output", options->output, "The file of rates to write")
      ->type_name("FILE")
      ->always_capture_default(false);
  begin_group(command, "Measuring");
  add_launch_options(command, options->launches);
  command
      .add_option("--budget", options->budget,
                  "Begin no launch after that: seconds, or as 90s, 2min; the first is always made")
      ->transform(time_with_unit())
      ->check(budget_seconds())
      ->default_str("")
      ->excludes("--from");
  begin_group(command, "Output");
  command.add_option("--name", options->name, "What this input is called in the file; the trace's name unless given")
      ->always_capture_default(false);
  command.add_flag(
      "--add", options->add,
      "Add to the rates in the output: those of another input, so that replays choose by the size of visits");
  command.add_flag("--whole", options->whole, "Write one rate for everything, for comparison");
  command.add_option("--top", options->top, "How many kernels to list; 0: all")->check(count_from(0));
  command.add_flag("--force", options->force, "Replace an existing file");
  command.add_flag("--json", options->json, "Print JSON (schema timeless.calibrate-compute/1)");
  add_words(command, "command", options->command,
            "The command that starts the program, as without timeless; of several recordings "
            "one each, in their order, each behind a --",
            "[options] [--] command...");
  command.footer(
      "Examples: timeless calibrate compute run.tia -o rates.json -- mpirun -np 2 ./program\n"
      "          timeless calibrate compute small.tia large.tia -o rates.json -- mpirun -np 2 ./program small "
      "-- mpirun -np 2 ./program large");
  return [options] { return calibrate_compute(*options); };
}

} // namespace timeless::tools
