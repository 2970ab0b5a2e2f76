#include "tools/render/advising/advising.h"

#include "tools/advising/model_file.h"
#include "tools/cli/console.h"
#include "tools/cli/table.h"
#include "tools/render/figures.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>

namespace timeless::tools {

namespace {

using analysis::AdvisorRow;
using analysis::ErrorRates;
using analysis::TrainedModel;
using nlohmann::ordered_json;

ordered_json rates_json(const std::optional<ErrorRates>& found) {
  if (!found) return nullptr;
  const ErrorRates& rates = *found;
  return {{"wrong", rates.wrong},
          {"missed", rates.missed},
          {"unneeded", rates.unneeded},
          {"log_loss", rates.log_loss},
          {"brier", rates.brier}};
}

/// "16 to 128".
std::string ranks_words(const TrainedModel& model) {
  if (model.least_ranks == model.most_ranks) return fmt::format("{:g}", model.least_ranks);
  return fmt::format("{:g} to {:g}", model.least_ranks, model.most_ranks);
}

std::string trained_text(const TrainedModel& model) {
  return text_fact(10, "trained", "on {} run{} of {} program{}, of which {} {}{}", model.rows, plural(model.rows),
                   model.programs.size(), plural(model.programs.size()), model.needed,
                   label_words(model.label, model.threshold),
                   model.most_ranks > 0 ? fmt::format("; on {} ranks two programs or more", ranks_words(model)) : "");
}

/// Returns what decided, the largest first.
std::string decided_text(const AdviceAnswer& answer) {
  std::vector<std::size_t> order(answer.model.features.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [&](std::size_t i) { return std::abs(answer.advice.parts[i]); });
  Table table({"  what decided", "value", "in the training", "log odds"});
  for (const std::size_t i : order) {
    const analysis::TrainedFeature& feature = answer.model.features[i];
    const double value = answer.row.features[analysis::feature_place(feature.name)];
    table.add({"  " + feature.name, fmt::format("{:.4g}", value),
               fmt::format("{:.4g} to {:.4g}", feature.least, feature.most),
               fmt::format("{:+.2f}", answer.advice.parts[i])});
  }
  return table.text();
}

const char* part_word(const AdviceAnswer& answer) {
  switch (answer.by) {
  case PartsBy::region:
    return "region";
  case PartsBy::phase:
    return "phase";
  default:
    return "function";
  }
}

std::string part_name(const PartAdvice& part) {
  return part.name.empty() ? "outside of regions" : part.name;
}

std::string part_verdict(const AdviceAnswer& answer, const PartAdvice& part) {
  if (!part.because.empty()) return "cannot say: " + part.because;
  if (!part.told())
    return fmt::format("cannot say: outside of the training ({})", fmt::join(part.advice.outside, ", "));
  return answer.simulate(part) ? "simulate" : "the model suffices";
}

constexpr double least_of_longest = 0.01; // parts that take less change nothing

/// Returns a table of parts, and what it comes to: "simulate transpose; the model suffices for the rest".
std::string parts_table(const AdviceAnswer& answer) {
  if (answer.parts.empty()) return "";
  Table table({fmt::format("  {}, alone", part_word(answer)), "model's time", "of their sum, %", "probability, %",
               "expected difference, %", "advice"});
  std::vector<std::string> simulated;
  std::vector<std::string> untold;
  bool rest = false;
  bool passed_over = false;
  double sum = 0;
  double longest = 0;
  for (const PartAdvice& part : answer.parts) {
    sum += part.row.model_seconds;
    longest = std::max(longest, part.row.model_seconds);
  }
  for (const PartAdvice& part : answer.parts) {
    const bool has_figures = part.because.empty();
    table.add({"  " + part_name(part), has_figures ? human_seconds(part.row.model_seconds) : "-",
               has_figures ? percent_text(part.row.model_seconds, sum) : "-",
               has_figures ? fmt::format("{:.0f}", 100 * part.advice.probability) : "-",
               has_figures ? percent_text(part.advice.difference) : "-", part_verdict(answer, part)});
    if (part.because.empty() && part.row.model_seconds < least_of_longest * longest) {
      passed_over = true;
      continue;
    }
    if (!part.told())
      untold.push_back(part_name(part));
    else if (answer.simulate(part))
      simulated.push_back(part_name(part));
    else
      rest = true;
  }
  std::vector<std::string> clauses;
  if (!simulated.empty()) clauses.push_back(fmt::format("simulate {}", fmt::join(simulated, ", ")));
  if (!untold.empty()) clauses.push_back(fmt::format("of {} it cannot be told", fmt::join(untold, ", ")));
  if (rest)
    clauses.push_back((clauses.empty() ? fmt::format("the model suffices for each {}", part_word(answer))
                                       : std::string("the model suffices for the rest")) +
                      (passed_over ? ", those aside that take less than 1 % of the longest" : ""));
  std::string sentence = fmt::format("{}", fmt::join(clauses, "; "));
  sentence.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(sentence.front())));
  return table.text() + text_line("{}.", sentence) + "\n";
}

