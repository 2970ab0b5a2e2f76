#include "analysis/comparison.h"

#include "base/units.h"

#include "base/error.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace timeless::analysis {

namespace {

constexpr std::int64_t before_the_first = -1;
constexpr std::int64_t others = -2;

const nlohmann::json& chosen(const nlohmann::json& configurations, const std::string& wanted, const std::string& file) {
  if (wanted.empty() && !configurations.empty()) return configurations.front();
  std::string names;
  std::size_t number = 0;
  for (const nlohmann::json& one : configurations) {
    const std::string name = one.at("name").get<std::string>();
    if (name == wanted || std::to_string(number) == wanted) return one;
    names += (number++ == 0 ? "" : ", ") + name;
  }
  throw Error(Failure::usage, "there is no configuration '" + wanted + "'", file, "it has: " + names);
}

std::string kernel_name(const nlohmann::json& kernel) {
  if (!kernel.contains("from") || !kernel.contains("to")) return {};
  const nlohmann::json& from = kernel.at("from");
  const nlohmann::json& to = kernel.at("to");
  if (from.is_null() && to.is_null()) return {};
  const auto text = [](const nlohmann::json& end) { return end.is_null() ? "no known place" : end.get<std::string>(); };
  return text(from) + " to " + text(to);
}

std::map<std::int64_t, TimedPart> kernels_of(const nlohmann::json& list) {
  std::map<std::int64_t, TimedPart> kernels;
  for (const nlohmann::json& one : list) {
    const std::int64_t number = one.contains("others")       ? others
                                : one.at("kernel").is_null() ? before_the_first
                                                             : one.at("kernel").get<std::int64_t>();
    kernels[number] = {kernel_name(one), one.at("count").get<std::uint64_t>(),
                       one.at("seconds").at("all").get<double>()};
  }
  return kernels;
}

std::map<std::string, TimedPart> calls_of(const nlohmann::json& list) {
  std::map<std::string, TimedPart> calls;
  for (const nlohmann::json& one : list) {
    const std::string name = one.contains("others") ? "others" : one.at("call").get<std::string>();
    calls[name] = {name, one.at("count").get<std::uint64_t>(), one.at("seconds").at("all").get<double>()};
  }
  return calls;
}

/// Adds a rank's times, to be divided by the number of ranks.
class MeasuredRank {
public:
  MeasuredRank(std::map<std::int64_t, TimedPart>& kernels, std::map<std::string, TimedPart>& calls)
      : kernels_(kernels), calls_(calls) {}

  void add(const trace::ActionBlock& block) {
    const auto times = block.times();
    for (std::size_t position = 0; position < times.size(); ++position)
      add(block.dictionary()[block.sequence()[position]], times[position]);
  }

  double end() const { return static_cast<double>(end_) * 1e-9; }

private:
  void add(const trace::Action& action, trace::ActionTimes times) {
    const trace::ActionFamily family = trace::family(action.kind);
    if (action.kind == trace::ActionKind::compute) {
      kernel_ = action.kernel == trace::no_kernel ? before_the_first : std::int64_t{action.kernel};
      ++kernels_[kernel_].count;
    }
    // What lies between two actions is the later one's: calls of threads may overlap, and add nothing then.
    if (times.exit > end_) {
      kernels_[kernel_].seconds += static_cast<double>(times.exit - end_) * 1e-9;
      end_ = times.exit;
    }
    if (family == trace::ActionFamily::mark || action.kind == trace::ActionKind::resolved) return;
    const bool computation = family == trace::ActionFamily::computation;
    TimedPart& call = calls_[computation ? "computation" : trace::mpi_name(action)];
    ++call.count;
    call.seconds += static_cast<double>(times.exit - times.entry) * 1e-9;
  }

