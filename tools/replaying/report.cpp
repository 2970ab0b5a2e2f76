#include "tools/replaying/report.h"

#include "tools/replaying/contention_report.h"

#include "analysis/measured.h"
#include "tools/cli/console.h"
#include "tools/cli/trace_input.h"
#include "tools/render/not_modelled.h"

#include "base/escaping.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace timeless::tools {

namespace {

using replay::LaneResult;
using replay::RankTimes;

const char* backend_name(Backend backend) {
  return backend == Backend::smpi ? "smpi" : "model";
}

std::string counter_text(const trace::Run& run) {
  if (run.counter.unit == trace::VolumeUnit::none) return "none: no computation was recorded";
  return fmt::format("{}: {}, {}", run.counter.name, name(run.counter.unit), name(run.counter.exactness));
}

/// The parts of a rank's time that have columns: all programs' first.
std::vector<std::pair<const char*, double RankTimes::*>> share_columns(const Prediction& prediction) {
  std::vector<std::pair<const char*, double RankTimes::*>> columns{
      {"compute %", &RankTimes::compute}, {"copy %", &RankTimes::memory_copy}, {"overhead %", &RankTimes::overhead},
      {"wait %", &RankTimes::wait},       {"latency %", &RankTimes::latency},  {"bandwidth %", &RankTimes::bandwidth}};
  // Most programs' ranks touch no file through MPI, and begin at 0.
  for (const auto& rare : {std::pair{"files %", &RankTimes::files}, std::pair{"not started %", &RankTimes::start}}) {
    const auto takes = [&](const RankTimes& times) { return times.*rare.second > 0; };
    if (std::ranges::any_of(prediction.result.lanes,
                            [&](const LaneResult& lane) { return std::ranges::any_of(lane.ranks, takes); }))
      columns.emplace_back(rare);
  }
  return columns;
}

void add_names(std::vector<std::string>& header, const auto& columns) {
  for (const auto& column : columns)
    header.emplace_back(column.first);
}

/// How a rank's, or the mean rank's, time divides, in percent of its end.
void add_shares(std::vector<std::string>& row, const RankTimes& times, const auto& columns) {
  for (const auto& column : columns)
    row.push_back(fmt::format("{:.1f}", times.end > 0 ? 100 * (times.*column.second) / times.end : 0));
}

void print_shares(const Prediction& prediction) {
  const auto columns = share_columns(prediction);
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
  fmt::print("{}shares are means over the ranks\n", table.text());
}

/// "e1g", "e1g and 3 more": the lanes that ended alike, each sort once.
void print_deadlocks(const Prediction& prediction) {
  std::vector<std::pair<const replay::Diagnosis*, std::vector<std::string>>> sorts;
  for (const LaneResult& lane : prediction.result.lanes) {
    if (!lane.deadlock) continue;
    auto sort = std::ranges::find(sorts, lane.deadlock.get(), [](const auto& one) { return one.first; });
    if (sort == sorts.end()) sort = sorts.insert(sort, {lane.deadlock.get(), {}});
    sort->second.push_back(lane.name);
  }
  for (const auto& [diagnosis, names] : sorts) {
    const std::string more = names.size() > 1 ? fmt::format(" and {} more", names.size() - 1) : "";
    fmt::print("\n{}{}: {}\n", escaped(names.front()), more, replay::text(*diagnosis));
  }
}

std::string rank_and_end(const LaneResult& lane, std::vector<RankTimes>::const_iterator rank) {
  return fmt::format("{} (rank {})", human_seconds(rank->end), rank - lane.ranks.begin());
}

void print_ends(const Prediction& prediction) {
  Table table({"configuration", "simulated time", "fastest rank", "slowest rank", "simulated in (CPU)", "actions/s"});
  for (std::size_t i = 0; i < prediction.result.lanes.size(); ++i) {
    const LaneResult& lane = prediction.result.lanes[i];
    const auto [fastest, slowest] = std::ranges::minmax_element(lane.ranks, {}, &RankTimes::end);
    const double cpu = prediction.cpu_seconds.at(i);
    table.add({lane.name, human_seconds(lane.makespan), rank_and_end(lane, fastest), rank_and_end(lane, slowest),
               human_seconds(cpu), human_count(static_cast<double>(prediction.result.actions) / std::max(cpu, 1e-6))});
  }
  fmt::print("{}", table.text());
}

void print_ranks(const Prediction& prediction) {
  const auto columns = share_columns(prediction);
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
    fmt::print("\n{}{}", text_line("{}", lane.name), table.text());
  }
}

