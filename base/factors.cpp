#include "base/factors.h"

#include <array>
#include <cstdio>

namespace timeless {

namespace {

std::string six_digits(char sign, double number) {
  std::array<char, 32> text{};
  const int length = std::snprintf(text.data(), text.size(), "%c%.6g", sign, number);
  return {text.data(), static_cast<std::size_t>(length)};
}

} // namespace

std::string factor_words(double factor) {
  std::string times = six_digits('x', factor);
  if (factor >= 1) return times;
  std::string over = six_digits('/', 1 / factor);
  return over.size() <= times.size() ? over : times;
}

} // namespace timeless
