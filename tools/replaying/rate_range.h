#pragma once

#include "analysis/advice.h"
#include "tools/machines/preset_machine.h"

#include <optional>
#include <string>

namespace timeless::tools {

/// How far the rate of computation that a prediction takes may be off.
struct RateRange {
  /// "assumed" (by nobody's measurement), "given" (one number, for all kernels alike), "machine" (from what kernels
  /// do), "borrowed" (in part, or whole, by measurements of other kernels), "launches" (the program's own
  /// measurements); empty: there is one rate, as where times were recorded.
  std::string from;
  analysis::SpeedRange speeds;   ///< relative to the rate that is taken
  double borrowed = 0;           ///< share of the volume whose rate was measured of other kernels
  bool by_micro_kernels = false; ///< of a machine whose file says how far off its micro-kernels are

  /// Returns a factor of the time that computation takes.
  double fastest() const { return 1 / speeds.fastest; }
  double slowest() const { return 1 / speeds.slowest; }
};

/// Returns the range of rates to be expected: where the program's kernels have not been measured, from half to twice
/// the rate that is taken (PresetMachineOptions::rate_within says otherwise), since programs on one core differ by as
/// much (assumed_instruction_rate). Where a machine file gives the rates: what half of its micro-kernels lie within,
/// each predicted from the others, if the file says how far off they are and rate_within is as it comes.
RateRange rate_range(const PresetMachineOptions& machine, const ComputeBasis& compute);

/// Returns the factor within which half of the changes lie that a machine file's costs predict from one size of a
/// micro-kernel to another, each from the other micro-kernels; nothing where the file does not say.
std::optional<double> misjudged_working_sets(const std::string& file);

/// Returns what the interval of a prediction is by.
std::string interval_words(const PresetMachineOptions& machine, const RateRange& range);

/// Returns "the assumed rate, from half to twice of it".
std::string range_words(const RateRange& range);

} // namespace timeless::tools
