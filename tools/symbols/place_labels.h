#pragma once

#include "tools/symbols/symboliser.h"
#include "trace/model/run.h"

#include <string>
#include <vector>

namespace timeless::tools::symbols {

/// Returns where each kernel of a run begins and ends, in words that another build of the same program has too, by
/// KernelId: "conj_grad 2/7..conj_grad 3/7", from the second to the third of the seven places of MPI calls that the run
/// has in conj_grad, by their addresses. Empty where a function is not known, and where several kernels would share the
/// words.
///
/// Two builds differ in offsets, and a line's number says little once a line was added. What both have is the order of
/// the calls in a function, as long as all of them were met in both: that is what the second number is for.
std::vector<std::string> place_labels(const trace::Run& run, Symboliser& symboliser);

} // namespace timeless::tools::symbols
