#pragma once

#include "analysis/comparison.h"
#include "tools/replaying/listing_options.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace timeless::tools {

/// Two results beside each other (schema timeless.compare/1).
struct ComparisonAnswer {
  const analysis::TimedResult& first;
  const analysis::TimedResult& second;
  const analysis::Comparison& comparison;
  ListingOptions listing = {};
};

nlohmann::ordered_json to_json(const ComparisonAnswer& answer);
std::string to_text(const ComparisonAnswer& answer);

} // namespace timeless::tools
