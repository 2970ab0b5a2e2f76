#pragma once

#include "gather/merge.h"

#include <filesystem>
#include <string>

/// What `timeless gather` and `timeless-mpi gather` have in common.
namespace timeless::tools {

/// The archive's name when none is given: DIR.tia, beside the directory.
std::string default_output(const std::filesystem::path& directory);

struct GatherAnswer {
  std::string directory;
  std::string output;
  gather::Merged merged;
  int nodes = 1;
  int steps = 0;       ///< of the tree between the nodes
  bool remove = false; ///< the rank files were to be removed
};

/// Prints what was gathered, as text or JSON (schema timeless.gather/1), with a warning when the run is not whole.
/// Returns the exit code: 0, or 6 when ranks are missing or not finalized.
int print_gathered(const GatherAnswer& answer, bool json);

} // namespace timeless::tools
