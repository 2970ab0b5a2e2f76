#pragma once

#include "trace/model/ids.h"

#include <span>
#include <string>
#include <vector>

namespace timeless::analysis {

/// A program as it is named where it was run.
struct NamedProgram {
  std::string name; ///< of its file, without directories
  trace::Rank ranks = 0;
};

/// Returns how programs are called beside each other. An executable that is built for a number of ranks has that in its
/// name, as NPB's ft.S.8 and ft.S.16: these are both called ft.S. The name loses its number only where two of the names
/// that are given are then alike. What differs in more, as in its class, stays another program.
std::vector<std::string> program_names(std::span<const NamedProgram> programs);

} // namespace timeless::analysis
