#include "analysis/scaling/input_arguments.h"

#include "analysis/scaling/law_words.h"
#include "base/escaping.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <vector>

namespace timeless::analysis {

namespace {

/// How far the product of numbers may be from the power of the ranks, relative: sizes are rounded to whole numbers.
constexpr double rounded_size = 0.03;
constexpr int highest_power = 6;

/// Arguments as one text, whose numbers are taken out.
struct ArgumentText {
  std::string shape = {};
  std::vector<double> numbers = {};
};

ArgumentText taken_apart(const std::vector<std::string>& command) {
  ArgumentText apart;
  for (auto word = command.begin() + 1; word != command.end(); ++word) {
    const char* at = word->data();
    const char* const end = at + word->size();
    while (at != end) {
      double number = 0;
      if (*at < '0' || *at > '9') {
        apart.shape += *at++;
        continue;
      }
      const auto read = std::from_chars(at, end, number);
      if (read.ec != std::errc()) number = 0;
      apart.numbers.push_back(number);
      apart.shape += '\1';
      at = read.ptr;
    }
    apart.shape += '\0';
  }
  return apart;
}

/// The runs of one size that have arguments.
struct Started {
  const NamedRun* run;
  ArgumentText text;

  std::vector<std::string> words() const {
    const auto& command = run->run->provenance.command;
    return {command.begin() + 1, command.end()};
  }
  bool same(const Started& other) const { return words() == other.words(); }
};

std::vector<ScaleFactor> powers() {
  std::vector<ScaleFactor> all;
  for (const int denominator : {1, 2, 3})
    for (int numerator = 1; numerator <= highest_power * denominator; ++numerator)
      if (denominator == 1 || numerator % denominator != 0)
        for (const int sign : {1, -1})
          all.push_back({sign * numerator, denominator, 0});
  return all;
}

/// Returns whether the numbers in the arguments of two runs differ by a power of their ranks.
bool differ_by(const ScaleFactor& power, const Started& one, const Started& other) {
  if (one.text.shape != other.text.shape || one.run->place.ranks == other.run->place.ranks) return false;
  double product = 1;
  for (std::size_t i = 0; i < one.text.numbers.size(); ++i)
    if (one.text.numbers[i] != other.text.numbers[i]) product *= other.text.numbers[i] / one.text.numbers[i];
  const double expected = static_cast<double>(power.at(other.run->place.ranks / one.run->place.ranks));
  return std::abs(product / expected - 1) <= rounded_size;
}

std::string arguments_text(const Started& run) {
  const auto words = run.words();
  return words.empty() ? "no arguments" : in_quotes(fmt::to_string(fmt::join(words, " ")));
}

/// What most runs have in common with one of them: the same arguments, or numbers by a power of the ranks.
struct CommonInput {
  const Started* base = nullptr;
  std::optional<ScaleFactor> power = {};
  std::size_t runs = 0;

  bool has(const Started& other) const {
    return &other == base ||
           (power ? differ_by(*power, *base, other) || (same_place(other) && other.same(*base)) : other.same(*base));
  }
  bool same_place(const Started& other) const { return other.run->place == base->run->place; }
};

CommonInput common_input(const std::vector<Started>& runs) {
  CommonInput best;
  const auto consider = [&](CommonInput input) {
    input.runs =
        static_cast<std::size_t>(std::ranges::count_if(runs, [&](const Started& run) { return input.has(run); }));
    if (input.runs > best.runs) best = input;
  };
  for (const Started& base : runs)
    consider({.base = &base});
  if (best.runs == runs.size()) return best;
  for (const ScaleFactor& power : powers())
    for (const Started& base : runs)
      consider({.base = &base, .power = power});
  return best;
}

} // namespace

InputsOfRuns inputs_of(std::span<const NamedRun> runs) {
  std::map<double, std::vector<Started>> by_size;
  for (const NamedRun& run : runs)
    if (const auto& command = run.run->provenance.command; !command.empty())
      by_size[run.place.size].push_back({&run, taken_apart(command)});
  InputsOfRuns inputs;
  for (const auto& [size, started] : by_size) {
    const CommonInput common = common_input(started);
    const auto other = std::ranges::find_if(started, [&](const Started& run) { return !common.has(run); });
    if (other != started.end()) {
      inputs.different = {common.base->run->name, other->run->name,
                          fmt::format("{} and {}", arguments_text(*common.base), arguments_text(*other))};
      return inputs;
    }
    if (!common.power) continue;
    const auto [least, most] =
        std::ranges::minmax_element(started, {}, [](const Started& run) { return run.run->place.ranks; });
    inputs.law = fmt::format("{} to {}: {}", arguments_text(*least), arguments_text(*most),
                             formula(ScaleTerm{.ranks = *common.power}));
  }
  return inputs;
}

} // namespace timeless::analysis
