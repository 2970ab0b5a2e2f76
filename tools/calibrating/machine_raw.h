#pragma once

#include "analysis/calibration/machine/machine_fit.h"
#include "tools/calibrating/noise.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace timeless::tools {

/// What was measured of a machine, and where.
struct MachineRaw {
  std::map<std::string, std::string> head = {}; ///< "host", "date" and so on
  std::uint32_t processors = 1;
  std::optional<Noise> noise = {}; ///< before anything was measured
  /// Per sweep, in the order of their names and sizes: all that were counted, with no times where none was taken.
  std::vector<analysis::KernelCase> cases = {};
  std::vector<analysis::KernelCase> uncounted = {}; ///< those that were timed and not counted
  std::size_t measurements = 0;
  bool drifts = false; ///< times rose or fell while they were measured
  bool cut_off = false;
  std::vector<std::string> not_reached = {}; ///< what a measurement that was ended early lacks; sentences
};

/// Reads the text of a raw file. A last line that was cut off is left out. Throws Error(invalid_input) naming the line
/// that is wrong, or what is missing; `file` is named in it.
MachineRaw read_machine_raw(std::string_view text, const std::string& file);

} // namespace timeless::tools
