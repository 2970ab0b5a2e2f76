#include "tools/render/replay/timed_answer.h"

#include "base/error.h"
#include "base/files/temporary_file.h"

#include "tools/render/replay/prediction/full_links.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace timeless::tools {

namespace {

using analysis::before_first_kernel;
using analysis::other_kernels;
using analysis::TimedPart;
using analysis::TimedResult;

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
    const std::int64_t number = one.contains("others")       ? other_kernels
                                : one.at("kernel").is_null() ? before_first_kernel
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

std::vector<analysis::TimedLink> links_of(const nlohmann::json& list) {
  std::vector<analysis::TimedLink> links;
  for (const nlohmann::json& one : list) {
    analysis::TimedLink& link = links.emplace_back(analysis::TimedLink{.link = read_full_link(one)});
    for (const nlohmann::json& kernel : one.at("by_kernel")) {
      const std::string name = kernel_name(kernel);
      const nlohmann::json& number = kernel.at("kernel");
      link.kernels[number.is_null() ? "before the first"
                   : !name.empty()  ? name
                                    : "kernel " + std::to_string(number.get<std::uint32_t>())] +=
          kernel.at("slowed_seconds").get<double>();
    }
  }
  return links;
}

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
  if (one.contains("contention") && one.at("contention").contains("links"))
    result.links = links_of(one.at("contention").at("links"));
  if (configuration.empty() && answer.at("configurations").size() > 1)
    result.notes.push_back(told_of_others(answer.at("configurations"), file));
  return result;
}

std::string trace_of(const nlohmann::json& job) {
  return job.at("trace").get<std::string>();
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

} // namespace

analysis::TimedResult timed_answer(const nlohmann::json& answer, const std::string& wanted, const std::string& file) {
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

} // namespace timeless::tools
