#include "tools/cli/option_checks.h"
#include "tools/cli/option_groups.h"
#include "tools/cli/shell_word.h"
#include "tools/cli/words_usage.h"
#include "tools/recording/capabilities.h"
#include "tools/recording/launch_test.h"
#include "tools/render/answer.h"
#include "tools/render/recording/capabilities.h"
#include "tools/verbs/verbs.h"

#include <CLI/CLI.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace timeless::tools {

namespace {

struct DoctorOptions {
  std::string directory = "timeless-trace";
  double timeout = 120; ///< seconds
  bool json = false;
  std::vector<std::string> command;
};

int diagnose(const DoctorOptions& options) {
  Capabilities capabilities = examine(options.directory, options.command);
  if (!options.command.empty() && capabilities.recording_possible) {
    const auto limit = std::chrono::ceil<std::chrono::milliseconds>(std::chrono::duration<double>(options.timeout));
    for (Check& check : test_launch(options.command, options.directory, limit)) {
      if (check.health == Health::missing) capabilities.recording_possible = false;
      capabilities.checks.push_back(std::move(check));
    }
    for (const std::string& word : options.command)
      capabilities.command += (capabilities.command.empty() ? "" : " ") + shell_word(word);
  }
  print_answer("doctor", 1, capabilities, options.json);
  return capabilities.recording_possible ? int{exit_ok} : static_cast<int>(Failure::missing_capability);
}

} // namespace

VerbAction add_doctor(CLI::App& command) {
  auto options = std::make_shared<DoctorOptions>();
  begin_group(command, "What is examined");
  command.add_option("-o,--output", options->directory, "Where a recording would go");
  command
      .add_option("--timeout", options->timeout,
                  "How long the command may take to come through MPI_Init: seconds, or as 90s, 2min")
      ->transform(time_with_unit())
      ->check(budget_seconds());
  begin_group(command, "Output");
  command.add_flag("--json", options->json, "Print JSON (schema timeless.doctor/1)");
  add_command_words(command, "command", options->command,
                    "A command to try: run as timeless record would, but its program ends at MPI_Init",
                    "[--] [command...]");
  command.footer("Example: timeless doctor -- mpirun -np 2 ./program\n"
                 "Exit status 0 when programs can be recorded here, 5 when not.");
  return [options] { return diagnose(*options); };
}

} // namespace timeless::tools
