#pragma once

#include "tools/replaying/listing_options.h"
#include "tools/replaying/prediction.h"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <string>

namespace timeless::tools {

/// Returns a configuration's time by call or by kernel, the mean over the ranks.
nlohmann::ordered_json division_json(const Prediction& prediction, std::size_t lane);
/// Returns the same of one rank.
nlohmann::ordered_json division_json(const Prediction& prediction, std::size_t lane, trace::Rank rank);
/// Writes tables, each below an empty line; empty where nobody divided the time.
std::string division_text(const Prediction& prediction, const ListingOptions& options);

} // namespace timeless::tools
