#include "tools/verbs/manual_page.h"

#include "tools/calibrating/ping_request.h"
#include "tools/replaying/options/request.h"
#include "tools/verbs/verbs.h"
#include "tools/version.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace timeless::tools {

namespace {

/// CLI11's, of options that were given none.
constexpr const char* unnamed_heading = "Options";

std::string roff(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\\') {
      escaped += "\\e";
    } else if (c == '-') {
      escaped += "\\-";
    } else {
      if ((c == '.' || c == '\'') && (escaped.empty() || escaped.back() == '\n')) escaped += "\\&";
      escaped += c;
    }
  }
  return escaped;
}

std::string option_entry(const CLI::Option& option) {
  const std::string name = option.get_name(option.get_positional(), true);
  std::string entry = ".TP\n.B " + roff(name);
  const std::string type = option.get_type_name();
  if (option.get_type_size() > 0 && !option.get_positional() && !type.empty()) entry += " \\fI" + roff(type) + "\\fR";
  entry += "\n" + roff(option.get_description());
  if (!option.get_default_str().empty() && option.get_type_size() > 0)
    entry += "\n(default: " + roff(option.get_default_str()) + ")";
  return entry + "\n";
}

/// Returns the headings of a command's options, each once; those of no group are not for people.
std::vector<std::string> headings_of(const CLI::App& command) {
  std::vector<std::string> headings;
  for (const CLI::Option* option : command.get_options())
    if (const std::string heading = option->get_positional() ? "" : option->get_group();
        !heading.empty() && std::ranges::find(headings, heading) == headings.end())
      headings.push_back(heading);
  return headings;
}

/// Positionals, then options by heading. After a command's own options come those of its parts, each under its name.
std::string options_of_command(const CLI::App& command) {
  std::string text;
  for (const CLI::Option* option : command.get_options())
    if (option->get_positional() && !option->get_group().empty()) text += option_entry(*option);
  for (const std::string& heading : headings_of(command)) {
    if (heading != unnamed_heading) text += ".SS " + roff(heading) + "\n";
    for (const CLI::Option* option : command.get_options())
      if (!option->get_positional() && option->get_group() == heading) text += option_entry(*option);
  }
  for (const CLI::App* part : command.get_subcommands({}))
    text += fmt::format(".SS {}\n{}.\n{}", roff(part->get_name()), roff(part->get_description()),
                        options_of_command(*part));
  return text;
}

/// Returns the options of a command that `add` gives its options.
template <typename Add>
std::string options_of(Add add) {
  CLI::App app;
  CLI::App* command = app.add_subcommand("command");
  command->option_defaults()->always_capture_default();
  add(*command);
  return options_of_command(*command);
}

std::string options_of_verb(const std::string& verb) {
  ReplayRequest request;
  if (verb == "mpi-replay")
    return options_of([&](CLI::App& command) { add_replay_options(command, request, Processes::several); });
  PingRequest ping;
  if (verb == "mpi-ping") return options_of([&](CLI::App& command) { add_ping_options(command, ping); });
  for (const Verb& one : verbs())
    if (one.name == verb) return options_of([&](CLI::App& command) { (void)one.add(command); });
  throw Error(Failure::usage, "no such verb", verb);
}

std::string verb_list() {
  std::string text;
  for (const Verb& verb : verbs())
    text += fmt::format(".TP\n.BR timeless\\-{} (1)\n{}\n", verb.name, roff(verb.summary));
  return text;
}

void replace(std::string& text, const std::string& mark, const std::string& with) {
  for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + with.size()))
    text.replace(at, mark.size(), with);
}

} // namespace

std::string manual_page(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::ostringstream read;
  read << in.rdbuf();
  if (!in) throw Error(Failure::runtime, "cannot read the template", file.string());
  std::string text = read.str();
  const std::string stem = file.stem().stem().string(); // timeless-VERB
  const std::string_view prefix = "timeless-";
  if (const std::string options = "@OPTIONS@\n"; text.find(options) != std::string::npos)
    replace(text, options, options_of_verb(stem.substr(prefix.size())));
  replace(text, "@VERBS@\n", verb_list());
  replace(text, "@VERSION@", version);
  return text;
}

} // namespace timeless::tools
