#pragma once

#include "gather/merge/merge.h"
#include "gather/tree/arity.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <vector>

namespace timeless::tools {

/// What `timeless gather` and `timeless-mpi gather` have made (schema timeless.gather/1).
struct GatherAnswer {
  std::string directory;
  std::string output;
  gather::Merged merged;
  int nodes = 1;
  int steps = 0; ///< of the tree between the nodes
  int arity = 0;
  std::optional<gather::Speeds> measured = {};  ///< where the arity was left to a measurement
  bool remove = false;                          ///< the rank files were to be removed
  double seconds = 0;                           ///< it took
  std::vector<std::string> spawned_worlds = {}; ///< directories of runs of their own
};

nlohmann::ordered_json to_json(const GatherAnswer& answer);
std::string to_text(const GatherAnswer& answer);

} // namespace timeless::tools
