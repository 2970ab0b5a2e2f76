#include "tools/render/report/report.h"
#include "tools/cli/console.h"
#include "tools/cli/option_checks.h"
#include "tools/cli/page_server.h"
#include "tools/cli/shell_word.h"
#include "tools/cli/text_style.h"
#include "tools/cli/trace_input.h"
#include "tools/machines/preset_machine.h"
#include "tools/reporting/report.h"
#include "tools/verbs/verbs.h"

#include "base/files/new_file.h"

#include <fmt/format.h>

#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

namespace timeless::tools {

namespace {

struct ReportOptions {
  ReportRequest request;
  std::string output;
  bool force = false;
  bool markdown = false;
  bool json = false;
  bool ascii = false;
  bool serve = false;
  std::uint16_t port = 0;
};

/// The command that is running, as a person would type it.
std::string own_command() {
  std::ifstream words("/proc/self/cmdline", std::ios::binary);
  std::string text;
  for (std::string word; std::getline(words, word, '\0');)
    text += text.empty() ? "timeless" : " " + shell_word(word);
  return text.empty() ? "timeless report" : text;
}

int report_traces(ReportOptions& options) {
  options.request.command = own_command();
  demand_different_traces("report", options.request.traces, options.request.from);
  if (!options.output.empty()) {
    for (const std::string& trace : options.request.traces)
      demand_output_apart(options.output, trace_files(trace, *open_trace(trace, options.request.from)));
    demand_free_output(options.output, options.force ? Existing::replace : Existing::refuse);
  }
  const Report report = assemble(options.request);
  for (const std::string& notice : report.symbol_notices)
    print_warning(notice);
  if (!options.output.empty()) {
    const std::string page = to_page(report);
    write_file(options.output, page, options.force ? Existing::replace : Existing::refuse);
    print_notice(fmt::format("wrote {}, {}; open it in a browser", escaped(options.output),
                             human_bytes(static_cast<double>(page.size()))));
  }
  if (options.json)
    print_json("report", 1, to_json(report));
  else if (options.markdown)
    fmt::print("{}", to_markdown(report));
  else if (options.output.empty() && !options.serve)
    fmt::print("{}", to_text(report, output_style().unicode && !options.ascii));
  const std::string lack = incompleteness(report.run());
  if (!lack.empty()) print_warning("the trace is incomplete: " + lack + "; the report is about what it holds");
  if (options.serve)
    serve_page(to_page(report), options.port,
               [](const std::string& address) { print_notice("open " + address + " in a browser; Ctrl-C ends it"); });
  return lack.empty() ? static_cast<int>(exit_ok) : static_cast<int>(Failure::partial);
}

} // namespace

VerbAction add_report(CLI::App& command) {
  auto options = std::make_shared<ReportOptions>();
  ReportRequest& request = options->request;
  add_traces_argument(command, request.traces, request.from);
  command
      .add_option("-o,--output", options->output,
                  "Write the report as a page: one HTML file that needs nothing beside it")
      ->type_name("FILE")
      ->default_str("none: the essence is printed");
  command.add_flag("--force", options->force, "Replace an existing page");
  CLI::Option* networks =
      command
          .add_option("--network", request.machine.networks,
                      "Networks by name or file; the report is about the first, and compares the others with it")
          ->delimiter(',')
          ->allow_extra_args(false)
          ->default_str("e10g,e100g,qdr,e1g");
  add_platform_option(command, request.platforms);
  command.get_option("--platform")->excludes(networks);
  add_placement_options(command, request.machine);
  command.add_option("--worth", request.threshold, "The least saving that is worth having, such as 5%")
      ->transform(share())
      ->type_name("SHARE")
      ->default_str("5%");
  command.add_flag("--smpi", request.smpi,
                   "Simulate the first platform in SMPI, too: what contention costs, by rank and kernel");
  command
      .add_option("--validation", request.validation,
                  "What `timeless validate --json` has written: how far predictions were off")
      ->type_name("FILE")
      ->check(CLI::ExistingFile);
  command
      .add_option("--symbols", request.symbols,
                  "A directory to look for the program, its libraries and their debug files in, if they are not where "
                  "they were recorded; may be repeated")
      ->type_name("DIR")
      ->allow_extra_args(false)
      ->check(CLI::ExistingDirectory);
  CLI::Option* serve =
      command.add_flag("--serve", options->serve, "Show the page to browsers on this machine, at a port of 127.0.0.1");
  command.add_option("--port", options->port, "That port")->needs(serve)->default_str("one that is free");
  command.add_flag("--markdown", options->markdown, "Print the essence as Markdown, for a pull request");
  command.add_flag("--ascii", options->ascii, "Draw with characters of ASCII alone");
  command.add_flag("--json", options->json, "Print JSON (schema timeless.report/1)")->excludes("--markdown");
  command.footer("Example: timeless report run.tia -o report.html\n"
                 "         timeless report run-8.tia run-16.tia run-32.tia --network e10g,e100g -o report.html\n"
                 "         timeless report run.tia --platform graphene --smpi --rates rates.json");
  return [options] { return report_traces(*options); };
}

} // namespace timeless::tools
