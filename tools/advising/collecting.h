#pragma once

#include "tools/advising/examined_case.h"
#include "tools/replaying/prediction.h"

#include <cstddef>
#include <string>
#include <vector>

namespace timeless::tools {

/// What is collected: every run on every platform, at every speed of computation.
struct CollectRequest {
  std::vector<std::string> traces = {};
  PredictionOptions prediction = {}; ///< its platforms and speeds; the trace is each of `traces`
  bool synthetic = false;            ///< generated programs, which are never tested on
  Simulations simulations = Simulations::shared;
  std::size_t jobs = 1; ///< processes at a time
  std::string output = {};
  bool force = false; ///< begin anew, though the output exists
};

/// A run on a platform that gave no row.
struct RefusedCase {
  std::string trace = {};
  std::string platform = {};
  std::string because = {};
  bool operator==(const RefusedCase&) const = default;
};

/// What was collected.
struct CollectAnswer {
  std::string output = {};
  std::size_t rows = 0;      ///< in the file, now
  std::size_t fresh = 0;     ///< of these, collected now
  std::size_t completed = 0; ///< of these, rows that the file had, to which times of SMPI were added now
  std::size_t kept = 0;      ///< rows of those asked for that the file had, whole
  std::vector<RefusedCase> refused = {};
};

/// Examines each run on each platform at each speed in a process of its own, and writes the rows as they come: what is
/// there when it is interrupted is whole, and a further call goes on from it. Throws Error(usage) without platforms,
/// for a mapping that there is not, and where two traces have one name.
CollectAnswer collect(const CollectRequest& request);

} // namespace timeless::tools
