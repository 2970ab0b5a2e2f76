#pragma once

#include "analysis/scaling/scaling.h"

#include <string>

namespace timeless::tools {

/// Returns "exact", "approximate" or "none".
const char* kind_name(analysis::LawKind kind);

/// Returns "256", with a size where the runs have several: "256 (n 1e+06)".
std::string place_name(const analysis::ScalePlace& place, const analysis::Scaling& scaling);

/// Returns a kernel's number, with the run that it is of where that is not the one of most ranks: "21", "21 of
/// run-8.tia".
std::string kernel_of_run(const analysis::ScaledKernel& kernel, const analysis::Scaling& scaling);

/// Returns how the rank with most goes on to a target: "falls as 1/P", by the law; where ranks are forecast one by one,
/// "falls about as 1/P^0.9", by what it has in the run of most ranks and there; "follows laws of ranks' positions",
/// where it has nothing in that run; "follows no law of P".
std::string growth_in_words(const analysis::ScaledMetric& metric, const analysis::Scaling& scaling,
                            const analysis::ScalePlace& there);
/// Returns that of the last target.
std::string growth_in_words(const analysis::ScaledMetric& metric, const analysis::Scaling& scaling);

} // namespace timeless::tools
