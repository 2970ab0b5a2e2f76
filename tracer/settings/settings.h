#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

namespace timeless::tracer {

/// What the environment asks of the tracer.
struct Settings {
  std::filesystem::path directory;       ///< TIMELESS_DIR, made absolute
  std::string counter;                   ///< TIMELESS_COUNTER
  bool paused = false;                   ///< TIMELESS_START=pcontrol: until MPI_Pcontrol(1)
  std::size_t actions_per_block = 16384; ///< TIMELESS_BUFFER_SIZE
  std::size_t stack_depth = 1;           ///< TIMELESS_STACK: addresses that name a call site
  bool timestamps = false;               ///< TIMELESS_TIMESTAMPS
  std::string profile;                   ///< TIMELESS_PROFILE: events, or nothing
  bool verbose = false;                  ///< TIMELESS_VERBOSE
  /// TIMELESS_RUN: the number of the recording of which this program is part, whose starter says at the end what was
  /// recorded; 0: none.
  std::uint32_t recording = 0;
};

/// Returns TIMELESS_DIR alone.
std::filesystem::path trace_directory();
/// Reads the environment. Throws Error(usage) naming the variable that makes no sense.
Settings read_settings();

} // namespace timeless::tracer
