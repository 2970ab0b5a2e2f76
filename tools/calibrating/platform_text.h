#pragma once

#include "analysis/calibration/network/network_fit.h"

#include <cstdint>
#include <string>

namespace timeless::tools {

/// What a platform file says that no ping measures.
struct Nodes {
  std::uint32_t nodes = 0;   ///< 0: as many as were measured
  std::uint32_t cores = 0;   ///< of a node; 0: as many as had a rank
  std::string speed = "1Gf"; ///< of a core
};

/// Writes a platform file (docs/platforms.md) of a fit: SMPI's overheads, factors and limits, a cluster on one switch,
/// with what its figures rest on in comments. The same fit gives the same text.
///
/// SMPI sends 16 bytes more than a message has, and looks its factors up with them. Messages that wait for their
/// receives have no overheads there: their factors hold all of their time.
std::string platform_text(const analysis::NetworkFit& fit, const Nodes& nodes);

} // namespace timeless::tools
