#include "tools/render/replay/prediction/prediction.h"

#include "analysis/trace/measured.h"
#include "tools/cli/console.h"
#include "tools/cli/trace_input.h"
#include "tools/render/answer.h"
#include "tools/render/figures.h"
#include "tools/render/replay/prediction/contention.h"
#include "tools/render/replay/prediction/critical_path.h"
#include "tools/render/replay/prediction/deadlock.h"
#include "tools/render/replay/prediction/division.h"
#include "tools/render/replay/prediction/efficiencies.h"
#include "tools/render/replay/prediction/not_modelled.h"
#include "tools/render/replay/prediction/process_work.h"
#include "tools/render/replay/prediction/steady.h"
#include "tools/render/replay/prediction/times.h"
#include "tools/render/replay/prediction/tolerances.h"
#include "tools/replaying/rate_range.h"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <optional>
#include <vector>

namespace timeless::tools {

namespace {

using replay::LaneResult;
using replay::RankTimes;

std::string counter_text(const trace::Run& run) {
  if (run.counter.unit == trace::VolumeUnit::none) return "none: no computation was recorded";
  return fmt::format("{}: {}, {}", run.counter.name, name(run.counter.unit), name(run.counter.exactness));
}

std::string shares_text(const Prediction& prediction) {
  const auto columns = time_columns(prediction.result.lanes);
  std::vector<std::string> header{"configuration", "time"};
  add_names(header, columns);
  Table table(header);
  for (const LaneResult& lane : prediction.result.lanes) {
    if (lane.deadlock) {
      std::vector<std::string> row{lane.name, "deadlock"};
      row.resize(header.size(), "-");
      table.add(row);
      continue;
    }
    std::vector<std::string> row{lane.name, human_seconds(lane.makespan)};
    add_shares(row, replay::mean(lane), columns);
    table.add(row);
  }
  return table.text() + "shares are means over the ranks\n";
}

std::string rank_and_end(const LaneResult& lane, std::vector<RankTimes>::const_iterator rank) {
  return fmt::format("{} (rank {})", human_seconds(rank->end), rank - lane.ranks.begin());
}

std::string ends_text(const Prediction& prediction) {
  Table table({"configuration", "simulated time", "fastest rank", "slowest rank", "simulated in (CPU)", "actions/s"});
  for (std::size_t i = 0; i < prediction.result.lanes.size(); ++i) {
    const LaneResult& lane = prediction.result.lanes[i];
    if (lane.deadlock) {
      table.add({lane.name, "deadlock", "-", "-", "-", "-"});
      continue;
    }
    const auto [fastest, slowest] = std::ranges::minmax_element(lane.ranks, {}, &RankTimes::end);
    const double cpu = prediction.cpu_seconds.at(i);
    table.add({lane.name, human_seconds(lane.makespan), rank_and_end(lane, fastest), rank_and_end(lane, slowest),
               human_seconds(cpu), human_count(static_cast<double>(prediction.result.actions) / std::max(cpu, 1e-6))});
  }
  return table.text();
}

std::string ranks_text(const Prediction& prediction) {
  std::string text;
  const auto columns = time_columns(prediction.result.lanes);
  for (std::size_t i = 0; i < prediction.result.lanes.size(); ++i) {
    const LaneResult& lane = prediction.result.lanes[i];
    if (lane.deadlock) continue;
    std::vector<std::string> header{"rank", "node", "end"};
    if (prediction.result.attributed) add_names(header, columns);
    Table table(header);
    for (std::size_t rank = 0; rank < lane.ranks.size(); ++rank) {
      std::vector<std::string> row{std::to_string(rank), basis_of(prediction, i).nodes.at(rank),
                                   human_seconds(lane.ranks[rank].end)};
      if (prediction.result.attributed) add_shares(row, lane.ranks[rank], columns);
      table.add(row);
    }
    text += "\n" + text_line("{}", lane.name) + table.text();
  }
  return text;
}

std::string measured_text(const trace::Run& run, const Prediction& prediction) {
  const std::optional<double> seconds = analysis::measured_time(run);
  if (!seconds) return {};
  std::string text;
  text += text_fact(10, "measured",
                    "{} while the trace was recorded, the recorder's own cost and what folding costs within",
                    human_seconds(*seconds));
  if (const std::string why = why_incomparable(run, prediction.result.steady); !why.empty()) {
    text += text_fact(10, "", "not to be compared with a prediction: {}", why);
    return text;
  }
  for (const LaneResult& lane : prediction.result.lanes)
    if (!lane.deadlock)
      text += text_fact(10, "", "{}: {} predicted, {:.3f} times the measured", lane.name, human_seconds(lane.makespan),
                        *analysis::over_measured(lane.makespan, run));
  return text;
}

/// What the times rest on: trace, machine, mapping, counter, rates, model and notes.
std::string conditions_text(const PredictionAnswer& answer) {
  const auto& [asked, run, prediction, listing] = answer;
  std::string text;
  text += text_fact(10, "trace", "{}, {} rank{}, {} actions", asked.trace, run.size,
                    plural(static_cast<std::uint64_t>(run.size)),
                    human_count(static_cast<double>(prediction.result.actions)));
  text += text_fact(10, "machine", "{}", prediction.machine);
  text += text_fact(10, "mapping", "{}", prediction.mapping_sentence);
  text += text_fact(10, "counter", "{}", counter_text(run));
  if (run.volume_error > 0) text += text_fact(10, "volumes", "{}", rounding(run));
  if (const std::string made = extrapolation_words(run); !made.empty()) text += text_fact(10, "trace", "{}", made);
  text += measured_text(run, prediction);
  const ComputeBasis& compute = prediction.bases.front().compute;
  text += text_fact(10, "compute", "{}{}", compute.assumed ? "ASSUMED: " : "", compute.sentence);
  const RateRange range = rate_range(asked.machine, compute);
  for (std::size_t lane = 0; lane < prediction.intervals.size(); ++lane)
    if (!prediction.result.lanes[lane].deadlock)
      text += text_fact(10, lane == 0 ? "interval" : "", "{}: {} to {}, {}", prediction.result.lanes[lane].name,
                        human_seconds(prediction.intervals[lane].low), human_seconds(prediction.intervals[lane].high),
                        interval_words(asked.machine, range));
  text += text_fact(10, "model", "{}",
                    asked.backend == Backend::smpi
                        ? "SimGrid's SMPI: messages share links, collectives are SMPI's own messages"
                        : fmt::format("every message alone, without contention{}",
                                      asked.ports == replay::Ports::none
                                          ? ""
                                          : fmt::format("; messages come in one after the other (--ports {})",
                                                        replay::name(asked.ports))));
  if (const auto& steady = prediction.result.steady) text += to_text(*steady, prediction.result);
  for (const std::string& note : prediction.notes)
    text += text_fact(10, "note", "{}", note);
  if (const auto& timeline = prediction.timeline)
    text += text_line("{:<10}{}, {}; {}", "timeline", timeline->file, human_bytes(static_cast<double>(timeline->bytes)),
                      timeline->how_to_open());
  return text + to_text(prediction.result.not_modelled);
}

} // namespace

std::string to_text(const PredictionAnswer& answer) {
  const Prediction& prediction = answer.prediction;
  const std::vector<LaneResult>& lanes = prediction.result.lanes;
  std::string text = prediction.result.attributed ? shares_text(prediction) : ends_text(prediction);
  text += deadlocks_text(lanes) + efficiencies_text(lanes) + sensitivities_text(lanes) + tolerances_text(prediction);
  text += division_text(prediction, answer.listing);
  if (prediction.critical_path)
    text += to_text(*prediction.critical_path, lanes.at(prediction.critical_path_lane).name, prediction.kernels,
                    answer.listing);
  for (std::size_t i = 0; i < prediction.contentions.size(); ++i)
    if (prediction.contentions[i])
      text += to_text(*prediction.contentions[i], lanes.at(i).name, prediction.kernels, answer.listing);
  if (answer.listing.per_rank) text += ranks_text(prediction);
  return text + to_text(prediction.processes) + "\n" + conditions_text(answer);
}

void print_prediction(const PredictionAnswer& answer, bool json) {
  const std::vector<LaneResult>& lanes = answer.prediction.result.lanes;
  const auto dead = std::ranges::count_if(lanes, [](const LaneResult& lane) { return lane.deadlock != nullptr; });
  if (dead > 0) print_warning(fmt::format("{} of {} configurations end in a deadlock", dead, lanes.size()));
  print_answer("replay", 1, answer, json);
}

} // namespace timeless::tools
