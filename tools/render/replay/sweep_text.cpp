#include "tools/render/replay/sweep.h"

#include "analysis/sweep/upgrades.h"
#include "tools/cli/console.h"
#include "tools/cli/trace_input.h"
#include "tools/render/figures.h"
#include "tools/render/heat.h"
#include "tools/render/machines/compute_basis.h"
#include "tools/render/replay/advice.h"
#include "tools/render/replay/not_modelled.h"
#include "tools/render/replay/tolerances.h"

#include "base/factors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

namespace timeless::tools {

namespace {

using analysis::PathPart;
using analysis::SweepAxis;
using analysis::SweepPoint;
using analysis::SweptConfiguration;

const char* path_words(PathPart part) {
  return part == PathPart::rest ? "copies and overheads" : name(part);
}

/// With what is not in the name a replay gives it.
std::string configuration_words(const SweepAnswer& answer, const SweptConfiguration& one) {
  const analysis::SweepAxes& axes = answer.asked.axes;
  std::string words = answer.prediction.basis_of(one.point).name;
  const auto add = [&](const char* what, double factor) {
    if (factor != 1) words += fmt::format(", {} {}", what, factor_words(factor));
  };
  add("bandwidth", one.point.bandwidth);
  add("latency", one.point.latency);
  add("cpu", 1 / one.point.compute);
  if (one.point.ranks_per_node > 0) words += fmt::format(", {} to a node", one.point.ranks_per_node);
  if (axes.collectives.size() > 1) words += fmt::format(", {} collectives", replay::name(one.point.collectives));
  if (axes.eager_limits.size() > 1 && one.point.eager_limit)
    words += one.point.eager_limit == replay::no_eager_limit ? ", no eager limit"
                                                             : fmt::format(", eager to {} B", *one.point.eager_limit);
  return words;
}

std::string time_words(const SweepPrediction& prediction, std::size_t place) {
  const SweptConfiguration& one = prediction.of(place);
  return one.deadlock ? "deadlock" : human_seconds(one.makespan);
}

std::string interval_words(const std::optional<analysis::Interval>& interval) {
  return interval ? fmt::format("{} to {}", human_seconds(interval->low), human_seconds(interval->high)) : "-";
}

/// The fastest first, the anchor among them whatever its place.
std::vector<std::size_t> listed(const SweepAnswer& answer) {
  const auto& all = answer.prediction.sweep.configurations;
  std::vector<std::size_t> places(all.size());
  for (std::size_t i = 0; i < places.size(); ++i)
    places[i] = i;
  std::ranges::stable_sort(places, {}, [&](std::size_t place) { return all[place].makespan; });
  if (answer.top == 0 || places.size() <= answer.top) return places;
  const auto anchor = std::ranges::find(places, answer.prediction.anchor);
  const bool behind = anchor >= places.begin() + static_cast<std::ptrdiff_t>(answer.top);
  places.resize(answer.top);
  if (behind) places.push_back(answer.prediction.anchor);
  return places;
}

std::string table_text(const SweepAnswer& answer) {
  const SweepPrediction& prediction = answer.prediction;
  const std::vector<std::size_t> places = listed(answer);
  const bool intervals = std::ranges::all_of(places, [&](std::size_t place) {
    return prediction.of(place).deadlock || prediction.intervals[place].has_value();
  });
  std::vector<std::string> header{"configuration", "time",      "speed-up",    "compute %",
                                  "wait %",        "latency %", "bandwidth %", "critical path"};
  if (intervals) header.insert(header.begin() + 2, "interval");
  Table table(header);
  for (const std::size_t place : places) {
    const SweptConfiguration& one = prediction.of(place);
    std::vector<std::string> row{configuration_words(answer, one), time_words(prediction, place)};
    if (intervals) row.push_back(interval_words(prediction.intervals[place]));
    if (one.deadlock) {
      row.resize(header.size(), "-");
    } else {
      row.push_back(fmt::format("{:.3f}", prediction.speedup(place)));
      for (const double part : {one.mean.compute, one.mean.wait, one.mean.latency, one.mean.bandwidth})
        row.push_back(percent_text(part, one.mean.end));
      row.emplace_back(path_words(one.longest_part()));
    }
    table.add(row);
  }
  std::string text = table.text();
  const std::size_t more = prediction.sweep.configurations.size() - places.size();
  if (more > 0)
    text += fmt::format("and {} more, of {}: --top 0, --csv or --json lists all\n", more,
                        prediction.sweep.configurations.size());
  return text + text_line("speed-up is against {}; shares are means over the ranks",
                          configuration_words(answer, prediction.of(prediction.anchor)));
}

/// A factor of a grid that may be an axis of a picture.
struct PictureAxis {
  const char* name;
  double (*of)(const SweepPoint&);
};

constexpr PictureAxis picture_axes[] = {
    {"bandwidth", [](const SweepPoint& point) { return point.bandwidth; }},
    {"latency", [](const SweepPoint& point) { return point.latency; }},
    {"cpu", [](const SweepPoint& point) { return 1 / point.compute; }},
};

std::vector<std::string> words_of(const std::set<double>& factors) {
  std::vector<std::string> words;
  for (const double factor : factors)
    words.push_back(factor_words(factor));
  return words;
}

/// The grid over its two first factors that vary, of the configurations with the other one at 1 and all else as in the
/// machine's first one.
class Picture {
public:
  Picture(const SweepPrediction& prediction, std::size_t machine_place) : prediction_(prediction) {
    const SweepPoint& own = prediction.of(machine_place).point;
    std::vector<const PictureAxis*> varied;
    for (const PictureAxis& axis : picture_axes) {
      std::set<double> factors;
      for (const std::size_t place : prediction.grid)
        factors.insert(axis.of(prediction.of(place).point));
      if (factors.size() < 2) continue;
      varied.push_back(&axis);
      if (varied.size() == 1) columns_ = factors;
      if (varied.size() == 2) rows_ = factors;
    }
    if (varied.empty()) return;
    across_ = varied[0];
    down_ = varied.size() > 1 ? varied[1] : nullptr;
    const PictureAxis* const fixed = varied.size() > 2 ? varied[2] : nullptr;
    for (std::size_t i = 0; i < prediction.grid.size(); ++i) {
      const SweepPoint& point = prediction.of(prediction.grid[i]).point;
      SweepPoint rest = point;
      rest.bandwidth = rest.latency = rest.compute = 1;
      if (rest == own && (fixed == nullptr || fixed->of(point) == 1))
        cells_[{down_ != nullptr ? down_->of(point) : 1, across_->of(point)}] = i;
    }
  }

