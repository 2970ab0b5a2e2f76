#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace timeless::tools {

/// Begins a heading in the help and the manual page of a command, for the options that it is given from here on.
inline void begin_group(CLI::App& command, const std::string& heading) {
  command.option_defaults()->group(heading);
}

} // namespace timeless::tools
