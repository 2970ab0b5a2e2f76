// Whether upgrades are worth a look, in the words of all forms of the answer.
#include "tools/render/replay/sweep/upgrades.h"

#include "analysis/sweep/upgrades.h"
#include "tools/cli/console.h"
#include "tools/render/figures.h"
#include "tools/render/machines/compute_basis.h"
#include "tools/render/replay/advice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace timeless::tools {

namespace {

/// ": 100G network saves more and costs less".
std::string better_words(const SweepPrediction& prediction, const ChangedMachine& one) {
  if (!one.beaten_by) return {};
  const ChangedMachine& better = prediction.upgrades.at(*one.beaten_by);
  const bool faster = prediction.of(better.after).makespan < prediction.of(one.after).makespan;
  const bool cheaper = *better.price < *one.price;
  return fmt::format(": {} saves {} and costs {}", better.name, faster ? "more" : "as much",
                     cheaper ? "less" : "as much");
}

/// "no above about 12 G instructions/s": the rates at which an upgrade is no choice.
std::string ruled_out_at_words(const SweepPrediction& prediction, const ChangedMachine& one,
                               const std::vector<analysis::BeatenRange>& ranges) {
  const ComputeBasis& compute = prediction.basis_of(prediction.of(one.before).point).compute;
  const auto turn = [&](const analysis::SpeedRange& at) { return turn_words(compute, at.slowest, at.fastest); };
  std::vector<std::string> words;
  for (const analysis::BeatenRange& range : ranges)
    words.push_back(range.from && range.to ? fmt::format("from {} to {}", turn(*range.from), turn(*range.to))
                    : range.from           ? "above " + turn(*range.from)
                                           : "below " + turn(range.to.value()));
  return fmt::format("no {}", fmt::join(words, " and "));
}

} // namespace

std::string look_words(const SweepPrediction& prediction, const ChangedMachine& one) {
  const std::string of_what = prediction.recorded_part ? " (recorded part)" : "";
  switch (one.look().value()) {
  case Look::slower:
    return "no" + of_what + ": slower";
  case Look::saves_too_little:
    return fmt::format("no{}: less than {:g} %", of_what, 100 * one.change->threshold);
  case Look::beaten:
    return "no" + of_what + better_words(prediction, one);
  case Look::saves_too_little_or_beaten:
    return fmt::format("no{}: others are better wherever it saves {:g} %", of_what, 100 * one.change->threshold);
  case Look::pays:
    return "yes" + of_what;
  case Look::saving_depends:
    return answer_words(*one.change, prediction.basis_of(prediction.of(one.before).point).compute);
  case Look::front_depends:
  case Look::both_depend:
    break;
  }
  const std::vector<analysis::BeatenRange> ranges = one.no_choice_at();
  if (ranges.empty()) return "depends" + of_what + " on the rate";
  return fmt::format("depends{}: {}", of_what, ruled_out_at_words(prediction, one, ranges));
}

std::string worth_a_look_words(double worth) {
  return fmt::format("worth a look: it saves {:g} % or more (--worth), and nothing else is as fast and cheaper, or as "
                     "cheap and faster (the Pareto front)",
                     100 * worth);
}

namespace {

/// Four digits, and no exponent in a price that people pay.
std::string price_text(double price) {
  if (!(price >= 1000)) return fmt::format("{:.4g}", price);
  const double unit = std::pow(10, std::floor(std::log10(price)) - 3);
  return fmt::format("{:.0f}", std::round(price / unit) * unit);
}

} // namespace

std::optional<double> price_per_percent(const SweepPrediction& prediction, const ChangedMachine& one) {
  if (!one.change) return {};
  return analysis::price_per_percent({*one.price, prediction.of(one.after).makespan},
                                     prediction.of(one.before).makespan);
}

std::vector<UpgradeRow> upgrade_rows(const SweepPrediction& prediction, NumberedReasons& reasons) {
  std::vector<UpgradeRow> rows;
  for (const ChangedMachine& one : prediction.upgrades) {
    const analysis::SweptConfiguration& with = prediction.of(one.after);
    const std::optional<double> per_percent = price_per_percent(prediction, one);
    rows.push_back({.of = &one,
                    .seconds = with.makespan,
                    .time = with.deadlock ? "deadlock" : human_seconds(with.makespan),
                    .price = fmt::format("{:.10g}", *one.price),
                    .price_per_percent = per_percent ? price_text(*per_percent) : "-",
                    .look = one.change ? look_words(prediction, one) : "-",
                    .confidence = {}});
  }
  std::ranges::stable_sort(rows, {}, &UpgradeRow::seconds);
  for (UpgradeRow& row : rows) // numbered as they are read
    row.confidence = row.of->trust ? reasons.words(*row.of->trust) : "-";
  return rows;
}

} // namespace timeless::tools
