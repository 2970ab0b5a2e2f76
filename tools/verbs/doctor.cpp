#include "tools/cli/option_groups.h"
#include "tools/recording/capabilities.h"
#include "tools/render/answer.h"
#include "tools/render/recording/capabilities.h"
#include "tools/verbs/verbs.h"

#include <CLI/CLI.hpp>

#include <memory>
#include <string>

namespace timeless::tools {

namespace {

struct DoctorOptions {
  std::string directory = "timeless-trace";
  bool json = false;
};

int diagnose(const DoctorOptions& options) {
  const Capabilities capabilities = examine(options.directory);
  print_answer("doctor", 1, capabilities, options.json);
  return capabilities.recording_possible ? int{exit_ok} : static_cast<int>(Failure::missing_capability);
}

} // namespace

VerbAction add_doctor(CLI::App& command) {
  auto options = std::make_shared<DoctorOptions>();
  begin_group(command, "What is examined");
  command.add_option("-o,--output", options->directory, "Where a recording would go");
  begin_group(command, "Output");
  command.add_flag("--json", options->json, "Print JSON (schema timeless.doctor/1)");
  command.footer("Example: timeless doctor\n"
                 "Exit status 0 when programs can be recorded here, 5 when not.");
  return [options] { return diagnose(*options); };
}

} // namespace timeless::tools
