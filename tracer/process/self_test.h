#pragma once

namespace timeless::tracer {

/// Returns true where `timeless doctor` runs the program, to see how far recording comes: it ends once it has come
/// through MPI_Init.
bool in_self_test() noexcept;

} // namespace timeless::tracer
