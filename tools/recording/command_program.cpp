#include "tools/recording/command_program.h"

#include "base/files/temporary_file.h"
#include "base/processes/command.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace timeless::tools {

namespace {

/// What starts the program that its own words name.
bool starts_another(const std::string& path) {
  static constexpr std::array<std::string_view, 20> names = {
      "env",    "timeout", "taskset",   "nice",        "flux",   "numactl", "chrt",   "stdbuf", "setsid", "nohup",
      "ionice", "time",    "apptainer", "singularity", "podman", "docker",  "ch-run", "sh",     "bash",   "dash"};
  return starts_ranks(path) || std::ranges::find(names, file_name(path)) != names.end();
}

/// Returns how many words behind this one are its values, which may name files: Hydra's variables of the environment.
std::size_t values_of(std::string_view word) {
  return word == "-genv" || word == "-env" || word == "--genv" || word == "--env" ? 2 : 0;
}

} // namespace

std::optional<CommandsProgram> program_of(const std::vector<std::string>& command) {
  std::size_t values = 0;
  for (const std::string& word : command) {
    if (values > 0) {
      --values;
      continue;
    }
    values = values_of(word);
    const std::string path = found_command(word);
    if (path.empty() || starts_another(path)) continue;
    ProgramFile file = inspect_program(path);
    if (file.kind == ProgramKind::static_program || file.kind == ProgramKind::dynamic_program)
      return CommandsProgram{path, std::move(file)};
  }
  return std::nullopt;
}

std::optional<RecordingObstacle> recording_obstacle(const CommandsProgram& program) {
  const ProgramFile& file = program.file;
  if (file.set_user_id)
    return RecordingObstacle{program.path + " is set-uid or set-gid, so that nothing can be preloaded into it",
                             "run a copy without that bit"};
  if (file.kind == ProgramKind::static_program)
    return RecordingObstacle{program.path + " is statically linked, so that nothing can be preloaded into it",
                             "link it with the shared MPI library"};
  if (mpi_library_of(file) != MpiLibrary::none) return {};
  if (file.holds_mpi)
    return RecordingObstacle{program.path + " has an MPI library within itself (linked statically), whose calls "
                                            "nothing outside sees",
                             "link it with the shared one"};
  if (file.calls_mpi)
    return RecordingObstacle{.what = program.path + " calls MPI, but names no shared library of an MPI that can be "
                                                    "recorded (Open MPI, MPICH and its relatives, MPI 5's standard)",
                             .remedy = "link it with one of these",
                             .certain = false};
  return RecordingObstacle{.what = program.path + " names no shared MPI library",
                           .remedy = "is it an MPI program, and not linked with a static one?",
                           .certain = false};
}

} // namespace timeless::tools
