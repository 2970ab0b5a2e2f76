#include "tools/scaling/scaling_request.h"

#include "analysis/scaling/matching.h"
#include "analysis/scaling/odd_run.h"
#include "base/error.h"
#include "base/parsing.h"
#include "tools/cli/console.h"
#include "tools/cli/trace_input.h"
#include "tools/scaling/scaled_places.h"
#include "tools/symbols/builds.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <set>

namespace timeless::tools {

namespace {

using analysis::NamedRun;
using analysis::ScaledRun;
using analysis::ScalePlace;

constexpr double most_ranks = 2147483647;

double positive_in(std::string_view text, const std::string& word, const char* option, const char* what) {
  const auto number = whole_number<double>(text);
  if (!number || !(*number > 0) || !std::isfinite(*number))
    throw Error(Failure::usage, fmt::format("'{}' is no {}", text, what), fmt::format("{} {}", option, word),
                "give a number above 0");
  return *number;
}

/// The runs asked for, open, the check run last.
struct OpenRuns {
  std::vector<std::string> names = {};
  std::vector<std::unique_ptr<trace::Source>> sources = {};
  std::vector<ScalePlace> places = {};
  bool check = false;
  symbols::JoinedBuilds joined = {};

  std::vector<NamedRun> named() const {
    std::vector<NamedRun> result;
    for (std::size_t i = 0; i < names.size(); ++i)
      result.push_back({names[i], &sources[i]->run(), places[i]});
    return result;
  }

  /// Returns whether sizes were given that tell runs apart.
  bool of_several_sizes() const {
    return std::ranges::any_of(places, [&](const ScalePlace& place) { return place.size != places.front().size; });
  }

