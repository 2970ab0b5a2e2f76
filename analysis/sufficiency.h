#pragma once

#include "replay/result/result.h"
#include "trace/model/run.h"

#include <span>
#include <string>

/// Whether enough of a run was recorded to say what would help it.
namespace timeless::analysis {

/// A rank whose recording stopped early must hold this share of the actions of a rank that did not: with less, what
/// was recorded is little more than how the program starts.
inline constexpr double least_recorded_share = 0.1;

/// Returns why a run holds too little to advise on: "not enough was recorded to advise: rank 1 stopped after 0 of about
/// 412 actions"; empty where it holds enough. It does where every rank is there and each has finalized, or holds
/// `least_recorded_share` of the median of the ranks that have (of the rank that holds most, where none has), and at
/// least one action. Reads no actions.
std::string too_little_to_advise(const trace::Run& run);

/// Returns the same, or, of a run that takes no time, that there is nothing to judge by. `makespan` is the longest that
/// was predicted for it, in seconds; infinity where it does not end.
std::string nothing_to_judge_by(const trace::Run& run, double makespan);
/// Returns the same of a run with these predictions.
std::string nothing_to_judge_by(const trace::Run& run, std::span<const replay::LaneResult> lanes);

} // namespace timeless::analysis
