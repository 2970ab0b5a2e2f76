#include "analysis/comparison.h"
#include "tools/cli/console.h"
#include "tools/cli/option_checks.h"
#include "tools/cli/trace_input.h"
#include "tools/symbols/kernel_places.h"
#include "tools/verbs/verbs.h"

#include "base/error.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace timeless::tools {

namespace {

using nlohmann::ordered_json;

struct CompareOptions {
  std::string first;
  std::string second;
  std::size_t top = 10;
  bool per_rank = false;
  std::optional<double> fail_above; ///< percent
  std::vector<std::string> symbols;
  bool as_json = false;
};

/// A file of JSON begins with a brace; anything else is a trace.
bool holds_json(const std::string& path) {
  if (!std::filesystem::is_regular_file(path)) return false;
  std::ifstream file(path);
  char first = 0;
  return file >> first && first == '{';
}

TimedResult read_measured(const std::string& path, const CompareOptions& options) {
  const auto source = open_trace(path, {});
  TimedResult result;
  std::vector<KernelFigures> figures;
  {
    Progress progress("reading " + path, 2 * total_actions(source->run()));
    result = measured_result(*source, path, [&](std::uint64_t done) { progress.update(done); });
    figures =
        kernel_figures(*source, [&](std::uint64_t done) { progress.update(total_actions(source->run()) + done); });
  }
  symbols::Symboliser symboliser(source->run(), {options.symbols.begin(), options.symbols.end()});
  const symbols::KernelPlaces places(source->run(), figures, symboliser);
  for (auto& [kernel, part] : *result.kernels)
    if (kernel >= 0 && static_cast<std::size_t>(kernel) < source->run().kernels.size())
      part.name = places.text(static_cast<trace::KernelId>(kernel));
  for (const std::string& notice : symboliser.notices())
    print_warning(notice);
  return result;
}

/// "result.json", "result.json@2", "result.json@graphene x2", "jobs.json@cg.tia@alone", "run.tia": the longest part
/// that is a file, and what is named of it.
TimedResult read_result(const std::string& word, const CompareOptions& options) {
  std::string path = word;
  std::string wanted;
  for (std::size_t at = word.rfind('@'); !std::filesystem::exists(path) && at != std::string::npos && at > 0;
       at = word.rfind('@', at - 1)) {
    path = word.substr(0, at);
    wanted = word.substr(at + 1);
  }
  if (!std::filesystem::exists(path))
    throw Error(Failure::invalid_input, "there is no such file", path, "name a result of timeless replay --json");
  if (!holds_json(path)) return read_measured(path, options);
  std::ifstream file(path);
  const nlohmann::json answer = nlohmann::json::parse(file, nullptr, false);
  if (answer.is_discarded())
    throw Error(Failure::invalid_input, "this is no JSON", path, "name a result of timeless replay --json");
  return timed_result(answer, wanted, path);
}

std::string percent(const ComparedTime& time) {
  return time.first > 0 ? fmt::format("{:+.1f}", 100 * time.difference() / time.first) : "";
}

std::string difference(const ComparedTime& time) {
  return (time.difference() < 0 ? "-" : "+") + human_seconds(std::abs(time.difference()));
}

std::string table(const std::string& what, const std::vector<ComparedTime>& times, std::size_t lines) {
  if (times.empty()) return "";
  if (lines == 0 || lines > times.size()) lines = times.size();
  Table rows({what, "A", "B", "B - A", "%"});
  for (std::size_t i = 0; i < lines; ++i)
    rows.add({times[i].name, human_seconds(times[i].first), human_seconds(times[i].second), difference(times[i]),
              percent(times[i])});
  std::string text = "\n" + rows.text();
  if (lines < times.size()) text += fmt::format("and {} more\n", times.size() - lines);
  return text;
}

/// Those that differ most, or all in their order.
std::vector<ComparedTime> ranks(const Comparison& comparison, bool all) {
  std::vector<ComparedTime> times = comparison.ranks;
  if (!all)
    std::ranges::stable_sort(times, std::ranges::greater{},
                             [](const ComparedTime& time) { return std::abs(time.difference()); });
  return times;
}

void print_text(const TimedResult& first, const TimedResult& second, const Comparison& comparison,
                const CompareOptions& options) {
  print_line("A: {}", first.label);
  print_line("B: {}", second.label);
  fmt::print("{}", table("", {comparison.makespan}, 0));
  fmt::print("{}", table("rank ends", ranks(comparison, options.per_rank), options.per_rank ? 0 : options.top));
  fmt::print("{}", table("kernel, to the next (mean of a rank)", comparison.kernels, options.top));
  fmt::print("{}", table("call (mean of a rank)", comparison.calls, options.top));
  if (!comparison.notes.empty()) fmt::print("\n");
  for (const std::string& note : comparison.notes)
    print_line("{:<10}{}", "note", note);
}

ordered_json time_json(const ComparedTime& time) {
  ordered_json one{{"name", time.name},
                   {"a_seconds", time.first},
                   {"b_seconds", time.second},
                   {"difference_seconds", time.difference()}};
  one["ratio"] = time.first > 0 ? ordered_json(time.second / time.first) : ordered_json();
  return one;
}

ordered_json times_json(const std::vector<ComparedTime>& times) {
  ordered_json list = ordered_json::array();
  for (const ComparedTime& time : times)
    list.push_back(time_json(time));
  return list;
}

ordered_json rate_json(const TimedResult& result) {
  if (!result.rate) return {};
  ordered_json rate{{"from", result.rate->from}, {"least_per_second", nullptr}, {"most_per_second", nullptr}};
  if (result.rate->least > 0) {
    rate["least_per_second"] = result.rate->least;
    rate["most_per_second"] = result.rate->most;
  }
  return rate;
}

ordered_json comparison_json(const TimedResult& first, const TimedResult& second, const Comparison& comparison) {
  return {{"a", first.label},
          {"b", second.label},
          {"a_compute_rate", rate_json(first)},
          {"b_compute_rate", rate_json(second)},
          {"total", time_json(comparison.makespan)},
          {"ranks", times_json(comparison.ranks)},
          {"by_kernel", times_json(comparison.kernels)},
          {"by_call", times_json(comparison.calls)},
          {"notes", comparison.notes}};
}

int compare_results(const CompareOptions& options) {
  const TimedResult first = read_result(options.first, options);
  const TimedResult second = read_result(options.second, options);
  const Comparison comparison = compare(first, second);
  if (options.as_json)
    print_json("compare", 1, comparison_json(first, second, comparison));
  else
    print_text(first, second, comparison, options);
  const ComparedTime& total = comparison.makespan;
  const bool too_far =
      options.fail_above && std::abs(total.difference()) > *options.fail_above / 100 * std::abs(total.first);
  return too_far ? exit_condition_met : exit_ok;
}

} // namespace

