#pragma once

#include "analysis/comparison.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace timeless::tools {

/// Returns a configuration of an answer of `timeless replay --json`: by its name or its number, the first when `wanted`
/// is empty.
///
/// Of a result of several jobs `wanted` is a job, by its trace's file name or its number (1 for the first), alone
/// or with a configuration behind an '@' ("cg.tia@alone", "2@alone"); empty for all jobs as they ran together, whose
/// ranks are those of the first job, then those of the next.
///
/// `file` is for messages. Throws Error(invalid_input) for what is no such result, Error(usage) when it has no such job
/// or configuration, or one that came to no end.
analysis::TimedResult timed_answer(const nlohmann::json& answer, const std::string& wanted, const std::string& file);

} // namespace timeless::tools
