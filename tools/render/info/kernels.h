#pragma once

#include "tools/symbols/kernel_listing.h"
#include "trace/model/run.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace timeless::tools {

/// Returns a list: of each kernel its figures, and where it begins and ends. `run` is the listing's.
nlohmann::ordered_json to_json(const symbols::KernelListing& listing, const trace::Run& run);
/// Returns a line of figures for each kernel, and below it where it begins and where it ends.
std::string to_text(const symbols::KernelListing& listing, const trace::Run& run);

} // namespace timeless::tools