  std::map<std::int64_t, TimedPart>& kernels_;
  std::map<std::string, TimedPart>& calls_;
  std::int64_t kernel_ = before_the_first;
  std::uint64_t end_ = 0;
};

/// Returns why a configuration has no time.
Error without_time(const nlohmann::json& configuration, const std::string& file) {
  const std::string what = "configuration " + configuration.at("name").get<std::string>();
  const bool deadlocked = configuration.value("deadlocked", false);
  return {Failure::usage, what + (deadlocked ? " ended in a deadlock" : " has no simulated time"), file,
          deadlocked ? "name another one: FILE@NAME or FILE@NUMBER; replay it again to see which ranks wait"
                     : "name another one: FILE@NAME or FILE@NUMBER"};
}

std::optional<TimedResult::Rate> rate_of(const nlohmann::json& configuration) {
  if (!configuration.contains("compute_rate")) return std::nullopt;
  const nlohmann::json& rate = configuration.at("compute_rate");
  const auto figure = [&](const char* key) { return rate.at(key).is_null() ? 0 : rate.at(key).get<double>(); };
  return TimedResult::Rate{.from = rate.at("from").get<std::string>(),
                           .least = figure("least_per_second"),
                           .most = figure("most_per_second")};
}

/// Returns "3.68 G/s (platform)", "recorded times".
std::string text(const TimedResult::Rate& rate) {
  if (rate.least == 0) return rate.from;
  const std::string least = human_count(rate.least) + "/s";
  const std::string figures = rate.least == rate.most ? least : least + " to " + human_count(rate.most) + "/s";
  return figures + " (" + rate.from + ")";
}

/// Returns what two results rest on that is not the same in both.
std::vector<std::string> different_bases(const TimedResult& first, const TimedResult& second) {
  std::vector<std::string> notes;
  if (first.rate && second.rate && (first.rate->least != second.rate->least || first.rate->most != second.rate->most))
    notes.push_back("computation rests on different rates: A " + text(*first.rate) + ", B " + text(*second.rate) +
                    "; give both the same --compute-rate to compare networks");
  if (!first.overheads.empty() && !second.overheads.empty() && first.overheads != second.overheads)
    notes.push_back("what processors spend on messages rests on different bases: A " + first.overheads + ", B " +
                    second.overheads);
  return notes;
}

/// Says that the result has more configurations than the first, which nobody asked for by name.
std::string told_of_others(const nlohmann::json& configurations, const std::string& file) {
  constexpr std::size_t most = 8;
  std::string names;
  for (std::size_t i = 0; i < std::min(configurations.size(), most); ++i)
    names += (i == 0 ? "" : ", ") + configurations[i].at("name").get<std::string>();
  if (configurations.size() > most) names += ", ...";
  return file + " holds " + std::to_string(configurations.size()) + " configurations (" + names +
         "), and this is the first: FILE@NAME or FILE@NUMBER, from 0, names another";
}

/// Returns a run of a result, called `label` in what is printed.
TimedResult one_run(const nlohmann::json& answer, const std::string& configuration, const std::string& file,
                    const std::string& label) {
  TimedResult result;
  const nlohmann::json& one = chosen(answer.at("configurations"), configuration, file);
  if (one.at("makespan_seconds").is_null()) throw without_time(one, file);
  result.trace = answer.at("trace").get<std::string>();
  result.label = label + ": " + one.at("name").get<std::string>() +
                 (answer.at("backend") == "smpi" ? " in SMPI" : " in the model");
  result.makespan = one.at("makespan_seconds").get<double>();
  for (const nlohmann::json& rank : one.at("ranks"))
    result.ranks.push_back(rank.at("seconds").at("end").get<double>());
  result.rate = rate_of(one);
  result.overheads = one.value("overheads", std::string());
  if (one.contains("by_kernel")) result.kernels = kernels_of(one.at("by_kernel"));
  if (one.contains("by_call")) result.calls = calls_of(one.at("by_call"));
  if (configuration.empty() && answer.at("configurations").size() > 1)
    result.notes.push_back(told_of_others(answer.at("configurations"), file));
  return result;
}

std::string trace_of(const nlohmann::json& job) {
  return job.at("trace").get<std::string>();
}

std::string file_name(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

/// Returns "1: cg.tia, 2: mg.tia".
std::string listed(const nlohmann::json& jobs) {
  std::string text;
  for (std::size_t i = 0; i < jobs.size(); ++i)
    text += (i == 0 ? "" : ", ") + std::to_string(i + 1) + ": " + file_name(trace_of(jobs[i]));
  return text;
}

/// Returns the jobs that a name stands for, or the one that a number does.
std::vector<std::size_t> called(const nlohmann::json& jobs, const std::string& name) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < jobs.size(); ++i)
    if (const std::string trace = trace_of(jobs[i]); trace == name || file_name(trace) == name) found.push_back(i);
  for (std::size_t i = 0; i < jobs.size() && found.empty(); ++i)
    if (std::to_string(i + 1) == name) found.push_back(i);
  return found;
}

