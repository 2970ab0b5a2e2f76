#include "analysis/scaling/law_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

namespace timeless::analysis {

namespace {

std::string power_text(const std::string& base, int numerator, int denominator) {
  if (denominator == 1) return numerator == 1 ? base : fmt::format("{}^{}", base, numerator);
  return fmt::format("{}^({}/{})", base, numerator, denominator);
}

void add_log(std::string& text, const char* of, const ScaleFactor& factor, bool base) {
  if (factor.logs == 0) return;
  if (!text.empty()) text += " ";
  std::string log = fmt::format("log{}{}", base ? "2" : "", factor.logs == 2 ? "^2" : "");
  log += base ? fmt::format("({})", of) : fmt::format(" {}", of);
  text += factor.rounded == 0 ? log : fmt::format("{}({})", factor.rounded > 0 ? "ceil" : "floor", log);
}

/// Returns what depends on a grid's sides a x b or x y z: "1/a", "x y", "(1/a + 1/b)".
std::string grid_text(const ScaleGrid& grid) {
  const char* const names = grid.dimensions == 2 ? "ab" : "xyz";
  std::array<int, 3> order = grid.exponents;
  const auto one = [&] {
    std::string sides;
    bool over = false;
    for (std::size_t i = 0; i < static_cast<std::size_t>(grid.dimensions); ++i) {
      if (order[i] == 0) continue;
      over = over || order[i] < 0;
      sides += (sides.empty() ? "" : " ") + std::string(1, names[i]);
    }
    return !over ? sides : sides.size() > 1 ? "1/(" + sides + ")" : "1/" + sides;
  };
  if (!grid.sum) return one();
  const auto end = order.begin() + grid.dimensions;
  std::sort(order.begin(), end);
  std::vector<std::string> products;
  do
    products.push_back(one());
  while (std::next_permutation(order.begin(), end));
  std::ranges::sort(products);
  return fmt::format("({})", fmt::join(products, " + "));
}

/// Returns a term; `base`: with the base of its logarithms.
std::string term_text(const ScaleTerm& term, bool base) {
  const ScaleFactor& ranks = term.ranks;
  const ScaleFactor& size = term.size;
  if (!term.grid.one()) {
    const std::string sides = grid_text(term.grid);
    if (size.one()) return sides;
    const std::string points = power_text(ranks.one() ? "n" : "(n P)", size.numerator, size.denominator);
    return points + (sides.starts_with("1/") ? sides.substr(1) : " " + sides);
  }
  if (size.numerator != 0 && size.numerator == -ranks.numerator && size.denominator == ranks.denominator) {
    const bool over = size.numerator > 0;
    const bool whole = std::abs(size.numerator) == 1 && size.denominator == 1;
    std::string text = power_text(whole ? (over ? "n/P" : "P/n") : (over ? "(n/P)" : "(P/n)"), std::abs(size.numerator),
                                  size.denominator);
    add_log(text, "P", ranks, base);
    add_log(text, "n", size, base);
    return text;
  }
  std::string above;
  std::string below;
  const auto add = [&](const ScaleFactor& factor, const char* of) {
    std::string& to = factor.numerator < 0 ? below : above;
    if (factor.numerator != 0)
      to += (to.empty() ? "" : " ") + power_text(of, std::abs(factor.numerator), factor.denominator);
  };
  add(size, "n");
  add(ranks, "P");
  add_log(above, "n", size, base);
  add_log(above, "P", ranks, base);
  if (below.empty()) return above.empty() ? "1" : above;
  const bool several = below.find(' ') != std::string::npos;
  return fmt::format("{}/{}", above.empty() ? "1" : above, several ? "(" + below + ")" : below);
}

/// Returns whether a term is larger there than with half the ranks and half the size.
int direction(const ScaleTerm& term, const ScalePlace& there) {
  if (term.one()) return 0;
  if (!term.grid.one()) return std::ranges::max(term.grid.exponents) > 0 ? 1 : -1;
  const bool ranks = !term.ranks.one();
  const ScalePlace before{ranks ? there.ranks / 2 : there.ranks, ranks ? there.size : there.size / 2};
  return std::abs(term.at(there)) > std::abs(term.at(before)) ? 1 : -1;
}

} // namespace

const char* name(ScalingMode mode) {
  return mode == ScalingMode::strong ? "strong" : "weak";
}

std::string formula(const ScaleTerm& term) {
  return term_text(term, true);
}

std::string formula(const ScaleLaw& law) {
  std::string text;
  for (const ScalePart& part : law.parts) {
    const double size = text.empty() ? part.coefficient : std::abs(part.coefficient);
    if (!text.empty()) text += part.coefficient < 0 ? " - " : " + ";
    text += fmt::format("{:.6g}", size);
    const std::string term = formula(part.term);
    if (!part.term.one()) text += term.starts_with("1/") ? term.substr(1) : " " + term;
  }
  return text;
}

std::string in_words(const ScaleLaw& law, const ScalePlace& there, ScalingMode mode) {
  const auto size_there = [&](const ScalePart& part) { return std::abs(part.at(there)); };
  std::vector<ScalePart> parts = law.parts;
  std::erase_if(parts, [](const ScalePart& part) { return part.coefficient == 0; });
  if (parts.empty()) return "nothing";
  std::ranges::stable_sort(parts, std::greater{}, size_there);
  const auto changing = std::ranges::find_if(parts, [](const ScalePart& part) { return !part.term.one(); });
  const bool constant = std::ranges::any_of(parts, [](const ScalePart& part) { return part.term.one(); });
  if (changing == parts.end())
    return mode == ScalingMode::strong ? "does not shrink: serial" : "the same on any number of ranks";
  const bool larger = direction(changing->term, there) > 0;
  const bool grows = larger == (changing->coefficient > 0);
  const bool leads = changing == parts.begin();
  const std::string rate = term_text(changing->term, false);
  if (larger && grows) return leads ? "grows with " + rate : "does not shrink, grows with " + rate;
  if (grows) return "grows to a limit as " + rate + " fades";
  if (larger) return "falls with " + rate;
  if (!constant) return "falls as " + rate;
  return fmt::format("falls as {}{}", rate, leads ? ", later less" : " to a part that does not shrink");
}

} // namespace timeless::analysis
