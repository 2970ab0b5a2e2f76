#pragma once

#include "analysis/trace/archive_parts.h"
#include "analysis/trace/summary.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace timeless::tools {

/// How much a run computes, sends and takes on disk, and its calls.
struct Totals {
  analysis::Summary summary;
  std::uint64_t bytes_on_disk = 0;
  std::optional<analysis::ArchiveParts> parts = {}; ///< of what takes the room, where that is an archive or a recording
};

nlohmann::ordered_json to_json(const Totals& totals);
std::string to_text(const Totals& totals, const trace::Run& run);

} // namespace timeless::tools
