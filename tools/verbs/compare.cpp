#include "analysis/comparison.h"
#include "tools/cli/console.h"
#include "tools/cli/option_checks.h"
#include "tools/cli/option_groups.h"
#include "tools/cli/trace_input.h"
#include "tools/render/answer.h"
#include "tools/render/replay/comparison.h"
#include "tools/render/replay/timed_answer.h"
#include "tools/symbols/kernel_places.h"
#include "tools/verbs/verbs.h"

#include "base/error.h"
#include "base/files/text_file.h"
#include "base/parsing.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace timeless::tools {

namespace {

struct CompareOptions {
  std::string first;
  std::string second;
  std::size_t top = 10;
  bool per_rank = false;
  std::optional<double> fail_above; ///< percent
  std::vector<std::string> symbols;
  bool as_json = false;
};

/// Returns true for a file of JSON, which begins with a brace; anything else is a trace.
bool holds_json(const std::string& path) {
  if (!std::filesystem::is_regular_file(path)) return false;
  constexpr std::size_t most_blanks = 256;
  const std::string beginning = read_text(path, most_blanks).value_or("");
  return trimmed(beginning).starts_with('{');
}

analysis::TimedResult read_measured(const std::string& path, const CompareOptions& options) {
  const auto source = open_trace(path, {});
  analysis::TimedResult result;
  std::vector<analysis::KernelFigures> figures;
  {
    Progress progress("reading " + path, 2 * total_actions(source->run()));
    result = analysis::measured_result(*source, path, [&](std::uint64_t done) { progress.update(done); });
    figures = analysis::kernel_figures(
        *source, [&](std::uint64_t done) { progress.update(total_actions(source->run()) + done); });
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

/// Reads "result.json", "result.json@2", "result.json@graphene x2", "jobs.json@cg.tia@alone", "run.tia": the longest
/// part that is a file, and what is named of it.
analysis::TimedResult read_result(const std::string& word, const CompareOptions& options) {
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
  constexpr std::size_t most_answer_bytes = std::size_t{1} << 30U;
  const nlohmann::json answer = nlohmann::json::parse(read_text(path, most_answer_bytes).value_or(""), nullptr, false);
  if (answer.is_discarded())
    throw Error(Failure::invalid_input, "this is no JSON", path, "name a result of timeless replay --json");
  return timed_answer(answer, wanted, path);
}

int compare_results(const CompareOptions& options) {
  const analysis::TimedResult first = read_result(options.first, options);
  const analysis::TimedResult second = read_result(options.second, options);
  const analysis::Comparison comparison = analysis::compare(first, second);
  print_answer("compare", 1, ComparisonAnswer{first, second, comparison, {options.per_rank, options.top}},
               options.as_json);
  const analysis::ComparedTime& total = comparison.makespan;
  const bool too_far =
      options.fail_above && std::abs(total.difference()) > *options.fail_above / 100 * std::abs(total.first);
  return too_far ? exit_condition_met : exit_ok;
}

} // namespace

VerbAction add_compare(CLI::App& command) {
  auto options = std::make_shared<CompareOptions>();
  command.add_option("a", options->first, "A result of timeless replay --json, or a trace with times")->required();
  command.add_option("b", options->second, "What to put beside it")->required();
  begin_group(command, "Answers");
  command.add_option("--top", options->top, "How many ranks, kernels and calls to list; 0 for all")
      ->check(count_from(0));
  command.add_flag("--per-rank", options->per_rank, "List every rank, in their order");
  add_symbols_option(command, options->symbols);
  begin_group(command, "Output");
  command.add_option("--fail-above", options->fail_above, "Exit with 4 if the totals differ by more percent of A's")
      ->transform(percents());
  command.add_flag("--json", options->as_json, "Print JSON (schema timeless.compare/1)");
  command.footer(
      "FILE@NAME or FILE@NUMBER (0 for the first) names one of several configurations; of a result of several jobs "
      "FILE@JOB a\n"
      "job, by its trace's file name or its number (1 for the first), and FILE@JOB@alone the same without the\n"
      "others; FILE is then all jobs together.\n"
      "Example: timeless replay run.tia --platform graphene --by kernel --json > model.json\n"
      "         timeless replay run.tia --platform graphene --by kernel --backend smpi --json > smpi.json\n"
      "         timeless compare model.json smpi.json");
  return [options] { return compare_results(*options); };
}

} // namespace timeless::tools
