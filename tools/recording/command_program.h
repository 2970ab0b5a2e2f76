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

/// Returns in one line why the preloaded library could not record this program's MPI, whatever starts it; nothing where
/// it could.
std::string why_not_recordable(const CommandsProgram& program);

} // namespace timeless::tools
