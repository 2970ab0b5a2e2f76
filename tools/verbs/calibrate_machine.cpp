#include "tools/cli/option_groups.h"
#include "tools/recording/processors.h"
#include "tools/verbs/calibrate.h"

#include "base/error.h"
#include "base/files/new_file.h"
#include "base/files/text_file.h"
#include "tools/calibrating/machine_measuring.h"
#include "tools/calibrating/machine_raw.h"
#include "tools/calibrating/machine_text.h"
#include "tools/calibrating/raw_file.h"
#include "tools/cli/option_checks.h"
#include "tools/render/answer.h"
#include "tools/render/calibration/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace timeless::tools {

namespace {

struct MachineOptions {
  std::string output;
  std::string from;
  MeasuringPlan plan;
  std::size_t processors = 0; ///< 0: all that may be used
  std::vector<double> caches; ///< bytes: first, second, last
  bool force = false;
  bool json = false;
};

Existing existing_files(const MachineOptions& options) {
  return options.force ? Existing::replace : Existing::refuse;
}

std::optional<replay::CacheSizes> given_caches(const MachineOptions& options) {
  if (options.caches.empty()) return std::nullopt;
  if (options.caches.size() != 3 || !std::ranges::is_sorted(options.caches))
    throw Error(Failure::usage, "three sizes are needed, the smallest first", "--caches",
                "write 32KiB,1MiB,32MiB, say");
  return replay::CacheSizes{.first = options.caches[0], .second = options.caches[1], .last = options.caches[2]};
}

std::string raw_file_of(const MachineOptions& options) {
  if (!options.from.empty()) return options.from;
  return std::filesystem::path(options.output).replace_extension(".csv").string();
}

std::string read_raw_text(const std::string& file) {
  constexpr std::size_t most = std::size_t{1} << 30U;
  const std::optional<std::string> text = read_text(file, most);
  if (!text) throw Error(Failure::invalid_input, "cannot read the file", file, "name a readable file");
  if (text->size() > most) throw Error(Failure::invalid_input, "more than a gigabyte: no measurements", file);
  return *text;
}

void run_measurements(const MachineOptions& options, const std::string& raw_file) {
  MeasuringPlan plan = options.plan;
  plan.processors = usable_processors();
  if (options.processors > plan.processors.size())
    throw Error(Failure::usage,
                fmt::format("{} processors, and this process may use {}", options.processors, plan.processors.size()),
                "--processors", "give no more than there are, or leave it out");
  if (options.processors > 0) plan.processors.resize(options.processors);
  plan.raw = raw_file;
  plan.force = options.force;
  measure_machine(plan, [](std::string_view what) { print_notice(std::string(what)); });
}

/// Before anything is measured.
void demand_machine_outputs(const MachineOptions& options, const std::string& raw_file) {
  if (options.output.empty()) throw Error(Failure::usage, "no output is named", "", "give -o machine.json");
  if (std::filesystem::path(options.output).extension() != ".json")
    throw Error(Failure::usage, "what is written is JSON, and its name says so", options.output,
                "give -o machine.json");
  demand_free_output(options.output, existing_files(options));
  if (options.from.empty()) demand_free_output(raw_file, existing_files(options));
  const std::filesystem::path inputs[] = {options.from};
  demand_output_apart(options.output, inputs);
}

int calibrate_machine(const MachineOptions& options) {
  const std::string raw_file = raw_file_of(options);
  demand_machine_outputs(options, raw_file);
  const auto caches = given_caches(options);
  if (options.from.empty()) run_measurements(options, raw_file);
  const MachineRaw raw = read_machine_raw(read_raw_text(raw_file), raw_file);
  if (raw.cut_off) print_warning("the last line of " + raw_file + " was cut off and is left out");
  analysis::MachineFit fit;
  const auto fit_all = [&] { fit = analysis::fit_machine(raw.cases, raw.processors, caches); };
  if (options.from.empty())
    fit_measured(raw_file, fit_all);
  else
    fit_all();
  write_results(raw_file, [&] { write_file(options.output, machine_text(fit, raw), existing_files(options)); });
  print_answer("calibrate-machine", 1, MachineAnswer{fit, raw, raw_file, options.output}, options.json);
  return 0;
}

} // namespace

VerbAction add_calibrate_machine(CLI::App& command) {
  auto options = std::make_shared<MachineOptions>();
  begin_group(command, "Output");
  command
      .add_option("-o,--output", options->output,
                  "The machine file to write, .json; what was measured goes beside it, .csv")
      ->type_name("FILE")
      ->always_capture_default(false);
  begin_group(command, "Measuring");
  CLI::Option* const from = command.add_option("--from", options->from, "Fit these measurements; nothing is measured")
                                ->type_name("RAW")
                                ->always_capture_default(false);
  command
      .add_option("--budget", options->plan.budget,
                  "How long to count and to time: seconds, or as 90s, 2min; what is not reached then is named")
      ->transform(time_with_unit())
      ->check(budget_seconds())
      ->excludes(from);
  command.add_option("--processors", options->processors, "How many processors to measure at once")
      ->check(count_from(1))
      ->default_str("all that may be used")
      ->excludes(from);
  command
      .add_option("--caches", options->caches,
                  "Sizes of the caches of one core and of the one it shares, as 32KiB,1MiB,32MiB")
      ->delimiter(',')
      ->transform(size_in_bytes(true))
      ->default_str("32KiB, and those that explain the times best");
  command.add_option("--seed", options->plan.seed, "Of the order of measurements")->check(any_count())->excludes(from);
  begin_group(command, "Output");
  command.add_flag("--force", options->force, "Replace existing files");
  command.add_flag("--json", options->json, "Print JSON (schema timeless.calibrate-machine/1)");
  command.footer("Example: timeless calibrate machine -o machine.json\n"
                 "         timeless replay run.tia --network e1g --machine machine.json");
  return [options] { return calibrate_machine(*options); };
}

} // namespace timeless::tools