  bool any() const { return across_ != nullptr && !cells_.empty(); }
  std::string names() const {
    return down_ == nullptr ? across_->name : fmt::format("{} and {}", across_->name, down_->name);
  }

  std::string speedups(const TextStyle& style) const {
    HeatMap map{.columns_name = across_->name,
                .rows_name = down_ != nullptr ? down_->name : "",
                .columns = words_of(columns_),
                .rows = down_ != nullptr ? words_of(rows_) : std::vector<std::string>{""},
                .values = {}};
    for_cells([&](std::size_t number) {
      const bool ends = number < prediction_.grid.size() && !prediction_.of(prediction_.grid[number]).deadlock;
      map.values.push_back(ends ? std::optional(prediction_.speedup(prediction_.grid[number])) : std::nullopt);
    });
    return heat_text(map, style);
  }

  std::string classes() const {
    std::vector<std::string> header{fmt::format("{} \\ {}", down_ != nullptr ? down_->name : "", across_->name)};
    std::ranges::copy(words_of(columns_), std::back_inserter(header));
    Table table(header);
    const std::vector<std::string> rows = down_ != nullptr ? words_of(rows_) : std::vector<std::string>{"x1"};
    std::vector<std::string> row;
    for_cells([&](std::size_t number) {
      if (row.empty()) row.push_back(rows.at(rows_done_));
      row.push_back(number < prediction_.classes.size() ? class_word(number) : "-");
      if (row.size() < header.size()) return;
      table.add(std::exchange(row, {}));
      ++rows_done_;
    });
    rows_done_ = 0;
    return table.text();
  }

private:
  /// Calls with a place in the grid, or one beyond it, by row.
  template <typename Tell>
  void for_cells(Tell tell) const {
    const std::set<double> one{1};
    for (const double row : down_ != nullptr ? rows_ : one)
      for (const double column : columns_) {
        const auto cell = cells_.find({row, column});
        tell(cell == cells_.end() ? prediction_.grid.size() : cell->second);
      }
  }

