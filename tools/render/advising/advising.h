#pragma once

#include "tools/advising/advice_request.h"
#include "tools/advising/collecting.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

/// What `timeless advise` and its parts say (schema timeless.advise/1).
namespace timeless::tools {

nlohmann::ordered_json to_json(const AdviceAnswer& answer);
std::string to_text(const AdviceAnswer& answer);

nlohmann::ordered_json to_json(const CollectAnswer& answer);
std::string to_text(const CollectAnswer& answer);

nlohmann::ordered_json to_json(const TrainingAnswer& answer);
std::string to_text(const TrainingAnswer& answer);

nlohmann::ordered_json to_json(const EvaluationAnswer& answer);
std::string to_text(const EvaluationAnswer& answer);

/// The features there are: name, unit and meaning of each.
struct FeaturesAnswer {};

nlohmann::ordered_json to_json(const FeaturesAnswer& answer);
std::string to_text(const FeaturesAnswer& answer);

} // namespace timeless::tools
