#pragma once

#include <string>

namespace timeless {

/// Writes a factor as options take it: 2 is "x2", 0.125 is "/8", 0.75 is "x0.75"; six digits, with the sign that needs
/// fewer of them.
std::string factor_words(double factor);

} // namespace timeless
