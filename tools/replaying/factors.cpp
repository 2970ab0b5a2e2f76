#include "tools/replaying/factors.h"

#include "tools/cli/option_checks.h"

#include "base/error.h"
#include "base/parsing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace timeless::tools {

namespace {

constexpr std::string_view range_mark = "..";

[[noreturn]] void refuse_factors(std::string_view text, const std::string& option) {
  throw Error(Failure::usage, fmt::format("'{}' is not a list of factors", text), option,
              "write x2, /2, x0.5,x1,x2, or /8..x8 for steps of two, none beyond 1e9");
}

/// All from one end to the other, each twice the one before.
void add_range(std::vector<double>& factors, std::pair<double, double> ends, std::string_view word,
               const std::string& option) {
  const auto [low, high] = std::minmax(ends.first, ends.second);
  const double octaves = std::log2(high / low);
  if (std::abs(octaves - std::round(octaves)) > 1e-9)
    throw Error(Failure::usage, fmt::format("no number of steps of two leads from one end of '{}' to the other", word),
                option, "write /8..x8, or the factors one by one");
  for (int step = 0; step <= std::lround(octaves); ++step)
    factors.push_back(std::ldexp(low, step));
}

} // namespace

std::optional<double> parse_factor(std::string_view word) {
  const bool divides = word.starts_with('/');
  if (divides || word.starts_with('x')) word.remove_prefix(1);
  const std::size_t bar = word.find('/');
  std::optional<double> value = whole_number<double>(word.substr(0, bar));
  if (value && bar != std::string_view::npos) {
    const std::optional<double> parts = whole_number<double>(word.substr(bar + 1));
    if (divides || !parts || !(*parts > 0)) return {};
    *value /= *parts;
  }
  if (!value || !(*value >= 1 / largest_machine_factor) || !(*value <= largest_machine_factor)) return {};
  return divides ? 1 / *value : *value;
}

std::vector<double> parse_factors(const std::string& text, const std::string& option) {
  std::vector<double> factors;
  for (const std::string_view word : split(text, ',')) {
    const std::size_t mark = word.find(range_mark);
    const auto first = parse_factor(word.substr(0, mark));
    const auto last = mark == std::string_view::npos ? first : parse_factor(word.substr(mark + range_mark.size()));
    if (!first || !last) refuse_factors(text, option);
    if (mark == std::string_view::npos)
      factors.push_back(*first);
    else
      add_range(factors, {*first, *last}, word, option);
  }
  return factors;
}

std::vector<double> parse_speeds(const std::string& text, const std::string& option) {
  std::vector<double> factors = parse_factors(text, option);
  std::ranges::transform(factors, factors.begin(), [](double speed) { return 1 / speed; });
  return factors;
}

} // namespace timeless::tools
