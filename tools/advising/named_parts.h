#pragma once

#include "analysis/trace/part_source.h"

#include <cstdint>
#include <string>
#include <vector>

namespace timeless::tools {

/// What a run is divided by.
enum class PartsBy : unsigned char { nothing, region, phase, function };

/// A part of a run and what it is called; empty: what lies in no region.
struct NamedPart {
  std::uint32_t number = 0;
  std::string name;
};

/// The parts of a run, and how it is divided into them.
struct NamedParts {
  std::vector<NamedPart> parts;
  analysis::RunDivision division;
  std::vector<std::string> notices; ///< of modules whose functions cannot be named, a sentence each
};

/// Finds the outermost regions, and last what lies in none. `trace` names the run in messages. Throws
/// Error(invalid_input) for a run without regions.
NamedParts parts_by_region(const trace::Source& source, const std::string& trace);

/// Finds at most eight phases, from one collective of all ranks to another. Throws Error(invalid_input) for a run that
/// no such collective divides.
NamedParts parts_by_phase(const trace::Source& source, const std::string& trace);

/// Finds the functions that make MPI calls, those together that share messages, requests, collectives or windows.
/// `symbols`: directories to look for the program's files in. Throws Error(invalid_input) for a run that does not know
/// where calls were made.
NamedParts parts_by_function(const trace::Source& source, const std::string& trace,
                             const std::vector<std::string>& symbols);

} // namespace timeless::tools