VerbAction add_compare(CLI::App& command) {
  auto options = std::make_shared<CompareOptions>();
  command.add_option("a", options->first, "A result of timeless replay --json, or a trace with times")->required();
  command.add_option("b", options->second, "What to put beside it")->required();
  command.add_option("--top", options->top, "How many ranks, kernels and calls to list; 0 for all");
  command.add_flag("--per-rank", options->per_rank, "List every rank, in their order");
  command
      .add_option("--symbols", options->symbols,
                  "A directory to look for the program, its libraries and their debug files in, if they are not where "
                  "they were recorded; may be repeated")
      ->type_name("DIR")
      ->allow_extra_args(false)
      ->check(CLI::ExistingDirectory);
  command.add_option("--fail-above", options->fail_above, "Exit with 4 if the totals differ by more percent of A's")
      ->transform(percents());
  command.add_flag("--json", options->as_json, "Print JSON (schema timeless.compare/1)");
  command.footer(
      "FILE@NAME or FILE@NUMBER names one of several configurations; of a result of several jobs FILE@JOB a\n"
      "job, by its trace's file name or its number (1 for the first), and FILE@JOB@alone the same without the\n"
      "others; FILE is then all jobs together.\n"
      "Example: timeless replay run.tia --platform graphene --by kernel --json > model.json\n"
      "         timeless replay run.tia --platform graphene --by kernel --backend smpi --json > smpi.json\n"
      "         timeless compare model.json smpi.json");
  return [options] { return compare_results(*options); };
}

} // namespace timeless::tools