TimedResult all_together(const nlohmann::json& jobs, const std::string& file) {
  TimedResult all;
  for (const nlohmann::json& job : jobs) {
    const TimedResult one = one_run(job, "together", file, file);
    all.makespan = std::max(all.makespan, one.makespan);
    all.ranks.insert(all.ranks.end(), one.ranks.begin(), one.ranks.end());
    all.rate = one.rate;
    all.overheads = one.overheads;
    all.trace += (all.trace.empty() ? "" : ", ") + one.trace;
  }
  all.label = file + ": " + std::to_string(jobs.size()) + " jobs together in SMPI";
  return all;
}

TimedResult of_jobs(const nlohmann::json& jobs, const std::string& wanted, const std::string& file) {
  if (wanted.empty()) return all_together(jobs, file);
  std::string name = wanted;
  std::string configuration;
  std::vector<std::size_t> found = called(jobs, name);
  if (const std::size_t at = wanted.rfind('@'); found.empty() && at != std::string::npos) {
    name = wanted.substr(0, at);
    configuration = wanted.substr(at + 1);
    found = called(jobs, name);
  }
  if (found.size() != 1)
    throw Error(Failure::usage,
                found.empty() ? "there is no job '" + name + "'" : "several jobs are called '" + name + "'", file,
                "name one, alone or with a configuration (FILE@1, FILE@1@alone); it has " + listed(jobs));
  const std::string number = std::to_string(found.front() + 1);
  return one_run(jobs.at(found.front()), configuration, file + "@" + number,
                 file + ", job " + number + " (" + file_name(trace_of(jobs.at(found.front()))) + ")");
}

template <typename Parts>
void divide(Parts& parts, double ranks) {
  for (auto& [key, part] : parts)
    part.seconds /= std::max(ranks, 1.0);
}

bool all_named(const std::map<std::int64_t, TimedPart>& kernels) {
  return std::ranges::all_of(kernels, [](const auto& entry) { return entry.first < 0 || !entry.second.name.empty(); });
}

std::string name_of(std::int64_t kernel, const TimedPart& part, bool by_name) {
  if (kernel == before_the_first) return "before the first";
  if (kernel == others) return "others";
  return by_name ? part.name : "kernel " + std::to_string(kernel);
}

std::vector<ComparedTime> sorted(const std::map<std::string, ComparedTime>& times) {
  std::vector<ComparedTime> list;
  for (const auto& [name, time] : times)
    list.push_back(time);
  std::ranges::stable_sort(list, std::ranges::greater{},
                           [](const ComparedTime& time) { return std::abs(time.difference()); });
  return list;
}

void add(std::map<std::string, ComparedTime>& times, const std::string& name, double ComparedTime::*side,
         double seconds) {
  ComparedTime& time = times[name];
  time.name = name;
  time.*side += seconds;
}

} // namespace

