// Usage: timeless_completions bash|zsh|fish: prints what the shell needs to complete the command's verbs, options and
// the options' words, all from the verbs themselves.

#include "tools/verbs/verbs.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

namespace timeless::tools {
namespace {

/// An option as shells complete it.
struct CompletedOption {
  std::vector<std::string> long_names;
  std::vector<std::string> short_names;
  std::string description;
  bool takes_value = false;
  std::vector<std::string> words; ///< its value is one of these; empty: anything, such as a file
};

/// A verb, or a part of one: "calibrate network".
struct CompletedCommand {
  std::string words;
  std::string description;
  std::vector<CompletedOption> options;
  std::vector<std::string> parts;
};

/// Returns what stands in braces in the type's name: "TEXT:{model,smpi}".
std::vector<std::string> words_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t begin = type.find('{');
  const std::size_t end = type.find('}');
  if (begin == std::string::npos || end == std::string::npos || end < begin) return {};
  return CLI::detail::split(type.substr(begin + 1, end - begin - 1), ',');
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

CompletedCommand described(const CLI::App& command, const std::string& words) {
  CompletedCommand all{
      .words = words, .description = first_line(command.get_description()), .options = {}, .parts = {}};
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_positional() || option->get_group().empty()) continue;
    all.options.push_back({.long_names = option->get_lnames(),
                           .short_names = option->get_snames(),
                           .description = first_line(option->get_description()),
                           .takes_value = option->get_type_size() > 0 && option->get_items_expected_max() > 0,
                           .words = words_of(*option)});
  }
  for (const CLI::App* part : command.get_subcommands({}))
    all.parts.push_back(part->get_name());
  return all;
}

std::vector<CompletedCommand> commands() {
  CLI::App app("", "timeless");
  app.set_version_flag("--version", "");
  std::vector<CompletedCommand> all;
  for (const Verb& verb : verbs()) {
    CLI::App* command = app.add_subcommand(verb.name, verb.summary);
    (void)verb.add(*command);
    all.push_back(described(*command, verb.name));
    for (const CLI::App* part : command->get_subcommands({}))
      all.push_back(described(*part, fmt::format("{} {}", verb.name, part->get_name())));
  }
  CompletedCommand top = described(app, "");
  all.insert(all.begin(), top);
  return all;
}

std::vector<std::string> dashed(const CompletedOption& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.long_names)
    names.push_back("--" + name);
  for (const std::string& name : option.short_names)
    names.push_back("-" + name);
  return names;
}

/// Returns what may stand where a command's next word does, but for files.
std::vector<std::string> next_words(const CompletedCommand& command) {
  std::vector<std::string> words = command.parts;
  for (const CompletedOption& option : command.options)
    for (std::string& name : dashed(option))
      words.push_back(std::move(name));
  return words;
}

void print_bash() {
  const std::vector<CompletedCommand> all = commands();
  fmt::print("# bash completion of timeless, made from its options\n"
             "_timeless() {{\n"
             "  local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} command= words= i\n"
             "  COMPREPLY=()\n"
             "  for ((i = 1; i < COMP_CWORD; ++i)); do\n"
             "    [[ ${{COMP_WORDS[i]}} == -- ]] && return\n"
             "    case \"${{command:+$command }}${{COMP_WORDS[i]}}\" in\n");
  for (const CompletedCommand& command : all)
    if (!command.words.empty()) fmt::print("      '{0}') command='{0}' ;;\n", command.words);
  fmt::print("    esac\n  done\n  case \"$command $before\" in\n");
  for (const CompletedCommand& command : all)
    for (const CompletedOption& option : command.options) {
      if (!option.takes_value) continue;
      for (const std::string& name : dashed(option))
        if (option.words.empty())
          fmt::print("    '{} {}') return ;;\n", command.words, name);
        else
          fmt::print("    '{} {}') COMPREPLY=($(compgen -W '{}' -- \"$current\")); return ;;\n", command.words, name,
                     fmt::join(option.words, " "));
    }
  fmt::print("  esac\n  case \"$command\" in\n");
  for (const CompletedCommand& command : all) {
    fmt::print("    '{}') words='{}' ;;\n", command.words, fmt::join(next_words(command), " "));
  }
  fmt::print(
      "  esac\n"
      "  # Files where no option is begun.\n"
      "  COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
      "  [[ $current == -* || -z $command ]] || COMPREPLY=($(printf '%s\\n' \"${{COMPREPLY[@]}}\" | grep -v '^-'))\n"
      "}}\n"
      "complete -o bashdefault -o default -F _timeless timeless\n");
}

/// Writes in single quotes, for zsh and fish; `also` are characters with a meaning within.
std::string shell_quoted(std::string_view text, std::string_view also = "") {
  std::string all = "'";
  for (const char c : text) {
    if (c == '\'')
      all += "'\\''";
    else if (also.find(c) != std::string_view::npos)
      all += std::string("\\") + c;
    else
      all += c;
  }
  return all + "'";
}

