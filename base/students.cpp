#include "base/students.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace timeless {

double normal_quantile(StudentsTail above) {
  return above == StudentsTail::twentieth ? 1.644854 : 1.959964;
}

double students_quantile(StudentsTail above, std::uint64_t degrees) {
  constexpr std::array twentieth{6.314, 2.920, 2.353, 2.132, 2.015, 1.943, 1.895, 1.860, 1.833, 1.812};
  constexpr std::array fortieth{12.71, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228};
  const auto& few = above == StudentsTail::twentieth ? twentieth : fortieth;
  if (degrees <= few.size()) return few.at(std::max<std::uint64_t>(degrees, 1) - 1);
  // Cornish and Fisher's expansion, Abramowitz and Stegun 26.7.5: right to 0.1 % from here on.
  const double normal = normal_quantile(above);
  const auto count = static_cast<double>(degrees);
  return normal + (std::pow(normal, 3) + normal) / (4 * count) +
         (5 * std::pow(normal, 5) + 16 * std::pow(normal, 3) + 3 * normal) / (96 * count * count);
}

} // namespace timeless