  /// A class in few letters; in brackets what helps, where the definitions leave the class open.
  std::string class_word(std::size_t number) const {
    static const std::map<analysis::Bound, std::string> words{{analysis::Bound::computation, "comp"},
                                                              {analysis::Bound::imbalance, "imb"},
                                                              {analysis::Bound::bandwidth, "bw"},
                                                              {analysis::Bound::latency, "lat"},
                                                              {analysis::Bound::communication, "net"}};
    using analysis::ChangeKind;
    static const std::map<ChangeKind, std::string> helping{
        {ChangeKind::latency, "(lat)"},    {ChangeKind::bandwidth, "(bw)"}, {ChangeKind::network, "(net)"},
        {ChangeKind::processors, "(cpu)"}, {ChangeKind::balance, "(even)"}, {ChangeKind::none, "(-)"}};
    const auto& found = prediction_.classes[number];
    if (!found) return "-";
    if (const auto word = words.find(found->bound); word != words.end())
      return word->second + (found->sensitive ? "-s" : "");
    const auto& helps = prediction_.helps[number];
    return helps ? helping.at(helps->what()) : "-";
  }

  const SweepPrediction& prediction_;
  const PictureAxis* across_ = nullptr;
  const PictureAxis* down_ = nullptr;
  std::set<double> columns_;
  std::set<double> rows_;
  std::map<std::pair<double, double>, std::size_t> cells_; ///< places in the grid, by row and column
  mutable std::size_t rows_done_ = 0;
};

std::string pictures_text(const SweepAnswer& answer) {
  const SweepPrediction& prediction = answer.prediction;
  std::string text;
  bool classes = false;
  for (const std::size_t machine : prediction.machines) {
    const Picture picture(prediction, machine);
    if (!picture.any() || !prediction.basis_of(prediction.of(machine).point).network_used()) continue;
    const std::string name = prediction.basis_of(prediction.of(machine).point).name;
    text += "\n" + text_line("{}: speed-up over {}", name, picture.names()) + picture.speedups(answer.style);
    if (prediction.classes.empty()) continue;
    classes = true;
    text += "\n" + text_line("{}: what bounds it", name) + picture.classes();
  }
  if (classes)
    text += "comp computation, imb imbalance, bw bandwidth, lat latency, net both; -s: 10 to 25 % of the time;\n"
            "in brackets, where none of the definitions holds, what helps: lat, bw and net as above, cpu faster\n"
            "processors, even work divided evenly, - nothing of these\n";
  return text;
}

std::string rounded_factor(double factor) {
  return factor >= 1 ? fmt::format("x{:.3g}", factor) : fmt::format("/{:.3g}", 1 / factor);
}

/// "qdr: bandwidth is most of the critical path below a bandwidth of about /1.92, latency above".
std::string turns_text(const SweepAnswer& answer) {
  const SweepPrediction& prediction = answer.prediction;
  std::string text = prediction.crossovers.empty() ? "" : "\n";
  for (const analysis::Crossover& crossover : prediction.crossovers) {
    const std::string between =
        crossover.most < crossover.least * 1.02
            ? fmt::format("about {}", rounded_factor(std::sqrt(crossover.least * crossover.most)))
            : factor_words(crossover.least) + " to " + factor_words(crossover.most);
    const bool of_all = crossover.part == &SweptConfiguration::longest_part;
    text += text_line("{}: {} is {} of the critical path below a {} of {}, {} above",
                      prediction.basis_of(crossover.at).name, path_words(crossover.before),
                      of_all ? "most" : fmt::format("more than {}", path_words(crossover.after)), name(crossover.axis),
                      between, path_words(crossover.after));
  }
  return text;
}

/// What helps on each machine, with the first of the ranks per node, collectives and eager limits.
std::string advice_text(const SweepAnswer& answer) {
  const SweepPrediction& prediction = answer.prediction;
  std::vector<AdvisedMachine> advised;
  for (std::size_t i = 0; i < prediction.advice.size(); ++i) {
    const SweptConfiguration& one = prediction.of(prediction.machines[i]);
    if (const auto& advice = prediction.advice[i])
      advised.push_back({configuration_words(answer, one), &*advice, &prediction.basis_of(one.point).compute});
  }
  return advised.empty() ? "" : "\n" + advice_text(advised);
}

/// "39.33 (30.12 to 45.20)", in per cent.
std::string gain_words(const ChangedMachine& one) {
  if (!one.change) return "-";
  const analysis::Saving& saving = one.change->saving;
  const auto percent = [](double share) { return fmt::format("{:.2f}", 100 * share); };
  if (percent(saving.least) == percent(saving.most)) return percent(saving.expected);
  return fmt::format("{} ({} to {})", percent(saving.expected), percent(saving.least), percent(saving.most));
}

std::string what_if_text(const SweepAnswer& answer) {
  const SweepPrediction& prediction = answer.prediction;
  if (prediction.what_if.empty()) return {};
  Table table({"what if", "on", "before", "after", "gain %", "speed-up", "worth having"});
  for (const ChangedMachine& one : prediction.what_if) {
    const MachineBasis& basis = prediction.basis_of(prediction.of(one.before).point);
    table.add({one.words, basis.name, time_words(prediction, one.before), time_words(prediction, one.after),
               gain_words(one),
               one.change ? fmt::format("{:.3f}", prediction.speedup(one.after) / prediction.speedup(one.before)) : "-",
               one.change ? answer_words(*one.change, basis.compute) : "-"});
  }
  return "\n" + table.text();
}

const char* look_words(const ChangedMachine& one) {
  if (!one.on_front_at_some || !one.change || one.change->worth == analysis::Worth::ruled_out) return "no";
  return one.on_front_at_all && one.change->worth == analysis::Worth::pays ? "yes" : "depends on the rate";
}

std::string upgrades_text(const SweepAnswer& answer) {
  const SweepPrediction& prediction = answer.prediction;
  if (prediction.upgrades.empty()) return {};
  std::vector<ChangedMachine> upgrades = prediction.upgrades;
  std::ranges::stable_sort(upgrades, {}, [&](const ChangedMachine& one) { return prediction.of(one.after).makespan; });
  Table table({"upgrade", "time", "gain %", "price", "price per %", "worth a look", "change"});
  for (const ChangedMachine& one : upgrades) {
    const auto per_percent = analysis::price_per_percent({*one.price, prediction.of(one.after).makespan},
                                                         prediction.of(one.before).makespan);
    table.add({one.name, time_words(prediction, one.after), gain_words(one), fmt::format("{:.10g}", *one.price),
               per_percent ? fmt::format("{:.4g}", *per_percent) : "-", look_words(one), one.words});
  }
  return "\n" + table.text() +
         fmt::format("worth a look: it gains {:g} % or more (--worth), and nothing else is as fast and cheaper, or as "
                     "cheap and faster (the Pareto front)\n",
                     100 * answer.asked.worth);
}

std::string searches_text(const SweepPrediction& prediction) {
  std::string text;
  const auto add = [&](const std::vector<SearchedMachine>& searches, auto text_of) {
    for (std::size_t i = 0; i < searches.size(); ++i) {
      const SweptConfiguration& machine = prediction.of(prediction.machines[i]);
      const ComputeBasis& compute = prediction.basis_of(machine.point).compute;
      std::vector<ToleranceAtRate> at_rates;
      for (const ToleranceAtSpeed& one : searches[i])
        at_rates.push_back({one.speed == 1 ? "" : "at " + speed_words(compute, one.speed), &one.tolerance});
      if (!at_rates.empty()) text += text_of(machine.name, at_rates);
    }
  };
  add(prediction.break_even, tolerance_text);
  add(prediction.gains, gains_text);
  return text;
}

std::string conditions_text(const SweepAnswer& answer) {
  const SweepPrediction& prediction = answer.prediction;
  const ComputeBasis& compute = prediction.basis_of(prediction.of(prediction.anchor).point).compute;
  std::string text = "\n";
  text += text_line("{:<10}{}, {} ranks, {} actions, replayed {} time{} for {} configuration{}", "trace",
                    answer.asked.prediction.trace, answer.run.size,
                    human_count(static_cast<double>(prediction.sweep.actions)), prediction.sweep.passes,
                    plural(prediction.sweep.passes), prediction.replayed, plural(prediction.replayed));
  for (const std::size_t machine : prediction.machines) {
    const SweepPoint& point = prediction.of(machine).point;
    text += text_paragraph("machine   ", prediction.placed_for(point).descriptions().at(point.machine));
  }
  for (const auto& [ranks_per_node, placed] : prediction.placed)
    text += text_paragraph("mapping   ", placed.mapping_sentence());
  text += text_paragraph("compute   ", (compute.assumed ? "ASSUMED: " : "") + compute.sentence);
  text += text_paragraph("intervals ", range_words(prediction.rates));
  if (answer.run.volume_error > 0) text += text_paragraph("volumes   ", rounding(answer.run));
  text += text_paragraph("model     ", "every message alone, without contention");
  for (const std::string& note : prediction.notes)
    text += text_paragraph("note      ", note);
  return text + to_text(prediction.sweep.not_modelled);
}

} // namespace

std::string to_text(const SweepAnswer& answer) {
  const SweepPrediction& prediction = answer.prediction;
  return table_text(answer) + pictures_text(answer) + turns_text(answer) + advice_text(answer) + what_if_text(answer) +
         upgrades_text(answer) + searches_text(prediction) + conditions_text(answer);
}

} // namespace timeless::tools
