#include "tools/verbs/completions.h"

#include "base/error.h"
#include "base/parsing.h"
#include "tools/cli/offered_words.h"
#include "tools/verbs/verbs.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstddef>
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
  OfferedWords offered; ///< none: any value, such as a file
};

/// A verb, or a part of one: "calibrate network".
struct CompletedCommand {
  std::string words;
  std::string description;
  std::vector<CompletedOption> options;
  std::vector<OfferedWords> arguments; ///< of those that are no options, in their order
  std::vector<std::string> parts;
};

CompletedCommand described(CLI::App& command, const std::string& words) {
  CompletedCommand all{.words = words,
                       .description = first_line(command.get_description()),
                       .options = {},
                       .arguments = {},
                       .parts = {}};
  for (CLI::Option* option : command.get_options([](CLI::Option*) { return true; })) {
    if (option->get_positional()) all.arguments.push_back(offered_words(*option));
    if (option->get_positional() || option->get_group().empty()) continue;
    all.options.push_back({.long_names = option->get_lnames(),
                           .short_names = option->get_snames(),
                           .description = first_line(option->get_description()),
                           .takes_value = option->get_type_size() > 0 && option->get_items_expected_max() > 0,
                           .offered = offered_words(*option)});
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
    for (CLI::App* part : command->get_subcommands([](CLI::App*) { return true; }))
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

/// Returns what may stand where a command's next word does, but for arguments.
std::vector<std::string> next_words(const CompletedCommand& command) {
  std::vector<std::string> words = command.parts;
  for (const CompletedOption& option : command.options)
    for (std::string& name : dashed(option))
      words.push_back(std::move(name));
  return words;
}

/// What takes a word as it is, in the function of bash.
std::string bash_assignments(const OfferedWords& offered) {
  std::string text = fmt::format("words='{}'", fmt::join(offered.words, " "));
  if (offered.list) text += " list=yes";
  if (!offered.words.empty() && !offered.files) text += " files=no";
  return text;
}

/// Prints what is known of the options' values and of the commands' arguments.
void print_bash_words(const std::vector<CompletedCommand>& all) {
  fmt::print("# COMMAND OPTION: says what the option's value may be; fails for one that takes none.\n"
             "_timeless_value() {{\n  words= list=no files=yes\n  case \"$1 $2\" in\n");
  for (const CompletedCommand& command : all)
    for (const CompletedOption& option : command.options) {
      if (!option.takes_value) continue;
      std::vector<std::string> patterns;
      for (const std::string& name : dashed(option))
        patterns.push_back(fmt::format("'{} {}'", command.words, name));
      fmt::print("    {}) {} ;;\n", fmt::join(patterns, " | "), bash_assignments(option.offered));
    }
  fmt::print("    *) return 1 ;;\n  esac\n}}\n"
             "# COMMAND PLACE: says likewise what an argument may be, from 1.\n"
             "_timeless_argument() {{\n  words= list=no files=yes\n  case \"$1 $2\" in\n");
  for (const CompletedCommand& command : all)
    for (std::size_t i = 0; i < command.arguments.size(); ++i)
      if (!command.arguments[i].words.empty())
        fmt::print("    '{} {}') {} ;;\n", command.words, i + 1, bash_assignments(command.arguments[i]));
  fmt::print("  esac\n}}\n"
             "# COMMAND: says which options and parts it has.\n"
             "_timeless_options() {{\n  case \"$1\" in\n");
  for (const CompletedCommand& command : all)
    fmt::print("    '{}') words='{}' ;;\n", command.words, fmt::join(next_words(command), " "));
  fmt::print("  esac\n}}\n");
}

void print_bash() {
  const std::vector<CompletedCommand> all = commands();
  fmt::print("# bash completion of timeless, made from its options\n");
  print_bash_words(all);
  std::vector<std::string> names;
  for (const CompletedCommand& command : all)
    if (!command.words.empty()) names.push_back("'" + command.words + "'");
  fmt::print(R"(# Offers $words, and says whether files are to be offered where none of them fits.
_timeless_offer() {{
  local begun= word
  [[ $list == yes && $1 == *,* ]] && begun=${{1%,*}},
  for word in $words; do
    [[ $begun$word == "$1"* && ",$begun" != *",$word,"* ]] || continue
    COMPREPLY+=("$begun$word")
    [[ $word != *: ]] || compopt -o nospace 2>/dev/null
  done
  [[ $files == yes ]] || compopt +o default +o bashdefault 2>/dev/null
}}
_timeless() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} command= option= place=1 words list files i word
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; ++i)); do
    word=${{COMP_WORDS[i]}}
    case "${{command:+$command }}$word" in
      --|*' --') return ;;
      {}) command="${{command:+$command }}$word"; continue ;;
    esac
    # bash takes --option=value, and what has a colon, apart.
    if [[ $word == = && -n $option ]]; then continue; fi
    if [[ $word == : ]]; then ((++i)); continue; fi
    if [[ -n $option ]]; then option=; continue; fi
    if [[ $word == -* ]]; then
      if _timeless_value "$command" "$word"; then option=$word; fi
    else
      ((++place))
    fi
  done
  [[ $current != : && ${{COMP_WORDS[COMP_CWORD-1]}} != : ]] || return 0
  [[ $current != = ]] || current=
  if [[ -n $option ]]; then
    _timeless_value "$command" "$option"
  elif [[ $current == -* || -z $command ]]; then
    list=no files=no
    _timeless_options "$command"
  else
    _timeless_options "$command"
    local parts= part
    for part in $words; do [[ $part == -* ]] || parts+=" $part"; done
    _timeless_argument "$command" "$place"
    ((place > 1)) || words+=$parts
  fi
  _timeless_offer "$current"
}}
complete -o bashdefault -o default -F _timeless timeless
)",
             fmt::join(names, "|"));
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