/// Prints the options of _arguments.
void print_zsh_options(const CompletedCommand& command, const char* indent) {
  for (const CompletedOption& option : command.options)
    for (const std::string& name : dashed(option)) {
      std::string spec =
          name + (option.takes_value && name.starts_with("--") ? "=" : "") + "[" + option.description + "]";
      if (option.takes_value)
        spec += option.words.empty() ? ":value:_files" : fmt::format(":value:({})", fmt::join(option.words, " "));
      const std::size_t bracket = spec.find('[');
      const std::size_t end = spec.rfind(']');
      fmt::print("{}'*'{}{}{} \\\n", indent, shell_quoted(spec.substr(0, bracket + 1)),
                 shell_quoted(spec.substr(bracket + 1, end - bracket - 1), "[]:\\"), shell_quoted(spec.substr(end)));
    }
}

void print_zsh() {
  const std::vector<CompletedCommand> all = commands();
  fmt::print("#compdef timeless\n# zsh completion of timeless, made from its options\n"
             "_timeless() {{\n  local curcontext=\"$curcontext\" state line\n  local -a verbs parts\n  verbs=(\n");
  for (const Verb& verb : verbs())
    fmt::print("    {}\n", shell_quoted(fmt::format("{}:{}", verb.name, verb.summary)));
  fmt::print("  )\n  _arguments -C \\\n");
  print_zsh_options(all.front(), "    ");
  fmt::print("    '1:verb:->verb' '*::argument:->rest'\n"
             "  case $state in\n  verb) _describe verb verbs ;;\n  rest)\n    case $words[1] in\n");
  for (const CompletedCommand& command : all) {
    if (command.words.empty() || command.words.find(' ') != std::string::npos) continue;
    fmt::print("    {})\n", command.words);
    if (command.parts.empty()) {
      fmt::print("      _arguments \\\n");
      print_zsh_options(command, "        ");
      fmt::print("        '*:file:_files'\n");
    } else {
      fmt::print("      case $words[2] in\n");
      for (const CompletedCommand& part : all) {
        if (!part.words.starts_with(command.words + " ")) continue;
        fmt::print("      {})\n        shift words; (( CURRENT-- ))\n        _arguments \\\n",
                   part.words.substr(command.words.size() + 1));
        print_zsh_options(part, "          ");
        fmt::print("          '*:file:_files' ;;\n");
      }
      fmt::print("      *) parts=({}); _describe part parts ;;\n      esac\n", fmt::join(command.parts, " "));
    }
    fmt::print("      ;;\n");
  }
  fmt::print("    esac ;;\n  esac\n}}\n_timeless \"$@\"\n");
}

void print_fish() {
  fmt::print("# fish completion of timeless, made from its options\n");
  for (const CompletedCommand& command : commands()) {
    std::string condition = "__fish_use_subcommand";
    const std::size_t blank = command.words.find(' ');
    if (!command.words.empty()) condition = "__fish_seen_subcommand_from " + command.words.substr(0, blank);
    if (blank != std::string::npos) condition += "; and __fish_seen_subcommand_from " + command.words.substr(blank + 1);
    if (command.words.empty())
      for (const Verb& verb : verbs())
        fmt::print("complete -c timeless -f -n {} -a {} -d {}\n", shell_quoted(condition), verb.name,
                   shell_quoted(verb.summary, "\\"));
    if (!command.words.empty())
      for (const std::string& part : command.parts)
        fmt::print("complete -c timeless -n {} -a {}\n", shell_quoted(condition), part);
    for (const CompletedOption& option : command.options) {
      std::string names;
      for (const std::string& name : option.long_names)
        names += " -l " + name;
      for (const std::string& name : option.short_names)
        names += " -s " + name;
      std::string value = option.takes_value ? " -r" : "";
      if (!option.words.empty()) value = fmt::format(" -x -a '{}'", fmt::join(option.words, " "));
      fmt::print("complete -c timeless -n {}{}{} -d {}\n", shell_quoted(condition), names, value,
                 shell_quoted(option.description, "\\"));
    }
  }
}

} // namespace
} // namespace timeless::tools

int main(int argc, char** argv) {
  try {
    const std::string_view shell = argc == 2 ? argv[1] : "";
    if (shell == "bash")
      timeless::tools::print_bash();
    else if (shell == "zsh")
      timeless::tools::print_zsh();
    else if (shell == "fish")
      timeless::tools::print_fish();
    else
      throw timeless::Error(timeless::Failure::usage, "expected bash, zsh or fish");
    return 0;
  } catch (const std::exception& problem) {
    fmt::print(stderr, "timeless_completions: {}\n", problem.what());
    return 1;
  }
}
