#pragma once

#include "analysis/contention.h"
#include "tools/replaying/listing_options.h"
#include "tools/symbols/kernel_places.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace timeless::tools {

/// Returns what SMPI's replay takes longer than the model; `kernels` are the names that are known.
nlohmann::ordered_json to_json(const analysis::Contention& contention, const symbols::KernelEndsById& kernels);
/// Writes tables, each below an empty line: of the configuration, of kernels and of ranks.
std::string to_text(const analysis::Contention& contention, const std::string& configuration,
                    const symbols::KernelEndsById& kernels, const ListingOptions& options);

} // namespace timeless::tools