TimedResult timed_result(const nlohmann::json& answer, const std::string& wanted, const std::string& file) {
  try {
    const nlohmann::json schema = answer.value("schema", nlohmann::json());
    if (schema == "timeless.replay/1") return one_run(answer, wanted, file, file);
    if (schema == "timeless.replay-jobs/1") return of_jobs(answer.at("jobs"), wanted, file);
  } catch (const nlohmann::json::exception& error) {
    throw Error(Failure::invalid_input, "this is no result of a replay", file, error.what());
  }
  throw Error(Failure::invalid_input, "this is no result of a replay", file,
              "make one: timeless replay run.tia --platform P --json > result.json");
}

TimedResult measured_result(const trace::Source& source, const std::string& file,
                            const std::function<void(std::uint64_t)>& progress) {
  if (!trace::has_times(source))
    throw Error(Failure::invalid_input, "no times were recorded with this trace", file,
                "record with --timestamps, or name a result of timeless replay --json");
  TimedResult result;
  result.trace = file;
  result.label = file + ": measured";
  result.kernels.emplace();
  result.calls.emplace();
  std::uint64_t actions = 0;
  std::size_t without = 0;
  for (const trace::RankRecord& record : source.run().ranks) {
    MeasuredRank rank(*result.kernels, *result.calls);
    const auto stream = source.open(record.rank);
    trace::ActionBlock block;
    bool timed = record.actions == 0;
    while (stream->next(block)) {
      stream->read_times(block);
      timed = timed || !block.times().empty();
      rank.add(block);
      actions += block.size();
      if (progress) progress(actions);
    }
    without += timed ? 0 : 1;
    result.ranks.push_back(rank.end());
    result.makespan = std::max(result.makespan, rank.end());
  }
  if (without > 0)
    result.notes.push_back(file + " has no times of " + std::to_string(without) + " of " +
                           std::to_string(result.ranks.size()) + " ranks, which were killed: they count as 0");
  divide(*result.kernels, static_cast<double>(result.ranks.size()));
  divide(*result.calls, static_cast<double>(result.ranks.size()));
  return result;
}

Comparison compare(const TimedResult& first, const TimedResult& second) {
  Comparison comparison;
  comparison.notes = first.notes;
  if (second.trace != first.trace || second.label != first.label)
    comparison.notes.insert(comparison.notes.end(), second.notes.begin(), second.notes.end());
  std::ranges::move(different_bases(first, second), std::back_inserter(comparison.notes));
  comparison.makespan = {"total", first.makespan, second.makespan};
  if (first.ranks.size() == second.ranks.size()) {
    for (std::size_t rank = 0; rank < first.ranks.size(); ++rank)
      comparison.ranks.push_back({"rank " + std::to_string(rank), first.ranks[rank], second.ranks[rank]});
  } else {
    comparison.notes.push_back("the ranks are not compared: there are " + std::to_string(first.ranks.size()) + " and " +
                               std::to_string(second.ranks.size()));
  }
  std::map<std::string, ComparedTime> kernels;
  std::map<std::string, ComparedTime> calls;
  if (first.kernels && second.kernels) {
    const bool by_name = all_named(*first.kernels) && all_named(*second.kernels);
    if (!by_name && first.trace != second.trace)
      comparison.notes.push_back("kernels are taken for the same by their numbers, which another recording may give "
                                 "otherwise");
    for (const auto& [number, part] : *first.kernels)
      add(kernels, name_of(number, part, by_name), &ComparedTime::first, part.seconds);
    for (const auto& [number, part] : *second.kernels)
      add(kernels, name_of(number, part, by_name), &ComparedTime::second, part.seconds);
  }
  if (first.calls && second.calls) {
    for (const auto& [name, part] : *first.calls)
      add(calls, name, &ComparedTime::first, part.seconds);
    for (const auto& [name, part] : *second.calls)
      add(calls, name, &ComparedTime::second, part.seconds);
  }
  comparison.kernels = sorted(kernels);
  comparison.calls = sorted(calls);
  if (comparison.kernels.empty() && comparison.calls.empty())
    comparison.notes.emplace_back("neither kernels nor calls are in both results: replay with --by kernel, or --by "
                                  "call");
  return comparison;
}

} // namespace timeless::analysis
