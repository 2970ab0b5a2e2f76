#pragma once

#include "analysis/scaling/scaling.h"

/// What functions and regions come to, by the kernels that they are made of.
namespace timeless::analysis {

/// Takes for each function of the program, and each region that consists of whole kernels, what its kernels come to at
/// the targets: for the mean their sum, and for the rank that has most, too, where one rank has most of each of them;
/// else that has no less than the mean and than each kernel on the rank with most of it, and no more than these
/// together, and is as far between the two as in the run of most ranks unless its own law says a value between them.
/// A law of its own stays that is sure and does not contradict that, and where a kernel has no law, one that is not
/// below the other kernels. Where formulas add up, the sum has one; where not, see ScaledFigure::held.
void take_kernel_sums(Scaling& scaling);

} // namespace timeless::analysis