  OpenRecordings by_name() const {
    OpenRecordings result;
    for (std::size_t i = 0; i < names.size(); ++i)
      result[names[i]] = sources[i].get();
    return result;
  }
};

/// Returns the size that was given for a run, under its path or its file's name.
std::optional<double> take_size(std::map<std::string, double>& sizes, const std::string& path) {
  std::string name = std::filesystem::path(path).filename().string();
  if (name.empty()) name = std::filesystem::path(path).parent_path().filename().string();
  for (const std::string& known : {path, name})
    if (const auto found = sizes.find(known); found != sizes.end()) return sizes.extract(found).mapped();
  return std::nullopt;
}

void set_sizes(OpenRuns& runs, const ScalingRequest& request) {
  std::map<std::string, double> sizes = read_sizes(request.size_of);
  if (sizes.empty()) return;
  std::vector<std::string> without;
  for (std::size_t i = 0; i < runs.names.size(); ++i)
    if (const auto size = take_size(sizes, runs.names[i]))
      runs.places[i].size = *size;
    else
      without.push_back(runs.names[i]);
  if (!sizes.empty())
    throw Error(Failure::usage, fmt::format("no run is named {}", sizes.begin()->first),
                "--size-of " + sizes.begin()->first, fmt::format("the runs are {}", fmt::join(runs.names, ", ")));
  if (!without.empty())
    throw Error(Failure::usage, "other runs have a size, this one has none", without.front(),
                fmt::format("add --size-of {}=N", without.front()));
}

/// Throws Error(usage) for a directory of gathered archives, where a run is expected.
void demand_one_run(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(path, ignored)) return;
  std::size_t archives = 0;
  for (const auto& entry : std::filesystem::directory_iterator(path, ignored)) {
    const bool of_rank = entry.path().filename().string().starts_with("rank-");
    if (of_rank) return;
    archives += entry.path().extension() == ".tia" && is_archive(entry.path()) ? 1 : 0;
  }
  if (archives > 0)
    throw Error(Failure::usage,
                fmt::format("a directory with {} gathered archive{}, no recording", archives, archives == 1 ? "" : "s"),
                path.string(), fmt::format("name the archives: {}", (path / "*.tia").string()));
}

OpenRuns open_runs(const ScalingRequest& request) {
  OpenRuns runs{.names = request.runs, .check = !request.check.empty()};
  if (runs.check) runs.names.push_back(request.check);
  std::vector<symbols::NamedSource> recordings;
  for (const std::string& path : runs.names) {
    demand_one_run(path);
    recordings.push_back({path, open_trace(path, request.from)});
    runs.places.push_back({.ranks = static_cast<double>(recordings.back().source->run().size)});
  }
  runs.joined = symbols::join_builds(recordings, request.symbols);
  for (symbols::NamedSource& one : recordings)
    runs.sources.push_back(std::move(one.source));
  set_sizes(runs, request);
  return runs;
}

/// Returns the size of a target that names none: that of all runs, or in proportion to the ranks where the runs' are.
double size_of_target(const std::vector<ScaledRun>& runs, double ranks) {
  const ScalePlace& first = runs.front().place;
  const auto all = [&](auto same) { return std::ranges::all_of(runs, same); };
  if (all([&](const ScaledRun& run) { return run.place.size == first.size; })) return first.size;
  const double each = first.size / first.ranks;
  if (all([&](const ScaledRun& run) { return std::abs(run.place.size / run.place.ranks / each - 1) < 1e-9; }))
    return each * ranks;
  throw Error(Failure::usage, "the runs' sizes do not say which size this many ranks have",
              fmt::format("--to {:.0f}", ranks), fmt::format("give it: --to {:.0f}=N", ranks));
}

std::vector<ScalePlace> targets_of(const ScalingRequest& request, const std::vector<ScaledRun>& runs) {
  std::vector<ScalePlace> targets;
  for (const auto& [ranks, size] : read_targets(request.to)) {
    if (size && request.size_of.empty())
      throw Error(Failure::usage, "a target has a size, but no run", fmt::format("--to {:.0f}={}", ranks, *size),
                  "give the runs' sizes with --size-of RUN=N");
    targets.push_back({ranks, size ? *size : size_of_target(runs, ranks)});
  }
  std::ranges::stable_sort(targets, {}, [](const ScalePlace& place) { return std::pair(place.ranks, place.size); });
  std::vector<ScalePlace> once;
  for (const ScalePlace& place : targets)
    if (once.empty() || once.back() != place)
      once.push_back(place);
    else
      print_warning(fmt::format("--to names {:.0f} ranks more than once, and that counts once", place.ranks));
  targets = std::move(once);
  return targets;
}

std::vector<ScaledRun> read_runs(const OpenRuns& open) {
  std::uint64_t actions = 0;
  for (const auto& source : open.sources)
    actions += total_actions(source->run());
  Progress progress("reading", actions);
  std::vector<ScaledRun> runs;
  std::uint64_t before = 0;
  for (std::size_t i = 0; i < open.names.size(); ++i) {
    const trace::Source& source = *open.sources[i];
    runs.push_back({open.names[i], open.places[i],
                    analysis::run_figures(source, [&](std::uint64_t done) { progress.update(before + done); })});
    before += total_actions(source.run());
  }
  return runs;
}

/// Runs of one number of ranks say nothing of others.
void demand_other_ranks(const analysis::ScalingQuestion& question) {
  const double ranks = question.runs.front().place.ranks;
  const auto others = [&](const ScalePlace& place) { return place.ranks != ranks; };
  const auto same_ranks = [&](const ScaledRun& run) { return run.place.ranks == ranks; };
  const auto target = std::ranges::find_if(question.targets, others);
  if (target != question.targets.end() && std::ranges::all_of(question.runs, same_ranks))
    throw Error(Failure::usage,
                fmt::format("all runs are of {:.0f} ranks: they do not tell what {:.0f} take", ranks, target->ranks),
                fmt::format("--to {:.0f}", target->ranks), "add runs of other numbers of ranks");
}

/// Reads the runs, and asks what is wanted of them.
analysis::ScalingQuestion question_of(const ScalingRequest& request, const OpenRuns& open) {
  std::vector<ScaledRun> runs = read_runs(open);
  add_functions(runs, open.by_name(), request.symbols);
  analysis::ScalingQuestion question{.runs = std::move(runs),
                                     .sizes_given = open.of_several_sizes(),
                                     .unit = name(open.sources.front()->run().counter.unit)};
  if (open.check) {
    question.check = std::move(question.runs.back());
    question.runs.pop_back();
  }
  question.targets = targets_of(request, question.runs);
  demand_other_ranks(question);
  const double size = question.runs.front().place.size;
  const auto other = std::ranges::find_if(question.targets, [&](const ScalePlace& one) { return one.size != size; });
  if (!question.sizes_given && other != question.targets.end())
    throw Error(Failure::usage,
                fmt::format("all runs have the size {:g}: they do not tell what {:g} takes", size, other->size),
                fmt::format("--to {:.0f}={:g}", other->ranks, other->size), "add runs of another size");
  return question;
}

/// Returns what is to be said of the arguments that runs were started with. Throws Error(invalid_input) for those of
/// several problems.
std::vector<std::string> notices_of_inputs(const std::vector<NamedRun>& runs, bool ignore) {
  const std::string law = ignore ? "" : analysis::demand_one_input(runs);
  if (law.empty()) return {};
  return {fmt::format("the numbers in the programs' arguments go with the number of ranks: {}", law)};
}

/// Returns which run seems to have another input, as a question; empty where none does.
std::string odd_run_in_words(const ScalingAnswer& answer) {
  if (const auto unequal = analysis::unequal_runs(answer.scaling)) return analysis::in_words(*unequal);
  if (const auto odd = analysis::odd_run(answer.scaling)) return analysis::in_words(*odd);
  const auto odd = analysis::odd_work(answer.scaling);
  return odd ? analysis::in_words(*odd) : "";
}

std::vector<std::string> notices_of(const OpenRuns& open, bool sizes_asked) {
  std::vector<std::string> notices;
  if (const std::string joined = symbols::in_words(open.joined); !joined.empty()) notices.push_back(joined);
  if (sizes_asked && !open.of_several_sizes())
    notices.push_back("--size-of gives all runs the same size, which tells nothing: it is left out");
  const trace::Counter& counter = open.sources.front()->run().counter;
  if (counter.exactness != trace::Exactness::exact && counter.unit != trace::VolumeUnit::none)
    notices.push_back(fmt::format("volumes by {} are not exactly repeatable, so their laws can only be approximate: "
                                  "record with --counter icount for exact ones",
                                  counter.name));
  for (std::size_t i = 0; i < open.names.size(); ++i)
    if (const std::string rounded = rounding(open.sources[i]->run()); !rounded.empty())
      notices.push_back(open.names[i] + ": " + rounded);
  return notices;
}

} // namespace

