#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

/// The environment on the way under the icount tool: what Valgrind needs, what tells the process that it has arrived,
/// and how the program gets back the environment that was its own.
namespace timeless::tracer {

/// What a process that arrives knows of its way.
struct Passage {
  int process = 0; ///< the process id, which an execution keeps
  std::filesystem::path log;
};

/// Adds to the environment what the tool in this directory needs, and the passage. `argv` is the command to be
/// executed, null-terminated; `own_name` is the program's argv[0] where the command has another.
void open_passage(const Passage& passage, const std::filesystem::path& tool_directory, char* const* argv,
                  const std::optional<std::string>& own_name);

/// Takes out of the environment what open_passage and Valgrind have put there, and puts argv[0] right; the passage, or
/// nothing if there was none.
std::optional<Passage> close_passage(char** argv);

} // namespace timeless::tracer
