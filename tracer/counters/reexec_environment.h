#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

/// The environment of a process that executes itself anew under the icount tool: what Valgrind needs, what tells the
/// process that it now runs there, and how the program gets its own environment back.
namespace timeless::tracer {

/// What a process passes on to itself across the execution.
struct Reexec {
  int process = 0; ///< the process id, which an execution keeps
  std::filesystem::path log;
};

/// Adds to the environment what the tool in this directory needs, and `reexec`. `argv` is the command to be
/// executed, null-terminated; `own_name` is the program's argv[0] where the command has another.
void enter_environment(const Reexec& reexec, const std::filesystem::path& tool_directory, char* const* argv,
                       const std::optional<std::string>& own_name);

/// Takes out of the environment what enter_environment and Valgrind have put there, and puts argv[0] right. Returns what
/// was passed on, or nothing if nothing was.
std::optional<Reexec> leave_environment(char** argv);

} // namespace timeless::tracer
