#include "tools/render/trace/check.h"
#include "tools/cli/option_checks.h"
#include "tools/cli/option_groups.h"
#include "tools/cli/trace_input.h"
#include "tools/render/answer.h"
#include "tools/replaying/examination.h"
#include "tools/verbs/verbs.h"

#include <CLI/CLI.hpp>

#include <cstddef>
#include <memory>
#include <string>

namespace timeless::tools {

namespace {

using trace::CheckReport;

struct CheckOptions {
  std::string trace;
  TraceFormat from;
  std::size_t lines = 20;
  bool json = false;
};

int exit_code(const CheckReport& report) {
  if (report.inconsistent > 0) return static_cast<int>(Failure::invalid_input);
  if (report.incomplete > 0) return static_cast<int>(Failure::partial);
  return exit_ok;
}

int check_trace(const CheckOptions& options) {
  const auto source = open_trace(options.trace, options.from);
  const CheckReport report = examined(*source);
  print_answer("check", 1, CheckAnswer{options.trace, source->run(), report, options.lines}, options.json);
  return exit_code(report);
}

} // namespace

VerbAction add_check(CLI::App& command) {
  auto options = std::make_shared<CheckOptions>();
  add_trace_argument(command, options->trace, options->from);
  begin_group(command, "Output");
  command.add_option("--lines", options->lines, "Print at most this many findings")->check(count_from(0));
  command.add_flag("--json", options->json, "Print JSON (schema timeless.check/1)");
  command.footer(
      "Exit status: 0 when all is well, 3 when something is inconsistent, 6 when only something is missing.\n"
      "Example: timeless check lu.C.64.tia");
  return [options] { return check_trace(*options); };
}

} // namespace timeless::tools