ordered_json parts_json(const AdviceAnswer& answer) {
  ordered_json parts = ordered_json::array();
  for (const PartAdvice& part : answer.parts) {
    ordered_json one{{part_word(answer), part.name.empty() ? ordered_json() : ordered_json(part.name)},
                     {"answer", !part.told()            ? "outside"
                                : answer.simulate(part) ? "simulate"
                                                        : "model"}};
    if (part.because.empty()) {
      one["probability"] = part.advice.probability;
      one["expected_difference"] = part.advice.difference;
      one["model_seconds"] = part.row.model_seconds;
      one["outside"] = part.advice.outside;
    } else {
      one["because"] = part.because;
    }
    parts.push_back(std::move(one));
  }
  return parts;
}

std::string verdict(const AdviceAnswer& answer) {
  const std::string chance = chance_words(answer);
  if (answer.outside())
    return fmt::format(
        "cannot say: this run is outside of what the model was trained on ({}); for what it is worth, {}",
        outside_words(answer), chance);
  return (answer.simulate() ? "simulate: " : "the model suffices: ") + chance;
}

} // namespace

std::string to_text(const AdviceAnswer& answer) {
  std::string text = text_line("{}", verdict(answer)) + "\n" + decided_text(answer) + "\n" + parts_table(answer);
  const auto ranks = static_cast<std::uint64_t>(answer.row.features[analysis::feature_place("R")]);
  text += text_fact(10, "trace", "{}, {} rank{} on {}", answer.trace, ranks, plural(ranks), answer.platform);
  text += text_fact(10, "expected",
                    "a difference of {} % of the time; {} to {} % in four of five runs like those trained on",
                    percent_text(answer.advice.difference), percent_text(answer.advice.likely.low),
                    percent_text(answer.advice.likely.high));
  text += text_fact(10, "time", "{} by the model", human_seconds(answer.row.model_seconds));
  text += text_fact(10, "cost",
                    "SMPI would take about {} of the processor where the model was trained; there, {} to {} in four of "
                    "five such runs",
                    human_seconds(answer.simulation_seconds), human_seconds(answer.likely_simulation.low),
                    human_seconds(answer.likely_simulation.high));
  if (answer.busiest)
    text +=
        text_fact(10, "busiest", "link {}: {} of bytes by the routes, from {} pair{} of nodes", answer.busiest->name,
                  human_seconds(answer.busiest->seconds), answer.busiest->flows, plural(answer.busiest->flows));
  text += trained_text(answer.model);
  for (const std::string& note : answer.notes)
    text += text_fact(10, "note", "{}", note);
  return text;
}