/// What _arguments does for a value.
std::string zsh_action(const OfferedWords& offered) {
  if (offered.words.empty()) return "_files";
  std::string words = fmt::format("{}", fmt::join(offered.words, " "));
  for (std::size_t colon = words.find(':'); colon != std::string::npos; colon = words.find(':', colon + 2))
    words.insert(colon, "\\");
  return fmt::format(" _timeless_offer {} {} {}", offered.list ? "list" : "word", offered.files ? "files" : "alone",
                     words);
}

/// Prints what _arguments takes.
void print_zsh_arguments(const CompletedCommand& command, const char* indent) {
  for (const CompletedOption& option : command.options)
    for (const std::string& name : dashed(option)) {
      const bool joined = option.takes_value && name.starts_with("--");
      fmt::print("{}'*'{}{}{} \\\n", indent, shell_quoted(name + (joined ? "=[" : "[")),
                 shell_quoted(option.description, "[]:\\"),
                 shell_quoted(option.takes_value ? "]:value:" + zsh_action(option.offered) : "]"));
    }
  for (std::size_t i = 0; i < command.arguments.size(); ++i)
    if (!command.arguments[i].words.empty())
      fmt::print("{}{} \\\n", indent,
                 shell_quoted(fmt::format("{}:argument:{}", i + 1, zsh_action(command.arguments[i]))));
}

void print_zsh_verb(const CompletedCommand& command, const std::vector<CompletedCommand>& all) {
  fmt::print("    {})\n", command.words);
  if (command.parts.empty()) {
    fmt::print("      _arguments \\\n");
    print_zsh_arguments(command, "        ");
    fmt::print("        '*:file:_files'\n");
  } else {
    fmt::print("      case $words[2] in\n");
    for (const CompletedCommand& part : all) {
      if (!part.words.starts_with(command.words + " ")) continue;
      fmt::print("      {})\n        shift words; (( CURRENT-- ))\n        _arguments \\\n",
                 part.words.substr(command.words.size() + 1));
      print_zsh_arguments(part, "          ");
      fmt::print("          '*:file:_files' ;;\n");
    }
    fmt::print(
        "      *)\n        parts=({})\n        (( CURRENT == 2 )) && _describe part parts\n        _arguments \\\n",
        fmt::join(command.parts, " "));
    print_zsh_arguments(command, "          ");
    fmt::print("          {} ;;\n      esac\n", command.arguments.empty() ? "" : "'*:file:_files'");
  }
  fmt::print("      ;;\n");
}