void print_processes(const Prediction& prediction) {
  if (prediction.processes.empty()) return;
  Table table({"process", "ranks", "actions", "messages", "meetings", "batches", "bytes", "seconds", "waited", "CPU"});
  for (std::size_t process = 0; process < prediction.processes.size(); ++process) {
    const replay::ProcessWork& work = prediction.processes[process];
    table.add({std::to_string(process),
               work.share.size() > 0 ? fmt::format("{}-{}", work.share.begin, work.share.end - 1) : "none",
               human_count(static_cast<double>(work.actions)), human_count(static_cast<double>(work.messages)),
               human_count(static_cast<double>(work.collectives)), human_count(static_cast<double>(work.batches)),
               human_bytes(static_cast<double>(work.bytes)), human_seconds(work.seconds), human_seconds(work.waited),
               human_seconds(work.cpu_seconds)});
  }
  fmt::print("\n{}messages, parts and results of meetings, batches and bytes are those told to other processes\n",
             table.text());
}

nlohmann::ordered_json processes_json(const Prediction& prediction) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const replay::ProcessWork& work : prediction.processes)
    all.push_back({{"first_rank", work.share.begin},
                   {"ranks", work.share.size()},
                   {"actions", work.actions},
                   {"messages", work.messages},
                   {"meetings", work.collectives},
                   {"batches", work.batches},
                   {"bytes", work.bytes},
                   {"seconds", work.seconds},
                   {"waited_seconds", work.waited},
                   {"cpu_seconds", work.cpu_seconds}});
  return all;
}

void print_measured(const trace::Run& run, const Prediction& prediction) {
  const std::optional<double> seconds = measured_time(run);
  if (!seconds) return;
  print_line("{:<10}{} while the trace was recorded, the recorder's own cost and what folding costs within", "measured",
             human_seconds(*seconds));
  if (const std::string why = why_incomparable(run); !why.empty()) {
    print_line("{:<10}not to be compared with a prediction: {}", "", why);
    return;
  }
  for (const LaneResult& lane : prediction.result.lanes)
    if (!lane.deadlock)
      print_line("{:<10}{}: {} predicted, {:.3f} times the measured", "", lane.name, human_seconds(lane.makespan),
                 lane.makespan / *seconds);
}

void print_text(const PredictionOptions& asked, const trace::Run& run, const Prediction& prediction,
                const ReportOptions& options) {
  if (prediction.result.attributed)
    print_shares(prediction);
  else
    print_ends(prediction);
  print_deadlocks(prediction);
  fmt::print("{}{}{}", efficiencies_text(prediction.result), sensitivities_text(prediction.result),
             tolerances_text(prediction));
  fmt::print("{}{}{}", division_text(prediction, options.answers), critical_path_text(prediction, options.answers),
             contention_text(prediction, options.answers));
  if (options.per_rank) print_ranks(prediction);
  print_processes(prediction);
  fmt::print("\n");
  print_line("{:<10}{}, {} ranks, {} actions", "trace", asked.trace, run.size,
             human_count(static_cast<double>(prediction.result.actions)));
  print_line("{:<10}{}", "machine", prediction.machine);
  print_line("{:<10}{}", "mapping", prediction.mapping_sentence);
  print_line("{:<10}{}", "counter", counter_text(run));
  if (run.volume_error > 0) print_line("{:<10}{}", "volumes", rounding(run));
  print_measured(run, prediction);
  const ComputeBasis& compute = prediction.bases.front().compute;
  print_line("{:<10}{}{}", "compute", compute.assumed ? "ASSUMED: " : "", compute.sentence);
  print_line("{:<10}{}", "model",
             asked.backend == Backend::smpi
                 ? "SimGrid's SMPI: messages share links, collectives are SMPI's own messages"
                 : fmt::format("every message alone, without contention{}",
                               asked.ports == replay::Ports::none
                                   ? ""
                                   : fmt::format("; messages come in one after the other (--ports {})",
                                                 replay::name(asked.ports))));
  for (const std::string& note : prediction.notes)
    print_line("{:<10}{}", "note", note);
  if (const auto& timeline = prediction.timeline)
    print_line("{:<10}{}, {}; {}", "timeline", timeline->file, human_bytes(static_cast<double>(timeline->bytes)),
               timeline->how_to_open());
  fmt::print("{}", not_modelled_text(prediction.result));
}

