#pragma once

#include "tools/recording/program_file.h"

#include <optional>
#include <string>
#include <vector>

/// Which program a command starts, and whether it can be recorded.
namespace timeless::tools {

/// The program of a command.
struct CommandsProgram {
  std::string path;
  ProgramFile file;
};

/// Finds the program among the words of a command, behind launchers, shells, containers and scripts, as far as words
/// say: the first that is a program of its own.
std::optional<CommandsProgram> program_of(const std::vector<std::string>& command);

/// Why a program cannot be recorded.
struct RecordingObstacle {
  std::string what;
  std::string remedy;  ///< what to do, or what to ask
  bool certain = true; ///< whatever starts it
};

/// Returns why the preloaded library could not record this program's MPI; nothing where it could.
std::optional<RecordingObstacle> recording_obstacle(const CommandsProgram& program);

} // namespace timeless::tools
