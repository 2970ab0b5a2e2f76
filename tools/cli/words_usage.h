#pragma once

#include "tools/cli/help_text.h"

#include <CLI/CLI.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace timeless::tools {

/// Shows the words at the end of a command line as they are typed; CLI11 would show how many there may be.
class WordsUsage : public HelpText {
public:
  explicit WordsUsage(std::string words) : words_(std::move(words)) {}
  std::string make_option_usage(const CLI::Option* option) const override {
    const bool words = option->get_items_expected_max() >= CLI::detail::expected_max_vector_size - 1;
    return words ? words_ : HelpText::make_option_usage(option);
  }

private:
  std::string words_;
};

/// Adds a positional argument that takes all words that are left. `usage` is how they stand in the command line's
/// usage.
inline CLI::Option* add_words(CLI::App& command, const std::string& name, std::vector<std::string>& words,
                              const std::string& description, const std::string& usage) {
  constexpr int every_word = CLI::detail::expected_max_vector_size;
  command.formatter(std::make_shared<WordsUsage>(usage));
  return command.add_option(name, words, description)
      ->expected(every_word - 1, every_word)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false)
      ->option_text("...")
      ->always_capture_default(false);
}

/// Adds words likewise, from the first positional one on, where they are another command's: none of them is an option
/// here.
inline CLI::Option* add_command_words(CLI::App& command, const std::string& name, std::vector<std::string>& words,
                                      const std::string& description, const std::string& usage) {
  command.positionals_at_end();
  return add_words(command, name, words, description, usage);
}

} // namespace timeless::tools
