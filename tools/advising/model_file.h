#pragma once

#include "analysis/advisor/evaluation.h"
#include "analysis/advisor/training.h"

#include <nlohmann/json_fwd.hpp>

#include <filesystem>

namespace timeless::tools {

/// Returns what is kept of a model: the format timeless.advisor/1.
nlohmann::ordered_json to_json(const analysis::TrainedModel& model);

/// Reads a model. Throws Error(invalid_input) that names the place in the file.
analysis::TrainedModel read_advisor_model(const std::filesystem::path& file);

} // namespace timeless::tools
