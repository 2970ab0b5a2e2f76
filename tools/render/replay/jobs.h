#pragma once

#include "tools/replaying/listing_options.h"
#include "tools/replaying/smpi/jobs.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace timeless::tools {

/// Several runs at once (schema timeless.replay-jobs/1).
struct JobsAnswer {
  const std::vector<Job>& jobs;
  ListingOptions listing = {};
};

nlohmann::ordered_json to_json(const JobsAnswer& answer);
std::string to_text(const JobsAnswer& answer);

} // namespace timeless::tools
