#pragma once

#include <filesystem>
#include <string>
#include <vector>

/// What works on this machine, tried out.
namespace timeless::tools {

/// How well something works here.
enum class Health { ok, warning, missing };
const char* name(Health health);

/// One thing looked at.
struct Check {
  std::string subject; ///< "hardware counters"
  Health health = Health::ok;
  std::string found = {};  ///< what was seen
  std::string remedy = {}; ///< what to do about it; nothing when ok
};

/// What can be recorded here.
struct Capabilities {
  std::vector<Check> checks;
  /// An MPI program can be recorded here with its computation.
  bool recording_possible = false;
  /// The command that was tried, as typed; empty where none was.
  std::string command = {};
};

/// Tries everything recording needs; the trace would go into `directory`, and `command` be recorded, where there is
/// one: its launcher is asked which MPI's it is, or else the mpirun in PATH. Takes a second or two.
Capabilities examine(const std::filesystem::path& directory, const std::vector<std::string>& command);

} // namespace timeless::tools
