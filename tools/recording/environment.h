#pragma once

#include "base/processes/command.h"

#include <cstdint>
#include <string>

/// What makes a command record itself, whatever launches what.
namespace timeless::tools {

/// Returns the value of an environment variable; empty where it is not set.
std::string environment(const char* name);

/// What the recording library is told, in the program's environment.
struct RecordingSettings {
  std::string library;      ///< libtimeless.so
  std::string directory;    ///< absolute
  std::uint32_t number = 0; ///< recording/number.h
  std::string counter;
  std::string start = "on";
  std::string buffer_size = {}; ///< nothing: the library's own
  std::string stack = {};       ///< likewise
  bool timestamps = false;      ///< else as TIMELESS_TIMESTAMPS says
  std::string profile = {};     ///< nothing: as TIMELESS_PROFILE says
  std::string self_test = {};   ///< a file: only test how far recording comes (tracer/process/self_test.h)
  std::string launcher = {};    ///< the first word of the command
};

/// Returns the variables to run the command with: those of the library, the preloading, and what makes Open MPI carry
/// them to other hosts. Other launchers (srun, hydra) carry the environment by themselves. Looks at the present
/// environment.
Variables recording_variables(const RecordingSettings& settings);

} // namespace timeless::tools
