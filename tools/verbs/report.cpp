#include "tools/render/report/report.h"
#include "tools/cli/console.h"
#include "tools/cli/interruption.h"
#include "tools/cli/option_checks.h"
#include "tools/cli/option_groups.h"
#include "tools/cli/page_server.h"
#include "tools/cli/shell_word.h"
#include "tools/cli/text_style.h"
#include "tools/cli/trace_input.h"
#include "tools/machines/preset_machine.h"
#include "tools/replaying/sweep/machine_changes.h"
#include "tools/reporting/report.h"
#include "tools/verbs/verbs.h"

#include "base/error.h"
#include "base/files/new_file.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <memory>
#include <optional>
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
  bool csv = false;
  bool ascii = false;
  bool serve = false;
  std::uint16_t port = 0;
  std::uint64_t max_size = 0; ///< bytes; 0: any
};

/// What says where the answer goes, not what it is.
constexpr std::array output_flags{"--force", "--markdown", "--json", "--csv", "--ascii", "--serve"};
constexpr std::array output_options{"-o", "--output", "--port", "--max-size"};

/// Returns the words of the command that is running, as a person would type it, without what says where its answer
/// goes, and without `--`: further options may be written behind them.
std::vector<std::string> asked_question() {
  std::ifstream words("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> asked{"timeless"};
  std::string word;
  std::getline(words, word, '\0'); // the command, by whatever path
  while (std::getline(words, word, '\0')) {
    if (word == "--") break;
    const bool joined = word.starts_with("-o") && word.size() > 2;
    const std::string option = joined ? "-o" : word.substr(0, word.find('='));
    if (std::ranges::find(output_flags, option) != output_flags.end()) continue;
    if (std::ranges::find(output_options, option) == output_options.end())
      asked.push_back(word);
    else if (option == word) // its value is the next word
      std::getline(words, word, '\0');
  }
  while (std::getline(words, word, '\0')) // behind `--`
    asked.push_back(path_argument(word));
  return asked;
}

/// Where the output is standard output.
bool prints_page(const ReportOptions& options) {
  return options.output == "-";
}

/// Returns the question, with what says where the answer goes.
std::string own_command(const ReportOptions& options) {
  std::string text = shell_line(options.request.question);
  if (!options.output.empty())
    text += " -o " + shell_word(prints_page(options) ? options.output : path_argument(options.output));
  if (options.force) text += " --force";
  if (options.max_size > 0) text += fmt::format(" --max-size {}", options.max_size);
  if (options.json) text += " --json";
  if (options.csv) text += " --csv";
  if (options.markdown) text += " --markdown";
  if (options.serve) text += " --serve";
  return text;
}

void write_page(const ReportOptions& options, const std::string& page) {
  constexpr std::uint64_t much = 2'000'000;
  const std::string size = human_bytes(static_cast<double>(page.size()));
  if (options.max_size > 0 && page.size() > options.max_size)
    throw Error(Failure::runtime,
                fmt::format("the page would have {}, more than --max-size {}", size,
                            human_bytes(static_cast<double>(options.max_size))),
                options.output, "allow more, or give the report fewer machines");
  if (prints_page(options)) {
    fmt::print("{}", page);
    return;
  }
  write_file(options.output, page, options.force ? Existing::replace : Existing::refuse);
  print_notice(fmt::format("wrote {}, {}; open it in a browser", escaped(options.output), size));
  if (page.size() > much)
    print_warning(fmt::format("the page has {}: mail and wikis may refuse it (--max-size makes that an error)", size));
}

int report_traces(ReportOptions& options) {
  options.request.question = asked_question();
  options.request.command = own_command(options);
  demand_different_traces("report", options.request.traces, options.request.from);
  demand_different_runs(options.request.traces, options.request.from);
  take_machines(options.request.machine, options.request.platforms);
  if (prints_page(options) && (options.json || options.csv || options.markdown))
    throw Error(Failure::usage, "standard output takes the page or another answer", "-o -",
                "leave --json, --csv and --markdown out, or name a file");
  if (!options.output.empty() && !prints_page(options)) {
    for (const std::string& trace : options.request.traces)
      demand_output_apart(options.output, trace_files(trace, *open_trace(trace, options.request.from)));
    demand_free_output(options.output, options.force ? Existing::replace : Existing::refuse);
  }
  std::optional<PagePort> port; // before what may take minutes
  if (options.serve) port.emplace(options.port);
  options.request.map = !options.output.empty() || options.serve || options.json || options.csv;
  const Report report = assemble(options.request);
  for (const std::vector<std::string>* warnings : {&report.symbol_notices, &report.warnings})
    for (const std::string& warning : *warnings)
      print_warning(warning);
  if (!options.output.empty()) write_page(options, to_page(report));
  if (options.json)
    print_json("report", 1, to_json(report));
  else if (options.csv)
    fmt::print("{}", to_csv(report));
  else if (options.markdown)
    fmt::print("{}", to_markdown(report));
  else if (options.output.empty() && !options.serve)
    fmt::print("{}", to_text(report, output_style().unicode && !options.ascii));
  int status = exit_ok;
  for (const ReportedTrace& one : report.traces)
    status = std::max(status, warn_of_recorded_part(one.trace, one.incompleteness));
  if (port) {
    std::fflush(stdout);                            // what was asked for beside the page, into a file or a pipe, too
    remove_temporary_files_when_interrupted(false); // which is how it is meant to end: nothing is left undone
    port->serve(to_page(report),
                [](const std::string& address) { print_notice("open " + address + " in a browser; Ctrl-C ends it"); });
  }
  return status;
}

void add_report_machines(CLI::App& command, ReportRequest& request) {
  begin_group(command, "Machine");
  add_network_option(command, request.machine,
                     "Networks by name or file; the report is about the first, and compares the others with it");
  add_platform_option(command, request.platforms);
  add_where_option(command, request.machine);
  command.get_option("--platform")->excludes("--network")->excludes("--where");
  add_placement_options(command, request.machine);
}

void add_report_answers(CLI::App& command, ReportRequest& request) {
  begin_group(command, "Model");
  command.add_flag(
      "--smpi", request.smpi,
      "Simulate the first trace on the first platform, and on the fastest other one, in SMPI, too: what contention "
      "costs, by rank and kernel");
  begin_group(command, "Answers");
  add_worth_options(command, request.threshold, request.machine);
  add_upgrades_option(command, request.upgrades);
  add_symbols_option(command, request.symbols);
  command
      .add_option("--validation", request.validation,
                  "What `timeless validate --json` has written: how far predictions were off")
      ->type_name("FILE")
      ->check(CLI::ExistingFile.description(""));
}

void add_report_outputs(CLI::App& command, ReportOptions& options) {
  begin_group(command, "Output");
  command
      .add_option("-o,--output", options.output,
                  "Write the report as a page: one HTML file that needs nothing beside it; - is standard output")
      ->type_name("FILE")
      ->default_str("none: the essence is printed");
  command.add_flag("--force", options.force, "Replace an existing page");
  command.add_option("--max-size", options.max_size, "Write no page that is larger than this")
      ->transform(size_in_bytes(false))
      ->type_name("SIZE")
      ->default_str("any; above 2 MB there is a warning");
  CLI::Option* serve =
      command.add_flag("--serve", options.serve, "Show the page to browsers on this machine, at a port of 127.0.0.1");
  command.add_option("--port", options.port, "That port")
      ->check(count_between(0, 65535))
      ->needs(serve)
      ->default_str("one that is free");
  command.add_flag("--markdown", options.markdown, "Print the essence as Markdown, for a pull request");
  command.add_flag("--ascii", options.ascii, "Draw with characters of ASCII alone; names stay as they are");
  command.add_flag("--json", options.json, "Print JSON (schema timeless.report/1)")->excludes("--markdown");
  command
      .add_flag("--csv", options.csv,
                "Print the rows of all the page's tables as comma-separated values, each behind "
                "its table's name")
      ->excludes("--json")
      ->excludes("--markdown");
}

} // namespace

VerbAction add_report(CLI::App& command) {
  auto options = std::make_shared<ReportOptions>();
  add_traces_argument(command, options->request.traces, options->request.from);
  add_report_machines(command, options->request);
  add_report_answers(command, options->request);
  add_report_outputs(command, *options);
  command.footer("Example: timeless report run.tia -o report.html\n"
                 "         timeless report run-8.tia run-16.tia run-32.tia --network e10g,e100g -o report.html\n"
                 "         timeless report run.tia --platform graphene --smpi --rates rates.json");
  return [options] { return report_traces(*options); };
}

} // namespace timeless::tools