nlohmann::ordered_json times_json(const RankTimes& times, bool attributed) {
  nlohmann::ordered_json json{{"end", times.end}};
  if (!attributed) return json;
  json["compute"] = times.compute;
  json["memory_copy"] = times.memory_copy;
  json["overhead"] = times.overhead;
  json["wait"] = times.wait;
  json["latency"] = times.latency;
  json["bandwidth"] = times.bandwidth;
  json["files"] = times.files;
  if (times.start != 0) json["not_started"] = times.start;
  return json;
}

nlohmann::ordered_json blocked_json(const replay::BlockedRank& blocked) {
  nlohmann::ordered_json json{{"rank", blocked.rank}, {"action", blocked.action}, {"call", blocked.call}};
  if (blocked.thread != trace::no_rank) json["thread"] = blocked.thread;
  if (blocked.for_thread != trace::no_rank) {
    json["waits_for"] = "thread";
    json["for_thread"] = blocked.for_thread;
    return json;
  }
  json["communicator"] = blocked.communicator;
  if (!blocked.collective.empty()) {
    json["waits_for"] = "collective";
    json["collective"] = blocked.collective;
    json["missing"] = blocked.missing;
    json["missing_count"] = blocked.missing_count;
    return json;
  }
  json["waits_for"] = blocked.sends ? "receive" : "message";
  json["peer"] = blocked.peer;
  json["tag"] = blocked.tag;
  if (blocked.sends) json["bytes"] = blocked.bytes;
  return json;
}

nlohmann::ordered_json deadlock_json(const LaneResult& lane) {
  nlohmann::ordered_json json{{"name", lane.name}, {"makespan_seconds", nullptr}, {"deadlocked", true}};
  json["diagnosis"] = {{"blocked", nlohmann::ordered_json::array()},
                       {"cycle", lane.deadlock->cycle},
                       {"remarks", lane.deadlock->remarks},
                       {"text", replay::text(*lane.deadlock)}};
  for (const replay::BlockedRank& blocked : lane.deadlock->blocked)
    json["diagnosis"]["blocked"].push_back(blocked_json(blocked));
  return json;
}

/// "by_call", "by_kernel"
const char* division_name(const replay::Attribution& attribution) {
  return attribution.by == replay::AttributeBy::calls ? "by_call" : "by_kernel";
}

void add_answers(nlohmann::ordered_json& json, const Prediction& prediction, std::size_t number,
                 const AnswerOptions& options) {
  const LaneResult& lane = prediction.result.lanes[number];
  if (lane.deadlock) return;
  if (lane.ideal_makespan) json["efficiency"] = efficiencies_json(lane);
  if (!lane.rank_sensitivities.empty()) json["critical_path_seconds"] = sensitivity_json(lane);
  if (prediction.critical_path && number == prediction.critical_path_lane)
    json["critical_path"] = critical_path_json(*prediction.critical_path, options);
  if (number < prediction.contentions.size() && prediction.contentions[number])
    json["contention"] = contention_json(prediction, number, options);
  if (!prediction.tolerances.empty()) json["tolerance"] = tolerance_json(prediction.tolerances.at(number));
  const replay::Attribution& attribution = prediction.result.attribution;
  if (attribution.by == replay::AttributeBy::nothing) return;
  json[division_name(attribution)] = division_json(prediction.result, number, options);
  if (!options.per_rank) return;
  for (auto& rank : json["ranks"])
    rank[division_name(attribution)] =
        division_json(prediction.result, number, rank["rank"].get<trace::Rank>(), options);
}