void print_zsh() {
  const std::vector<CompletedCommand> all = commands();
  fmt::print("#compdef timeless\n# zsh completion of timeless, made from its options\n"
             "# list|word files|alone WORD...: offers these words\n"
             "_timeless_offer() {{\n"
             "  local how=$1 beside=$2 ret=1\n"
             "  shift 2\n"
             "  local -a whole begun\n"
             "  whole=(${{@:#*:}}) begun=(${{(M)@:#*:}})\n"
             "  if [[ $how == list ]]; then\n"
             "    _sequence -s , compadd - $whole && ret=0\n"
             "  else\n"
             "    compadd -- $whole && ret=0\n"
             "    compadd -S '' -- $begun && ret=0\n"
             "  fi\n"
             "  if [[ $beside == files ]]; then _files && ret=0; fi\n"
             "  return ret\n"
             "}}\n"
             "_timeless() {{\n  local curcontext=\"$curcontext\" state line\n  local -a verbs parts\n  verbs=(\n");
  for (const Verb& verb : verbs())
    fmt::print("    {}\n", shell_quoted(fmt::format("{}:{}", verb.name, verb.summary)));
  fmt::print("  )\n  _arguments -C \\\n");
  print_zsh_arguments(all.front(), "    ");
  fmt::print("    '1:verb:->verb' '*::argument:->rest'\n"
             "  case $state in\n  verb) _describe verb verbs ;;\n  rest)\n    case $words[1] in\n");
  for (const CompletedCommand& command : all)
    if (!command.words.empty() && command.words.find(' ') == std::string::npos) print_zsh_verb(command, all);
  fmt::print("    esac ;;\n  esac\n}}\n_timeless \"$@\"\n");
}

/// What fish is to do for a value: -x where no file fits.
std::string fish_value(const OfferedWords& offered) {
  if (offered.words.empty()) return " -r";
  const std::string words = fmt::format("{}", fmt::join(offered.words, " "));
  return fmt::format(" {} -a '{}'", offered.files ? "-r" : "-x",
                     offered.list ? "(__timeless_list " + words + ")" : words);
}

void print_fish_arguments(const CompletedCommand& command, const std::string& condition) {
  std::string before;
  for (const OfferedWords& argument : command.arguments) {
    if (argument.words.empty()) return;
    const std::string words = fmt::format("{}", fmt::join(argument.words, " "));
    fmt::print("complete -c timeless{} -n {} -a '{}'\n", argument.files ? "" : " -f",
               shell_quoted(condition + before + "; and not __fish_seen_subcommand_from " + words), words);
    before += "; and __fish_seen_subcommand_from " + words;
  }
}

/// Offers a verb's parts right after it, beside files where the verb takes one instead.
void print_fish_parts(const CompletedCommand& command, const std::string& condition) {
  const std::string none = condition + "; and __fish_is_nth_token 2";
  for (const std::string& part : command.parts)
    fmt::print("complete -c timeless{} -n {} -a {}\n", command.arguments.empty() ? " -f" : "", shell_quoted(none),
               part);
}

void print_fish() {
  fmt::print("# fish completion of timeless, made from its options\n"
             "# WORD...: offers what a list may go on with\n"
             "function __timeless_list\n"
             "  set -l begun (commandline -ct | string replace -r '^--[^=]*=' '' | string replace -r '[^,]*$' '')\n"
             "  for word in $argv\n"
             "    string match -q \"*,$word,*\" \",$begun\"; or echo $begun$word\n"
             "  end\n"
             "end\n");
  for (const CompletedCommand& command : commands()) {
    std::string condition = "__fish_use_subcommand";
    const std::size_t blank = command.words.find(' ');
    if (!command.words.empty()) condition = "__fish_seen_subcommand_from " + command.words.substr(0, blank);
    if (blank != std::string::npos) condition += "; and __fish_seen_subcommand_from " + command.words.substr(blank + 1);
    if (command.words.empty())
      for (const Verb& verb : verbs())
        fmt::print("complete -c timeless -f -n {} -a {} -d {}\n", shell_quoted(condition), verb.name,
                   shell_quoted(verb.summary, "\\"));
    if (!command.words.empty()) print_fish_parts(command, condition);
    print_fish_arguments(command, condition);
    if (!command.parts.empty()) // which have options of their own
      condition += fmt::format("; and not __fish_seen_subcommand_from {}", fmt::join(command.parts, " "));
    for (const CompletedOption& option : command.options) {
      std::string names;
      for (const std::string& name : option.long_names)
        names += " -l " + name;
      for (const std::string& name : option.short_names)
        names += " -s " + name;
      fmt::print("complete -c timeless -n {}{}{} -d {}\n", shell_quoted(condition), names,
                 option.takes_value ? fish_value(option.offered) : "", shell_quoted(option.description, "\\"));
    }
  }
}

} // namespace

void print_completions(std::string_view shell) {
  if (shell == "bash")
    print_bash();
  else if (shell == "zsh")
    print_zsh();
  else if (shell == "fish")
    print_fish();
  else
    throw Error(Failure::usage, "expected bash, zsh or fish");
}

} // namespace timeless::tools
