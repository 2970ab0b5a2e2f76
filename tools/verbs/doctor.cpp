#include "tools/cli/console.h"
#include "tools/recording/capabilities.h"
#include "tools/verbs/verbs.h"

#include <fmt/format.h>

#include <memory>
#include <string>

namespace timeless::tools {

namespace {

struct DoctorOptions {
  std::string directory = "timeless-trace";
  bool json = false;
};

void print_text(const Capabilities& capabilities) {
  for (const Check& check : capabilities.checks) {
    print_line("{:<8} {:<20} {}", name(check.health), check.subject, check.found);
    if (!check.remedy.empty()) print_line("{:<29} -> {}", "", check.remedy);
  }
  fmt::print("\n");
  print_line("{}", capabilities.recording_possible
                       ? "Recording works here. Next: timeless record -- mpirun -np 4 ./program"
                       : "Recording does not work here; what is missing above says why.");
}

void print_answer(const Capabilities& capabilities) {
  nlohmann::ordered_json checks = nlohmann::ordered_json::array();
  for (const Check& check : capabilities.checks)
    checks.push_back(
        {{"subject", check.subject}, {"health", name(check.health)}, {"found", check.found}, {"remedy", check.remedy}});
  print_json("doctor", 1, {{"recording_possible", capabilities.recording_possible}, {"checks", checks}});
}

int diagnose(const DoctorOptions& options) {
  const Capabilities capabilities = examine(options.directory);
  if (options.json)
    print_answer(capabilities);
  else
    print_text(capabilities);
  return capabilities.recording_possible ? int{exit_ok} : static_cast<int>(Failure::missing_capability);
}

} // namespace

VerbAction add_doctor(CLI::App& command) {
  auto options = std::make_shared<DoctorOptions>();
  command.add_option("-o,--output", options->directory, "Where a recording would go");
  command.add_flag("--json", options->json, "Print JSON (schema timeless.doctor/1)");
  command.footer("Example: timeless doctor\n"
                 "Exit status 0 when programs can be recorded here, 5 when not.");
  return [options] { return diagnose(*options); };
}

} // namespace timeless::tools
