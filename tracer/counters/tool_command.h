#pragma once

#include <filesystem>
#include <string>
#include <vector>

/// The command that runs a process again under the icount tool.
namespace timeless::tracer {

/// A program as it runs under the Valgrind tool.
struct ToolCommand {
  std::filesystem::path directory; ///< of the tool; what VALGRIND_LIB must name
  std::filesystem::path tool;
  std::vector<std::string> arguments; ///< the tool, its options, the program, the program's arguments
  bool own_name = true;               ///< false when the program had to be given another argv[0] than its own
};

/// Returns the command for this process, started with `argv`. Throws Error(missing_capability) saying why there is
/// none.
ToolCommand tool_command(char* const* argv, const std::filesystem::path& log);

/// Returns the program's options to Valgrind, but for the program itself.
std::vector<std::string> tool_options(const std::filesystem::path& tool, const std::filesystem::path& log);

} // namespace timeless::tracer
