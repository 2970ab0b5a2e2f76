#pragma once

#include "tools/cli/console.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

/// Every result of a verb has one to_json() and one to_text(), side by side in one folder below this one: a struct of
/// analysis/, replay/ or tools/ that holds figures and no words becomes JSON in the one and lines for a terminal in the
/// other. Both draw on the same fields, so that no figure is computed twice.
namespace timeless::tools {

/// Prints a verb's answer: as JSON with the schema timeless.<verb>/<version>, or as text.
template <typename Answer>
void print_answer(std::string_view verb, int schema_version, const Answer& answer, bool json) {
  if (json)
    print_json(verb, schema_version, to_json(answer));
  else
    fmt::print("{}", to_text(answer));
}

} // namespace timeless::tools
