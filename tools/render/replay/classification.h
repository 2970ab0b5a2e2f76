#pragma once

#include "tools/replaying/rate_range.h"
#include "tools/replaying/sweep/class_ranges.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace timeless::tools {

/// What bounds a program on some machines (schema timeless.classify/1).
struct ClassifyAnswer {
  std::string trace;
  std::string program; ///< by analysis::program_names(); the trace's file where no program is known
  const trace::Run& run;
  const PlacedMachines& machines;
  const replay::Result& result; ///< of the configurations of all machines
  const std::vector<ClassifiedMachine>& classified;
  RateRange rates;             ///< that the intervals are of
  bool configurations = false; ///< the text lists them, too
};

/// Returns why a machine has its class, or none.
std::string class_reason(const ClassifiedMachine& answer);

nlohmann::ordered_json to_json(const ClassifyAnswer& answer);
std::string to_text(const ClassifyAnswer& answer);

/// A trace that cannot be classified.
struct RefusedTrace {
  std::string trace;
  std::string because; ///< a sentence
};

/// The same of several programs, or one on several numbers of ranks (schema timeless.classify-traces/1).
struct ClassifyTracesAnswer {
  std::vector<ClassifyAnswer> traces;
  std::vector<RefusedTrace> refused = {};
};

nlohmann::ordered_json to_json(const ClassifyTracesAnswer& answer);
/// Returns a row of comma-separated values for each machine of each trace.
std::string to_csv(const ClassifyTracesAnswer& answer);
/// Writes tables of programs by machines, as Tong et al. have them in table IV, then the reasons.
std::string to_text(const ClassifyTracesAnswer& answer);

} // namespace timeless::tools
