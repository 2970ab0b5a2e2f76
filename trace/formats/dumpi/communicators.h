#pragma once

#include "trace/formats/dumpi/local_objects.h"
#include "trace/model/run.h"

#include <string>
#include <vector>

namespace timeless::trace::formats::dumpi {

/// All communicators of a run.
struct Communicators {
  std::vector<Communicator> all;
  /// By rank and ordinal; no_communicator where it could not be found out.
  std::vector<std::vector<CommunicatorId>> of_rank;
  std::vector<std::string> problems; ///< what did not fit together
};

/// Finds out which ranks' communicators are one: by the order of the calls that make them on their parent, in which
/// its members agree. `creations` are by rank, in the order of the calls; `uses_self` by rank.
Communicators resolve(const std::vector<std::vector<Creation>>& creations, const std::vector<bool>& uses_self);

} // namespace timeless::trace::formats::dumpi