ordered_json to_json(const AdviceAnswer& answer) {
  ordered_json features = ordered_json::object();
  for (std::size_t i = 0; i < analysis::features().size(); ++i)
    features[std::string(analysis::features()[i].name)] = answer.row.features[i];
  ordered_json decided = ordered_json::array();
  for (std::size_t i = 0; i < answer.model.features.size(); ++i)
    decided.push_back({{"feature", answer.model.features[i].name}, {"log_odds", answer.advice.parts[i]}});
  ordered_json json{{"part", "advice"},
                    {"trace", answer.trace},
                    {"complete", answer.lack.empty()},
                    {"incompleteness", answer.lack},
                    {"platform", answer.platform},
                    {"answer", answer.outside()    ? "outside"
                               : answer.simulate() ? "simulate"
                                                   : "model"},
                    {"probability", answer.advice.probability},
                    {"expected_difference", answer.advice.difference},
                    {"likely_difference", ordered_json::array({answer.advice.likely.low, answer.advice.likely.high})},
                    {"threshold", answer.threshold},
                    {"label", label_word(answer.model.label)},
                    {"least_probability", answer.least},
                    {"outside", answer.advice.outside},
                    {"model_seconds", answer.row.model_seconds},
                    {"simulation_cpu_seconds", answer.simulation_seconds},
                    {"likely_simulation_cpu_seconds",
                     ordered_json::array({answer.likely_simulation.low, answer.likely_simulation.high})},
                    {"decided", std::move(decided)},
                    {"features", std::move(features)},
                    {"notes", answer.notes}};
  if (!answer.parts.empty()) json[std::string(part_word(answer)) + "s"] = parts_json(answer);
  if (answer.busiest)
    json["busiest_link"] = {
        {"name", answer.busiest->name}, {"seconds", answer.busiest->seconds}, {"flows", answer.busiest->flows}};
  return json;
}

std::string to_text(const CollectAnswer& answer) {
  std::string text =
      text_fact(10, "collected", "{}: {} row{}, {} new{}{}{}", answer.output, answer.rows, answer.rows == 1 ? "" : "s",
                answer.fresh, answer.completed > 0 ? fmt::format(", {} completed", answer.completed) : "",
                answer.kept > 0 ? fmt::format("; {} {} there", answer.kept, answer.kept == 1 ? "was" : "were") : "",
                answer.refused.empty() ? "" : fmt::format("; {} refused", answer.refused.size()));
  for (const RefusedCase& one : answer.refused)
    text += text_fact(10, "refused", "{} on {}: {}", one.trace, one.platform, one.because);
  return text;
}

ordered_json to_json(const CollectAnswer& answer) {
  ordered_json refused = ordered_json::array();
  for (const RefusedCase& one : answer.refused)
    refused.push_back({{"trace", one.trace}, {"platform", one.platform}, {"because", one.because}});
  return {{"part", "collect"},
          {"output", answer.output},
          {"rows", answer.rows},
          {"fresh", answer.fresh},
          {"completed", answer.completed},
          {"kept", answer.kept},
          {"refused", std::move(refused)}};
}

std::string to_text(const TrainingAnswer& answer) {
  Table table({"  feature", "coefficient", "mean", "deviation", "least", "most"});
  for (const analysis::TrainedFeature& feature : answer.model.features)
    table.add({"  " + feature.name, fmt::format("{:+.3f}", feature.coefficient), fmt::format("{:.4g}", feature.mean),
               fmt::format("{:.4g}", feature.deviation), fmt::format("{:.4g}", feature.least),
               fmt::format("{:.4g}", feature.most)});
  return table.text() +
         text_line("coefficients are of values less their mean, over their deviation; intercept {:+.3f}",
                   answer.model.intercept) +
         "\n" + trained_text(answer.model) + text_fact(10, "written", "{}", answer.output);
}

ordered_json to_json(const TrainingAnswer& answer) {
  return {{"part", "train"}, {"data", answer.data}, {"output", answer.output}, {"model", to_json(answer.model)}};
}

