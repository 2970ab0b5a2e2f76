#include "tools/render/replay/classification.h"

#include "tools/cli/console.h"
#include "tools/cli/trace_input.h"
#include "tools/machines/named_networks.h"
#include "tools/render/figures.h"
#include "tools/render/machines/compute_basis.h"
#include "tools/render/replay/advice.h"
#include "tools/render/replay/confidence.h"
#include "tools/render/replay/prediction/deadlock.h"
#include "tools/render/replay/prediction/efficiencies.h"
#include "tools/render/replay/prediction/not_modelled.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

namespace timeless::tools {

namespace {

std::string machine_text(const ClassifiedMachine& answer) {
  if (!answer.network) return answer.basis.name;
  return fmt::format("{} ({}, {})", answer.basis.name, latency_words(*answer.network),
                     bandwidth_words(*answer.network));
}

std::string class_words(const ClassifiedMachine& answer) {
  if (answer.deadlocked()) return "deadlock";
  if (!answer.refusal.empty()) return "-";
  if (!answer.has_class()) return no_network_words;
  return name(answer.classification) + (answer.recorded_part ? " (recorded part)" : "");
}

/// The same where what helps does not stand beside it.
std::string class_by_itself(const ClassifiedMachine& answer) {
  if (!answer.refusal.empty() || !answer.has_class()) return class_words(answer);
  return class_and_help(answer.classification, answer.advice) + (answer.recorded_part ? " (recorded part)" : "");
}

std::string helps(const ClassifiedMachine& answer) {
  return answer.advice ? helps_words(*answer.advice) : "-";
}

std::string helps_of_part(const ClassifiedMachine& answer) {
  return helps(answer) + (answer.advice && answer.recorded_part ? " (recorded part)" : "");
}

std::string times_faster(double factor) {
  return fmt::format("{:.2f}x", factor);
}

std::vector<AdvisedMachine> advised(const std::vector<ClassifiedMachine>& all) {
  std::vector<AdvisedMachine> machines;
  for (const ClassifiedMachine& answer : all)
    if (answer.advice) machines.push_back({answer.basis.name, &*answer.advice, &answer.basis.compute});
  return machines;
}

std::string classes_text(const std::vector<ClassifiedMachine>& all) {
  const bool with_copies = !all.front().classification.thresholds.copies_communicate;
  Table answers({"network", "bound by", "what helps", "confidence", "time"});
  Table shares({"network", with_copies ? "compute+copy %" : "compute %", "wait %", "latency %", "bandwidth %",
                "8x bandwidth", "latency/8"});
  NumberedReasons reasons;
  for (const ClassifiedMachine& answer : all) {
    const analysis::Evidence& evidence = answer.classification.evidence;
    answers.add({machine_text(answer), class_words(answer), helps(answer),
                 answer.trust ? reasons.words(*answer.trust) : "-",
                 answer.deadlocked() ? "-" : human_seconds(evidence.total)});
    if (answer.deadlocked()) continue;
    shares.add({answer.basis.name, percent_text(evidence.computation), percent_text(evidence.wait),
                percent_text(evidence.latency), percent_text(evidence.bandwidth),
                times_faster(evidence.bandwidth_speedup), times_faster(evidence.latency_speedup)});
  }
  std::string text = answers.text() + "\n";
  if (const std::string& refusal = all.front().refusal; !refusal.empty())
    text += text_paragraph("", refusal);
  else
    text += advice_text(advised(all));
  if (!reasons.all().empty()) text += "\nconfidence:\n" + reasons.text();
  text += "\n" + shares.text();
  if (!all.front().refusal.empty()) return text;
  text += "\n";
  for (const ClassifiedMachine& answer : all)
    text += text_paragraph(answer.basis.name + ": ", class_reason(answer));
  return text;
}

/// "latency for any rate above 2.10 G/s (communication at 1.98 G/s), up to 64.0 G/s, the largest tried".
std::string range_text(const ClassifiedMachine& answer) {
  const ClassRange& range = *answer.range;
  const auto text = [&](double speed) { return speed_words(answer.basis.compute, speed); };
  const auto other = [&](const ClassRange::Point& point) { return point.name + " at " + text(point.speed); };
  const double lowest = range.tried[range.first].speed;
  const double highest = range.tried[range.last].speed;
  const std::string own = name(answer.classification);
  if (range.below() == nullptr && range.above() == nullptr)
    return fmt::format("{} for any rate that was tried, {} to {}", own, text(lowest), text(highest));
  if (range.above() == nullptr)
    return fmt::format("{} for any rate from {} ({}) up to {}, the largest tried", own, text(lowest),
                       other(*range.below()), text(highest));
  if (range.below() == nullptr)
    return fmt::format("{} for any rate from {}, the smallest tried, up to {} ({})", own, text(lowest), text(highest),
                       other(*range.above()));
  return fmt::format("{} for rates from {} to {} ({}; {})", own, text(lowest), text(highest), other(*range.below()),
                     other(*range.above()));
}

std::string ranges_text(const std::vector<ClassifiedMachine>& all) {
  if (std::ranges::none_of(all, [](const ClassifiedMachine& answer) { return answer.range.has_value(); })) return {};
  std::string text = "\n";
  for (const ClassifiedMachine& answer : all)
    if (answer.range) text += text_paragraph(answer.basis.name + ": ", range_text(answer));
  return text;
}

std::string anchors_text(const std::vector<ClassifiedMachine>& all) {
  std::vector<replay::LaneResult> anchors;
  for (const ClassifiedMachine& answer : all) {
    anchors.push_back(answer.anchor());
    anchors.back().name = answer.basis.name;
  }
  return efficiencies_text(anchors);
}

std::string configurations_text(const std::vector<ClassifiedMachine>& all) {
  std::string text;
  for (const ClassifiedMachine& answer : all) {
    Table table({"configuration", "time", "compute+copy %", "wait %", "latency %", "bandwidth %"});
    for (const replay::LaneResult& lane : answer.lanes) {
      const replay::Shares share = replay::shares(lane);
      table.add({lane.name, lane.deadlock ? "deadlock" : human_seconds(lane.makespan),
                 fmt::format("{:.1f}", share.computation), fmt::format("{:.1f}", share.wait),
                 fmt::format("{:.1f}", share.latency), fmt::format("{:.1f}", share.bandwidth)});
    }
    text += "\n" + table.text();
  }
  return text;
}

std::string conditions_text(const ClassifyAnswer& answer) {
  const auto& machines = answer.machines;
  std::string text = "\n";
  const ComputeBasis& compute = machines.bases().front().compute;
  text += text_paragraph("mapping   ", machines.mapping_sentence());
  text += text_paragraph("compute   ", (compute.assumed ? "ASSUMED: " : "") + compute.sentence);
  text += text_paragraph("intervals ", range_words(answer.rates));
  text += text_paragraph("model     ",
                         "no contention: a bandwidth-bound program is likelier to suffer from it than this says");
  if (answer.run.volume_error > 0) text += text_paragraph("volumes   ", rounding(answer.run));
  for (const std::string& note : machines.notes())
    text += text_paragraph("note      ", note);
  for (const std::string& note : answer.result.notes)
    text += text_paragraph("note      ", note);
  return text + to_text(answer.result.not_modelled);
}

} // namespace

std::string class_reason(const ClassifiedMachine& answer) {
  if (answer.deadlocked()) return deadlock_sentence();
  if (!answer.refusal.empty()) return answer.refusal;
  if (!answer.has_class()) return no_network_reason(answer.basis);
  return (answer.recorded_part ? "of the recorded part: " : "") + reason(answer.classification);
}

std::string to_text(const ClassifyAnswer& answer) {
  const std::vector<ClassifiedMachine>& all = answer.classified;
  return classes_text(all) + ranges_text(all) + anchors_text(all) +
         (answer.configurations ? configurations_text(all) : "") + conditions_text(answer);
}

namespace {

/// Programs by name, each with its numbers of ranks rising.
std::vector<const ClassifyAnswer*> in_order(const std::vector<ClassifyAnswer>& traces) {
  std::vector<const ClassifyAnswer*> all;
  for (const ClassifyAnswer& one : traces)
    all.push_back(&one);
  std::ranges::stable_sort(all, {}, [](const ClassifyAnswer* one) { return std::pair(one->program, one->run.size); });
  return all;
}

template <typename Cell>
std::string matrix(const std::string& title, const std::vector<const ClassifyAnswer*>& traces, Cell cell) {
  std::vector<std::string> header{title, "ranks"};
  for (const ClassifiedMachine& machine : traces.front()->classified)
    header.push_back(machine.basis.name);
  Table table(header);
  for (const ClassifyAnswer* one : traces) {
    std::vector<std::string> row{one->program, std::to_string(one->run.size)};
    for (const ClassifiedMachine& machine : one->classified)
      row.push_back(cell(machine));
    table.add(row);
  }
  return table.text();
}

} // namespace

std::string to_text(const ClassifyTracesAnswer& answer) {
  const std::vector<const ClassifyAnswer*> traces = in_order(answer.traces);
  std::string text = matrix("bound by", traces, class_by_itself);
  text += "\n" + matrix("what helps", traces, helps_of_part);
  for (const ClassifyAnswer* one : traces)
    text += "\n" +
            text_paragraph("", fmt::format("{}, {} rank{} ({})", one->program, one->run.size,
                                           plural(static_cast<std::uint64_t>(one->run.size)), one->trace)) +
            classes_text(one->classified) + ranges_text(one->classified) + conditions_text(*one);
  return text;
}

} // namespace timeless::tools