std::vector<std::pair<double, std::optional<double>>> read_targets(const std::vector<std::string>& words) {
  std::vector<std::pair<double, std::optional<double>>> targets;
  for (const std::string& word : words) {
    const std::size_t sign = word.find('=');
    const double ranks = positive_in(std::string_view(word).substr(0, sign), word, "--to", "number of ranks");
    if (ranks != std::floor(ranks) || ranks > most_ranks)
      throw Error(Failure::usage, fmt::format("{} is no number of ranks", ranks), "--to " + word,
                  "give a whole number of at most 2147483647");
    std::optional<double> size;
    if (sign != std::string::npos) size = positive_in(std::string_view(word).substr(sign + 1), word, "--to", "size");
    targets.emplace_back(ranks, size);
  }
  return targets;
}

std::map<std::string, double> read_sizes(const std::vector<std::string>& words) {
  std::map<std::string, double> sizes;
  for (const std::string& word : words) {
    const std::size_t sign = word.rfind('=');
    if (sign == std::string::npos || sign == 0)
      throw Error(Failure::usage, "no size is given", "--size-of " + word, "give RUN=N");
    const double size = positive_in(std::string_view(word).substr(sign + 1), word, "--size-of", "size");
    if (!sizes.emplace(word.substr(0, sign), size).second)
      throw Error(Failure::usage, "this run has two sizes", "--size-of " + word, "give it once");
  }
  return sizes;
}

ScalingAnswer answer_scaling(const ScalingRequest& request) {
  read_targets(request.to); // before anything is read
  demand_answerable(request);
  const OpenRuns open = open_runs(request);
  const std::vector<NamedRun> named = open.named();
  analysis::demand_one_program(named, open.check);
  std::vector<std::string> notices = notices_of_inputs(named, request.ignore_arguments);
  std::ranges::move(notices_of(open, !request.size_of.empty()), std::back_inserter(notices));
  const trace::Run& run = open.sources.front()->run();
  const OpenRecordings sources = open.by_name();
  analysis::ScalingQuestion question = question_of(request, open);
  std::vector<ScalePlace> places = open.places;
  places.insert(places.end(), question.targets.begin(), question.targets.end());
  demand_known_ranks(request, places);
  std::unique_ptr<Progress> progress;
  ScalingAnswer answer{.scaling = analysis::scaling(std::move(question),
                                                    [&](std::size_t done, std::size_t all) {
                                                      if (!progress)
                                                        progress = std::make_unique<Progress>("fitting", all);
                                                      progress->update(done);
                                                    }),
                       .times = {},
                       .program = open.joined.program.empty() ? run.provenance.program : open.joined.program,
                       .counter = run.counter.name,
                       .notices = std::move(notices),
                       .top = request.top};
  progress.reset();
  answer.doubt = odd_run_in_words(answer);
  answer.times = scaling_times(request, answer.scaling, sources);
  for (std::size_t i = 0; i < answer.scaling.kernels.size(); ++i)
    answer.kernel_numbers.emplace(answer.scaling.kernels[i].key, i);
  name_places(answer, sources, request.symbols);
  return answer;
}

} // namespace timeless::tools