namespace {

std::string curve_text(const std::vector<analysis::LearningPoint>& curve) {
  if (curve.empty()) return "";
  Table table({"  each by so many others", "models", "wrong, %", "missed, %", "unneeded, %", "log loss"});
  for (const analysis::LearningPoint& point : curve) {
    const auto figure = [&](double value, const char* format) {
      return point.models > 0 ? fmt::format(fmt::runtime(format), value) : std::string("-");
    };
    table.add({fmt::format("  {}", point.programs), fmt::to_string(point.models),
               figure(100 * point.rates.wrong, "{:.1f}"), figure(100 * point.rates.missed, "{:.1f}"),
               figure(100 * point.rates.unneeded, "{:.1f}"), figure(point.rates.log_loss, "{:.3f}")});
  }
  return table.text() + "\n";
}

ordered_json curve_json(const std::vector<analysis::LearningPoint>& curve) {
  ordered_json points = ordered_json::array();
  for (const analysis::LearningPoint& point : curve)
    points.push_back({{"programs", point.programs},
                      {"models", point.models},
                      {"rates", rates_json(point.models > 0 ? std::optional(point.rates) : std::nullopt)}});
  return points;
}

std::string thresholds_text(const EvaluationAnswer& answer) {
  if (answer.evaluation.thresholds.empty()) return "";
  Table table({"  by the others, asked about", "wrong, %", "missed, %", "unneeded, %", "log loss"});
  for (const analysis::ThresholdRates& one : answer.evaluation.thresholds)
    table.add({fmt::format("  {:g} %", 100 * one.threshold), fmt::format("{:.1f}", 100 * one.rates.wrong),
               fmt::format("{:.1f}", 100 * one.rates.missed), fmt::format("{:.1f}", 100 * one.rates.unneeded),
               fmt::format("{:.3f}", one.rates.log_loss)});
  return table.text() + "\n";
}

ordered_json thresholds_json(const std::vector<analysis::ThresholdRates>& thresholds) {
  ordered_json all = ordered_json::array();
  for (const analysis::ThresholdRates& one : thresholds)
    all.push_back({{"threshold", one.threshold}, {"rates", rates_json(one.rates)}});
  return all;
}

} // namespace

std::string to_text(const EvaluationAnswer& answer) {
  const analysis::Evaluation& found = answer.evaluation;
  const auto percent = [](double share) { return fmt::format("{:.1f}", 100 * share); };
  const auto rates = [&](const std::string& name, const std::optional<ErrorRates>& of) {
    if (!of) return std::vector<std::string>{name, "-", "-", "-", "-", "-"};
    return std::vector<std::string>{name,
                                    percent(of->wrong),
                                    percent(of->missed),
                                    percent(of->unneeded),
                                    fmt::format("{:.3f}", of->log_loss),
                                    fmt::format("{:.3f}", of->brier)};
  };
  Table errors({"  % of answers", "wrong", "missed", "unneeded", "log loss", "Brier"});
  errors.add(rates("  each program by the others", found.programs));
  errors.add(rates(fmt::format("  {} partitions of 80 and 20 %", answer.partitions), found.partitions));
  errors.add({"  never simulate", percent(found.never_wrong), "", "", "", ""});
  errors.add({"  simulate what is bandwidth-sensitive", percent(found.sensitive_wrong), "", "", "", ""});
  std::string text =
      errors.text() + text_line("wrong: of all; missed: of those that need simulation; unneeded: of those that do not. "
                                "Partitions have runs of a program on both sides");
  if (!found.programs)
    text += text_line("no program could be told by others: collect runs of two at least, of both kinds");
  else if (found.sensitive_wrong > 0)
    text +=
        text_line("right of each program by the others: {} %, where the bandwidth tells {} %: {:.0f} % of what that "
                  "leaves to 100 %",
                  percent(1 - found.programs->wrong), percent(1 - found.sensitive_wrong),
                  100 * (1 - found.programs->wrong / found.sensitive_wrong));
  text += "\n" + curve_text(found.curve) + thresholds_text(answer);
  Table selected({"  selected", "% of partitions", "mean coefficient"});
  for (const analysis::SelectedFeature& one : found.selected)
    if (one.frequency >= 0.05)
      selected.add(
          {"  " + one.name, fmt::format("{:.0f}", 100 * one.frequency), fmt::format("{:+.3f}", one.coefficient)});
  if (!found.selected.empty()) text += selected.text() + "\n";
  Table programs({"  left out", "runs", "need simulation", "wrong", "missed", "outside"});
  for (const analysis::LeftOutProgram& one : found.left_out)
    programs.add({"  " + one.program, fmt::to_string(one.rows), fmt::to_string(one.needed), fmt::to_string(one.wrong),
                  fmt::to_string(one.missed), fmt::to_string(one.outside)});
  if (found.left_out.empty())
    return text + text_fact(10, "data", "{}: {} runs, of which {} {}", answer.data, found.rows, found.needed,
                            label_words(answer.label, answer.threshold));
  text += programs.text() + "\n";
  Table reliability({"  probability", "runs", "mean", "need simulation, %"});
  for (const analysis::ReliabilityBin& bin : found.reliability)
    reliability.add({fmt::format("  {:.0f} to {:.0f} %", 100 * bin.low, 100 * bin.high), fmt::to_string(bin.rows),
                     bin.rows > 0 ? percent(bin.predicted) : "-", bin.rows > 0 ? percent(bin.observed) : "-"});
  text += reliability.text() + "\n";
  text +=
      text_fact(10, "within", "the intervals of four of five: the difference in {} %, the cost of simulation in {} %",
                percent(found.difference_within), percent(found.cost_within));
  std::size_t outside = 0;
  std::size_t told = 0;
  for (const analysis::LeftOutProgram& one : found.left_out) {
    outside += one.outside;
    told += one.rows;
  }
  text += text_fact(10, "outside", "{} of {} runs of programs left out: {} % of these are wrong, of the others {} %",
                    outside, told, percent(found.outside_wrong), percent(found.inside_wrong));
  return text + text_fact(10, "data", "{}: {} runs, of which {} {}", answer.data, found.rows, found.needed,
                          label_words(answer.label, answer.threshold));
}

