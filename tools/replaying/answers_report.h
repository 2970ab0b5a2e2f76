#pragma once

#include "tools/replaying/prediction.h"
#include "tools/symbols/kernel_places.h"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <map>
#include <string>

/// What a prediction says beyond times: for people, and for programs.
namespace timeless::tools {

using symbols::KernelEnds;

struct AnswerOptions {
  bool per_rank = false;
  std::size_t top = 10; ///< parts listed of a division; 0: all
  symbols::KernelEndsById kernels;
};

/// Tables below the one of times; each begins with an empty line.
std::string efficiencies_text(const replay::Result& result);
std::string sensitivities_text(const replay::Result& result);
std::string tolerances_text(const Prediction& prediction);
std::string division_text(const Prediction& prediction, const AnswerOptions& options);
std::string critical_path_text(const Prediction& prediction, const AnswerOptions& options);

/// Adds "from" and "to", null where they are not known.
void add_ends(nlohmann::ordered_json& json, const KernelEnds& ends);
nlohmann::ordered_json critical_path_json(const CriticalPath& path, const AnswerOptions& options);
nlohmann::ordered_json efficiencies_json(const replay::LaneResult& lane);
nlohmann::ordered_json sensitivity_json(const replay::LaneResult& lane);
nlohmann::ordered_json tolerance_json(const LaneTolerance& tolerance);
/// The division of the mean over ranks; "by_call" or "by_kernel" is the caller's word.
nlohmann::ordered_json division_json(const replay::Result& result, std::size_t lane, const AnswerOptions& options);
/// The same of one rank.
nlohmann::ordered_json division_json(const replay::Result& result, std::size_t lane, trace::Rank rank,
                                     const AnswerOptions& options);

} // namespace timeless::tools
