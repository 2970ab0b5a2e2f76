#pragma once

#include "analysis/critical_path.h"
#include "tools/replaying/listing_options.h"
#include "tools/symbols/kernel_places.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace timeless::tools {

/// Returns a critical path with its sums and pieces; `kernels` are the names that are known.
nlohmann::ordered_json to_json(const analysis::CriticalPath& path, const symbols::KernelEndsById& kernels);
/// Writes tables, each below an empty line; `configuration` is the one whose path it is.
std::string to_text(const analysis::CriticalPath& path, const std::string& configuration,
                    const symbols::KernelEndsById& kernels, const ListingOptions& options);

} // namespace timeless::tools