ordered_json to_json(const EvaluationAnswer& answer) {
  const analysis::Evaluation& found = answer.evaluation;
  ordered_json selected = ordered_json::array();
  for (const analysis::SelectedFeature& one : found.selected)
    selected.push_back({{"feature", one.name}, {"frequency", one.frequency}, {"coefficient", one.coefficient}});
  ordered_json left_out = ordered_json::array();
  for (const analysis::LeftOutProgram& one : found.left_out)
    left_out.push_back({{"program", one.program},
                        {"rows", one.rows},
                        {"needed", one.needed},
                        {"wrong", one.wrong},
                        {"missed", one.missed},
                        {"outside", one.outside}});
  ordered_json reliability = ordered_json::array();
  for (const analysis::ReliabilityBin& bin : found.reliability)
    reliability.push_back({{"low", bin.low},
                           {"high", bin.high},
                           {"rows", bin.rows},
                           {"predicted", bin.predicted},
                           {"observed", bin.observed}});
  ordered_json json{{"part", "evaluate"},
                    {"data", answer.data},
                    {"threshold", answer.threshold},
                    {"label", label_word(answer.label)},
                    {"rows", found.rows},
                    {"needed", found.needed},
                    {"by_program", rates_json(found.programs)},
                    {"by_partition", rates_json(found.partitions)},
                    {"partitions", answer.partitions},
                    {"never_simulate_wrong", found.never_wrong},
                    {"sensitive_wrong", found.sensitive_wrong},
                    {"selected", std::move(selected)},
                    {"left_out", std::move(left_out)},
                    {"reliability", std::move(reliability)}};
  if (found.programs) {
    json["by_threshold"] = thresholds_json(found.thresholds);
    json["difference_within"] = found.difference_within;
    json["cost_within"] = found.cost_within;
    json["outside_wrong"] = found.outside_wrong;
    json["inside_wrong"] = found.inside_wrong;
  }
  if (!found.curve.empty()) json["curve"] = curve_json(found.curve);
  return json;
}

ordered_json to_json(const FeaturesAnswer&) {
  ordered_json features = ordered_json::array();
  for (const analysis::Feature& feature : analysis::features())
    features.push_back({{"name", feature.name},
                        {"unit", feature.unit},
                        {"meaning", feature.meaning},
                        {"paper", feature.of_paper},
                        {"derived", feature.derived}});
  return {{"part", "features"}, {"features", std::move(features)}};
}

std::string to_text(const FeaturesAnswer&) {
  Table table({"feature", "unit", "meaning"});
  for (const analysis::Feature& feature : analysis::features())
    table.add({std::string(feature.name), std::string(feature.unit), std::string(feature.meaning)});
  return table.text();
}

} // namespace timeless::tools
