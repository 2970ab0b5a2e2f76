#pragma once

#include "analysis/scaling/scaling.h"

/// What functions come to, as the sum of their kernels.
namespace timeless::analysis {

/// Takes for each function of the program the sum of its kernels' laws, and of what these come to at the targets: of
/// the mean, and of the rank that has most where one rank has most of each of these kernels. Where a kernel follows no
/// law, or the function has a law that is surer than the sum, that stays.
void take_kernel_sums(Scaling& scaling);

} // namespace timeless::analysis
