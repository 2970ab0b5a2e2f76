#pragma once

#include "tools/cli/console.h"
#include "tools/cli/table.h"

#include <CLI/CLI.hpp>

#include <sstream>
#include <string>
#include <utility>

namespace timeless::tools {

/// Formats --help for the columns of a terminal, below their names where there are few. In a pipe each option's text is
/// one line, as CLI11 has it, and commands in examples stay on one line everywhere, to be copied.
class HelpText : public CLI::Formatter {
public:
  std::string make_description(const CLI::App* app) const override {
    return in_lines(CLI::Formatter::make_description(app));
  }

  std::string make_usage(const CLI::App* app, std::string name) const override {
    return in_lines(CLI::Formatter::make_usage(app, std::move(name)));
  }

  std::string make_footer(const CLI::App* app) const override { return in_lines(CLI::Formatter::make_footer(app)); }

  std::string make_subcommand(const CLI::App* app) const override {
    if (!output_columns()) return CLI::Formatter::make_subcommand(app);
    return entry(app->get_display_name(true), app->get_description());
  }

  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    if (!output_columns()) return CLI::Formatter::make_option(option, is_positional);
    return entry(make_option_name(option, is_positional) + make_option_opts(option), make_option_desc(option));
  }

private:
  /// Returns a name and what it means: beside it, or below where that has too little room.
  std::string entry(const std::string& name, const std::string& meaning) const {
    constexpr std::size_t least = 40; // columns for the meaning
    const std::size_t column = get_column_width();
    const bool narrow = text_columns() < column + least;
    if (!narrow && columns_of(name) + 3 <= column) return text_fact(column, "  " + name, "{}", meaning);
    return text_paragraph("  ", name) + (meaning.empty() ? "" : text_fact(narrow ? 4 : column, "", "{}", meaning));
  }

  /// Returns a text whose lines are broken where they are too long, but for indented ones and examples.
  static std::string in_lines(const std::string& text) {
    if (!output_columns()) return text;
    std::string whole;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      const bool command = line.starts_with(' ') || line.starts_with("Example");
      whole += command || line.empty() ? line + "\n" : text_paragraph("", line);
    }
    return whole;
  }
};

} // namespace timeless::tools
