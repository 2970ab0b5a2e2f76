#include "tools/verbs/command_line.h"

#include "base/escaping.h"
#include "tools/cli/help_text.h"
#include "tools/cli/nearest.h"
#include "tools/cli/trace_input.h"
#include "tools/verbs/verbs.h"
#include "tools/version.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace timeless::tools {

namespace {

/// Returns what was asked for: the verb, or the part of one that has parts.
const CLI::App& chosen_command(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? app : chosen_command(*chosen.front());
}

std::string words(const CLI::App& command) {
  return (command.get_parent() == nullptr ? "" : words(*command.get_parent()) + " ") + command.get_name();
}

std::vector<std::string> names_of_parts(const CLI::App& verb) {
  std::vector<std::string> names;
  for (const CLI::App* part : verb.get_subcommands({}))
    names.push_back(part->get_name());
  return names;
}

/// Returns the first word that a command did not take; empty where there is none.
std::string word_too_many(const CLI::App& command) {
  const std::vector<std::string> unused = command.remaining();
  return unused.empty() ? "" : unused.front();
}

/// Says that a command has no such option, and which it has that is called much like it.
Error unknown_option(const CLI::App& command, const std::string& word) {
  const std::string asked = word.substr(0, word.find('='));
  std::vector<std::string> known;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames())
      known.push_back("--" + name);
  return {Failure::usage, fmt::format("{} has no option {}", words(command), escaped(asked)), "",
          did_you_mean(known, asked) + words(command) + " --help lists them"};
}

/// Returns a message of CLI11's about a value in our words: "Could not convert: --name = value", "name was given a
/// disallowed flag override".
std::string about_value(std::string_view text) {
  constexpr std::string_view begin = "Could not convert: ";
  constexpr std::string_view flag = " was given a disallowed flag override";
  if (text.ends_with(flag)) return fmt::format("--{} takes no value", text.substr(0, text.size() - flag.size()));
  const std::size_t sign = text.find(" = ");
  if (!text.starts_with(begin) || sign == std::string_view::npos) return std::string(text);
  return fmt::format("{}: '{}' is no value for it", text.substr(begin.size(), sign - begin.size()),
                     text.substr(sign + 3));
}

/// Returns CLI11's own messages, in the project's form.
Error usage_error(const CLI::App& app, const CLI::ParseError& problem) {
  const CLI::App& chosen = chosen_command(app);
  const std::string command = words(chosen);
  const bool extras = dynamic_cast<const CLI::ExtrasError*>(&problem) != nullptr;
  const std::string unused = word_too_many(chosen);
  const bool needs_part = &chosen != &app && chosen.get_require_subcommand_min() > 0;
  const bool value = dynamic_cast<const CLI::ValidationError*>(&problem) != nullptr;
  if (const auto parts = names_of_parts(chosen); needs_part && !value && !parts.empty())
    return {Failure::usage, fmt::format("{} needs one of its parts: {}", command, fmt::join(parts, ", ")), "",
            did_you_mean(parts, unused) + "see " + command + " --help"};
  if (&chosen != &app && extras && unused.starts_with("-")) return unknown_option(chosen, unused);
  if (&chosen != &app && extras)
    if (const std::string advice = advice_on_one_trace(chosen); !advice.empty()) {
      const std::string found = unused.empty() ? "" : "'" + escaped(unused) + "' is one word too many; ";
      return {Failure::usage, "more than one trace", "", found + advice + "; see " + command + " --help"};
    }
  if (&chosen != &app && dynamic_cast<const CLI::RequiredError*>(&problem) != nullptr)
    for (const CLI::Option* option : chosen.get_options())
      if (option->get_positional() && option->get_required() && option->count() == 0)
        return {Failure::usage, "no " + option->get_name() + " is given", "",
                option->get_description() + "; see " + command + " --help"};
  return {Failure::usage, about_value(problem.what()), "", "see " + command + " --help"};
}

/// CLI11 would take --json=no for an option that is not given, and --json=3 for one that is.
void refuse_values_of_flags(CLI::App& command) {
  for (CLI::Option* option : command.get_options([](CLI::Option*) { return true; }))
    if (option->get_expected_max() == 0) option->disable_flag_override();
  for (CLI::App* part : command.get_subcommands([](CLI::App*) { return true; }))
    refuse_values_of_flags(*part);
}

/// CLI11 would only say that a subcommand is missing.
void demand_known_verb(int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return;
  const std::string_view asked = argv[1];
  std::vector<std::string> names;
  for (const Verb& verb : verbs())
    names.emplace_back(verb.name);
  if (std::ranges::find(names, asked) == names.end())
    throw Error(Failure::usage, "there is no verb " + in_quotes(asked), "",
                did_you_mean(names, asked) + "timeless --help lists them");
}

} // namespace

int run_command_line(int argc, char** argv) {
  demand_known_verb(argc, argv);
  CLI::App app("Timeless: record what an MPI program does, predict how long it takes anywhere.", "timeless");
  app.set_version_flag("--version", std::string("timeless ") + version);
  app.formatter(std::make_shared<HelpText>());
  app.require_subcommand(1);
  app.footer("timeless VERB --help says more, with an example. Start with: timeless doctor");
  VerbAction action;
  for (const Verb& verb : verbs()) {
    CLI::App* command = app.add_subcommand(verb.name, verb.summary);
    command->option_defaults()->always_capture_default();
    command->callback([&action, perform = verb.add(*command)] { action = perform; });
    refuse_values_of_flags(*command);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked_for_help) {
    return app.exit(asked_for_help);
  } catch (const CLI::ParseError& problem) {
    throw usage_error(app, problem);
  }
  return action();
}

} // namespace timeless::tools
