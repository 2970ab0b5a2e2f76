#pragma once

#include "tools/replaying/listing_options.h"
#include "tools/replaying/prediction.h"
#include "trace/model/run.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace timeless::tools {

/// A prediction, and what it was asked of (schema timeless.replay/1).
struct PredictionAnswer {
  const PredictionOptions& asked;
  const trace::Run& run;
  const Prediction& prediction;
  ListingOptions listing = {};
};

nlohmann::ordered_json to_json(const PredictionAnswer& answer);
std::string to_text(const PredictionAnswer& answer);

/// Prints it, with a warning of configurations that end in a deadlock.
void print_prediction(const PredictionAnswer& answer, bool json);

} // namespace timeless::tools
