#pragma once

#include "tools/replaying/answers_report.h"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <string>

namespace timeless::tools {

/// What SMPI's replay takes longer than the model, a table for each configuration and those of kernels and ranks below;
/// empty where nobody compared them.
std::string contention_text(const Prediction& prediction, const AnswerOptions& options);
nlohmann::ordered_json contention_json(const Prediction& prediction, std::size_t configuration,
                                       const AnswerOptions& options);

} // namespace timeless::tools
