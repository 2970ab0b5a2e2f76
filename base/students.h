#pragma once

#include <cstdint>

namespace timeless {

/// What of Student's distribution is above a quantile.
enum class StudentsTail { twentieth, fortieth };

/// Returns the quantile of Student's distribution with so many degrees of freedom, one or more, above which the tail
/// is: to four digits, as tables have it.
double students_quantile(StudentsTail above, std::uint64_t degrees);

/// Returns that of the normal distribution, which Student's comes to with many degrees.
double normal_quantile(StudentsTail above);

} // namespace timeless
