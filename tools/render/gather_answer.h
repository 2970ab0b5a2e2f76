#pragma once

#include "gather/merge/merge.h"
#include "gather/tree/arity.h"

#include <CLI/CLI.hpp>

#include <filesystem>
#include <optional>
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
  int steps = 0; ///< of the tree between the nodes
  int arity = 0;
  std::optional<gather::Speeds> measured = {}; ///< where the arity was left to a measurement
  bool remove = false;                         ///< the rank files were to be removed
  double seconds = 0;                          ///< it took
};

/// Adds -k, a number or "auto", for which the option stays empty.
void add_arity_option(CLI::App& command, std::optional<int>& arity, const std::string& description);

/// Prints what was gathered, as text or JSON (schema timeless.gather/1), with a warning when the run is not whole.
/// Returns the exit code: 0, or 6 when ranks are missing or not finalized.
int print_gathered(const GatherAnswer& answer, bool json);

} // namespace timeless::tools