nlohmann::ordered_json lane_json(const Prediction& prediction, std::size_t number) {
  const LaneResult& lane = prediction.result.lanes[number];
  const MachineBasis& basis = basis_of(prediction, number);
  if (lane.deadlock) return deadlock_json(lane);
  const bool attributed = prediction.result.attributed;
  nlohmann::ordered_json json;
  json["name"] = lane.name;
  json["makespan_seconds"] = lane.makespan;
  json["overheads"] = basis.overheads;
  json["compute_rate"] = rate_json(basis.compute);
  json["mean_seconds"] = times_json(replay::mean(lane), attributed);
  json["ranks"] = nlohmann::ordered_json::array();
  for (std::size_t rank = 0; rank < lane.ranks.size(); ++rank)
    json["ranks"].push_back(
        {{"rank", rank}, {"node", basis.nodes.at(rank)}, {"seconds", times_json(lane.ranks[rank], attributed)}});
  for (const replay::ThreadTimes& one : lane.threads)
    json["ranks"].at(static_cast<std::size_t>(one.rank))["threads"].push_back(
        {{"thread", one.thread}, {"seconds", times_json(one.times, attributed)}});
  return json;
}

} // namespace

nlohmann::ordered_json prediction_json(const PredictionOptions& asked, const trace::Run& run,
                                       const Prediction& prediction, const AnswerOptions& answers) {
  nlohmann::ordered_json json;
  json["trace"] = asked.trace;
  json["complete"] = run.complete();
  json["incompleteness"] = incompleteness(run);
  json["ranks"] = run.size;
  json["actions"] = prediction.result.actions;
  json["backend"] = backend_name(asked.backend);
  if (asked.backend == Backend::model) json["collectives"] = replay::name(asked.collectives);
  json["machine"] = prediction.machine;
  json["mapping"] = prediction.mapping_sentence;
  json["counter"] = {
      {"name", run.counter.name}, {"unit", name(run.counter.unit)}, {"exactness", name(run.counter.exactness)}};
  json["volume_error"] = volume_error(run);
  json["compute"] = prediction.bases.front().compute.sentence;
  json["compute_assumed"] = prediction.bases.front().compute.assumed;
  json["notes"] = prediction.notes;
  if (asked.backend == Backend::model) json["not_modelled"] = not_modelled_json(prediction.result);
  if (asked.backend == Backend::model) json["ports"] = replay::name(asked.ports);
  if (const auto& incast = prediction.result.incast; incast && !prediction.result.lanes.front().deadlock)
    json["incast"] = {
        {"rank", incast->rank}, {"seconds", incast->seconds}, {"configuration", prediction.result.lanes.front().name}};
  if (const std::optional<double> seconds = measured_time(run)) {
    json["measured_seconds"] = *seconds;
    json["measured_incomparable_because"] = why_incomparable(run);
  }
  json["configurations"] = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < prediction.result.lanes.size(); ++i) {
    json["configurations"].push_back(lane_json(prediction, i));
    add_answers(json["configurations"].back(), prediction, i, answers);
    if (!prediction.cpu_seconds.empty())
      json["configurations"].back()["simulation_cpu_seconds"] = prediction.cpu_seconds.at(i);
    const std::optional<double> seconds = comparable_time(run);
    if (seconds && !prediction.result.lanes[i].deadlock)
      json["configurations"].back()["predicted_over_measured"] = prediction.result.lanes[i].makespan / *seconds;
  }
  if (!prediction.processes.empty()) json["processes"] = processes_json(prediction);
  if (const auto& timeline = prediction.timeline)
    json["timeline"] = {{"file", timeline->file}, {"format", timeline->format}, {"bytes", timeline->bytes}};
  return json;
}

void print_prediction(const PredictionOptions& asked, const trace::Run& run, const Prediction& prediction,
                      const ReportOptions& options) {
  const auto dead =
      std::ranges::count_if(prediction.result.lanes, [](const LaneResult& lane) { return lane.deadlock != nullptr; });
  if (dead > 0)
    print_warning(fmt::format("{} of {} configurations end in a deadlock", dead, prediction.result.lanes.size()));
  if (options.json)
    print_json("replay", 1, prediction_json(asked, run, prediction, options.answers));
  else
    print_text(asked, run, prediction, options);
}

} // namespace timeless::tools
