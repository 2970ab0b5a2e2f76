#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace timeless::tools {

/// How much memory a rank of a program takes, and how that is known.
struct RankMemory {
  std::uint64_t bytes = 0;             ///< of the rank that took most
  std::string source = {};             ///< a few words: "measured ...", "recorded in ..."
  std::vector<std::string> notes = {}; ///< what makes it doubtful
};

/// Reads the memory of ranks from an earlier recording of the program: an archive, or a directory of rank files. Throws
/// Error(invalid_input) when that does not say.
RankMemory recorded_memory(const std::filesystem::path& trace, std::uint32_t planned_ranks);

/// What is launched to see how much memory a rank takes.
struct MeasureRequest {
  std::vector<std::string> program; ///< with its arguments
  std::string counter = "auto";     ///< as it will be recorded: icount takes memory of its own
  std::uint32_t ranks = 2;
  std::chrono::milliseconds limit{};
};

/// Records a few ranks of the program here, for nothing but their memory. A program that has not ended within the limit
/// is ended, and what its ranks had until then is taken. Throws Error(runtime) when it fails.
RankMemory measured_memory(const MeasureRequest& request);

} // namespace timeless::tools
