#pragma once

#include "analysis/scaling/scaling.h"

/// What functions and regions come to, by the kernels that they are made of.
namespace timeless::analysis {

/// Takes for each function of the program, and each region that consists of whole kernels, the sum of its kernels'
/// laws, and of what these come to at the targets: of the mean, and of the rank that has most where one rank has most
/// of each of these kernels. A law that is surer than the sum stays. So does any other where the sum has none, unless
/// what it says of a target contradicts the kernels: then what these come to is taken (ScaledFigure::held).
void take_kernel_sums(Scaling& scaling);

} // namespace timeless::analysis
