#pragma once

#include "analysis/advisor/evaluation.h"
#include "analysis/advisor/training.h"

#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <optional>
#include <string_view>

namespace timeless::tools {

/// Returns what a label is called in files and options.
const char* label_word(analysis::AdvisorLabel label);
/// Returns the label that is called so, if any.
std::optional<analysis::AdvisorLabel> label_called(std::string_view word);

/// Returns what is kept of a model: the format timeless.advisor/1.
nlohmann::ordered_json to_json(const analysis::TrainedModel& model);

/// Reads a model. Throws Error(invalid_input) that names the place in the file.
analysis::TrainedModel read_advisor_model(const std::filesystem::path& file);

} // namespace timeless::tools
