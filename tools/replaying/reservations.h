#pragma once

#include "analysis/trust.h"

#include <filesystem>
#include <string>
#include <vector>

namespace timeless::tools {

/// What a file that was measured says against its own figures.
struct Reservations {
  /// Begin with the file's name: that the host was too noisy, what no replay has, and what was not reached.
  std::vector<std::string> sentences;
  bool noisy = false; ///< the host was, too much
  /// How long messages that pass each other take at most, over what is predicted: both directions together had less
  /// than two of them have.
  double passing = 1;
};

/// Returns those of networks, rates and machines (JSON) and of platforms (the comment at their head); none of other
/// files, nor of one that cannot be read.
Reservations reservations(const std::filesystem::path& file);

/// Returns where a machine's figures come from, with what the file that they were measured into says against them;
/// `file` is empty where there is none.
analysis::FiguresOf machine_figures(const std::string& machine, const std::string& trust,
                                    const std::filesystem::path& file);

} // namespace timeless::tools
