#pragma once

#include "analysis/trace/measured.h"
#include "analysis/trace/profile.h"
#include "analysis/trace/rank_status.h"
#include "analysis/trace/regions.h"
#include "analysis/trace/traffic.h"
#include "tools/render/info/head.h"
#include "tools/render/info/totals.h"
#include "tools/symbols/kernel_listing.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <vector>

namespace timeless::tools {

/// What a trace holds, as far as it was asked for (schema timeless.info/2).
struct TraceInfo {
  RunHead head;
  std::vector<analysis::RankStatus> not_finalized = {};
  // At most one of these:
  std::optional<symbols::KernelListing> kernels = {};
  std::optional<std::vector<analysis::RegionFigures>> regions = {};
  std::optional<analysis::Profile> profile = {};
  std::optional<analysis::Traffic> traffic = {};
  std::optional<Totals> totals = {};

  std::optional<analysis::Measured> measured = {}; ///< beside the totals, where times were recorded
};

nlohmann::ordered_json to_json(const TraceInfo& info);
std::string to_text(const TraceInfo& info);
/// Returns comma-separated values: the listing as a table, or, where there is none, all there is by its path in the
/// JSON.
std::string to_csv(const TraceInfo& info);

} // namespace timeless::tools
