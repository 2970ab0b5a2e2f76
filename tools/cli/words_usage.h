#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <utility>

namespace timeless::tools {

/// Shows the words at the end of a command line as they are typed; CLI11 would show how many there may be.
class WordsUsage : public CLI::Formatter {
public:
  explicit WordsUsage(std::string words) : words_(std::move(words)) {}
  std::string make_option_usage(const CLI::Option* /*option*/) const override { return words_; }

private:
  std::string words_;
};

} // namespace timeless::tools
