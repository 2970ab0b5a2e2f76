#include "tools/render/machines/compute_basis.h"

#include "tools/cli/console.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace timeless::tools {

namespace {

/// A number from `least` to `most`, of as few digits as do, two at least.
struct RoundedNumber {
  double value = 0;
  int digits = 2;
};

RoundedNumber rounded_between(double least, double most) {
  constexpr int most_digits = 15;
  const double middle = std::sqrt(least * most);
  RoundedNumber found{middle, most_digits};
  for (int digits = 2; digits <= most_digits; ++digits) {
    const double unit = std::pow(10, std::floor(std::log10(middle)) + 1 - digits);
    const double value = std::round(middle / unit) * unit;
    if (value < least || value > most) continue;
    found = {value, digits};
    break;
  }
  return found;
}

/// "11.4 G", "120 M".
std::string count_text(RoundedNumber number) {
  static constexpr std::array prefixes{"", " k", " M", " G", " T", " P"};
  std::size_t prefix = 0;
  for (; prefix + 1 < prefixes.size() && number.value >= 1000; ++prefix)
    number.value /= 1000;
  const int decimals = number.digits - 1 - static_cast<int>(std::floor(std::log10(number.value)));
  return fmt::format("{:.{}f}{}", number.value, std::max(decimals, 0), prefixes[prefix]);
}

} // namespace

std::string speed_words(const ComputeBasis& compute, double speed) {
  return compute.one_rate() ? fmt::format("{} {}/s", human_count(compute.least * speed), compute.unit)
                            : fmt::format("{:.3g} times the speed", speed);
}

std::string turn_words(const ComputeBasis& compute, double slowest, double fastest) {
  if (!compute.one_rate())
    return fmt::format("about {} times the speed", count_text(rounded_between(slowest, fastest)));
  return fmt::format("about {} {}/s", count_text(rounded_between(compute.least * slowest, compute.least * fastest)),
                     compute.unit);
}

nlohmann::ordered_json rate_json(const std::string& from, double least, double most) {
  nlohmann::ordered_json json{{"from", from}, {"least_per_second", nullptr}, {"most_per_second", nullptr}};
  if (least > 0) {
    json["least_per_second"] = least;
    json["most_per_second"] = most;
  }
  return json;
}

nlohmann::ordered_json to_json(const ComputeBasis& compute) {
  return rate_json(compute.from, compute.least, compute.most);
}

} // namespace timeless::tools
