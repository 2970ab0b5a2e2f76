#include "tools/render/replay/sweep/sweep_parts.h"

#include "tools/cli/console.h"
#include "tools/cli/trace_input.h"
#include "tools/render/figures.h"
#include "tools/render/machines/compute_basis.h"
#include "tools/render/replay/advice.h"
#include "tools/render/replay/confidence.h"
#include "tools/render/replay/prediction/not_modelled.h"
#include "tools/render/replay/prediction/tolerances.h"

#include "base/factors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
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

std::string time_words(const SweepPrediction& prediction, std::size_t place) {
  const SweptConfiguration& one = prediction.of(place);
  return one.deadlock ? "deadlock" : human_seconds(one.makespan);
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
    std::vector<std::string> row{one.name, time_words(prediction, place)};
    if (intervals) row.push_back(seconds_interval_text(prediction.intervals[place], "-"));
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
    text += text_paragraph("", fmt::format("and {} more, of {}: --top 0, --csv or --json lists all", more,
                                           prediction.sweep.configurations.size()));
  return text + text_paragraph("", fmt::format("speed-up is against {}; shares are means over the ranks",
                                               prediction.of(prediction.anchor).name));
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
    text += text_paragraph("", fmt::format("{}: {} is {} of the critical path below a {} of {}, {} above",
                                           prediction.basis_of(crossover.at).name, path_words(crossover.before),
                                           of_all ? "most" : fmt::format("more than {}", path_words(crossover.after)),
                                           name(crossover.axis), between, path_words(crossover.after)));
  }
  return text;
}

/// What helps on each machine, with the first of the ranks per node, collectives and eager limits.
std::string advice_text(const SweepPrediction& prediction, NumberedReasons& reasons) {
  if (!prediction.refusal.empty()) {
    std::string refusal = prediction.refusal;
    refusal.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(refusal.front())));
    return "\n" + text_paragraph("", refusal);
  }
  std::vector<AdvisedMachine> advised;
  for (std::size_t i = 0; i < prediction.advice.size(); ++i) {
    const SweptConfiguration& one = prediction.of(prediction.machines[i]);
    if (const auto& advice = prediction.advice[i])
      advised.push_back({one.name, &*advice, &prediction.basis_of(one.point).compute,
                         prediction.trusts[i] ? reasons.words(*prediction.trusts[i]) : ""});
  }
  return advised.empty() ? "" : "\n" + advice_text(advised);
}

std::string confidence_words(const ChangedMachine& one, NumberedReasons& reasons) {
  return one.trust ? reasons.words(*one.trust) : "-";
}

std::string what_if_text(const SweepPrediction& prediction, NumberedReasons& reasons) {
  if (prediction.what_if.empty()) return {};
  Table table({"what if", "on", "before", "after", "saves %", "worth having", "confidence"});
  for (const ChangedMachine& one : prediction.what_if) {
    const MachineBasis& basis = prediction.basis_of(prediction.of(one.before).point);
    table.add({one.words, prediction.of(one.before).name, time_words(prediction, one.before),
               time_words(prediction, one.after), one.change ? saving_cell(*one.change) : "-",
               one.change ? answer_words(*one.change, basis.compute) : "-", confidence_words(one, reasons)});
  }
  return "\n" + table.text();
}

std::string upgrades_text(const SweepAnswer& answer, NumberedReasons& reasons) {
  const SweepPrediction& prediction = answer.prediction;
  if (prediction.upgrades.empty()) return {};
  Table table({"upgrade", "time", "saves %", "price", "price per %", "worth a look", "confidence"});
  for (const UpgradeRow& row : upgrade_rows(prediction, reasons))
    table.add({row.of->name, row.time, row.of->change ? saving_cell(*row.of->change) : "-", row.price,
               row.price_per_percent, row.look, row.confidence});
  return "\n" + table.text() + text_paragraph("", worth_a_look_words(answer.asked.worth));
}

/// What each answer rests on, in its order of naming.
std::string answers_text(const SweepAnswer& answer) {
  NumberedReasons reasons;
  std::string text = advice_text(answer.prediction, reasons);
  text += what_if_text(answer.prediction, reasons);
  text += upgrades_text(answer, reasons);
  return reasons.all().empty() ? text : text + "\nconfidence:\n" + reasons.text();
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
  text += text_paragraph(
      "trace     ",
      fmt::format("{}, {} rank{}, {} actions, replayed {} time{} for {} configuration{}", answer.asked.prediction.trace,
                  answer.run.size, plural(static_cast<std::uint64_t>(answer.run.size)),
                  human_count(static_cast<double>(prediction.sweep.actions)), prediction.sweep.passes,
                  plural(prediction.sweep.passes), prediction.replayed, plural(prediction.replayed)));
  if (prediction.recorded_part)
    text += text_paragraph("recorded  ", "a part: " + incompleteness(answer.run) + "; all answers are of that part");
  for (const std::size_t machine : prediction.machines) {
    const SweepPoint& point = prediction.of(machine).point;
    const MachineBasis& basis = prediction.basis_of(point);
    text += text_paragraph("machine   ", basis.network_used()
                                             ? prediction.placed_for(point).descriptions().at(point.machine)
                                             : basis.name + ": " + no_network_reason(basis));
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
  return table_text(answer) + pictures_text(answer) + turns_text(answer) + answers_text(answer) +
         searches_text(answer.prediction) + conditions_text(answer);
}

} // namespace timeless::tools
