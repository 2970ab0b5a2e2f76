#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace timeless::tools {

/// Options that a command is given from here on stand under this heading in its help and its manual page.
inline void begin_group(CLI::App& command, const std::string& heading) {
  command.option_defaults()->group(heading);
}

} // namespace timeless::tools
