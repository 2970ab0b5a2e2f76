#include "tools/extrapolating/extrapolation_request.h"

#include "analysis/extrapolation/extrapolated_source.h"
#include "analysis/scaling/matching.h"
#include "analysis/scaling/odd_run.h"
#include "analysis/scaling/run_figures.h"
#include "analysis/trace/kernel_figures.h"
#include "base/error.h"
#include "base/parsing.h"
#include "gather/merge/conversion.h"
#include "tools/cli/console.h"
#include "tools/cli/option_checks.h"
#include "tools/cli/trace_input.h"
#include "tools/symbols/builds.h"
#include "tools/symbols/symboliser.h"
#include "tools/version.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>

namespace timeless::tools {

namespace {

/// How many laws the archive's provenance names.
constexpr std::size_t laws_in_archive = 20;

std::vector<std::uint32_t> read_grid(const std::string& text) {
  std::vector<std::uint32_t> sides;
  for (std::size_t begin = 0; !text.empty() && begin <= text.size();) {
    const std::size_t end = std::min(text.find('x', begin), text.size());
    const auto side = whole_number<std::uint32_t>(std::string_view(text).substr(begin, end - begin));
    if (!side || *side == 0 || sides.size() == analysis::most_grid_sides)
      throw Error(Failure::usage, fmt::format("'{}' is no grid", text), "--grid",
                  "give one to three sides, such as 32x32");
    sides.push_back(*side);
    begin = end + 1;
  }
  return sides;
}

/// The runs, open, those with fewer ranks first, and the run to compare with.
struct OpenInputs {
  std::vector<std::string> names = {};
  std::vector<std::unique_ptr<trace::Source>> sources = {};
  std::unique_ptr<trace::Source> check = {}; ///< null without one
  symbols::JoinedBuilds joined = {};

  explicit OpenInputs(const ExtrapolationRequest& request) {
    std::vector<symbols::NamedSource> opened;
    for (const std::string& path : request.runs)
      opened.push_back({path, open_trace(path, request.from)});
    std::ranges::stable_sort(opened, {}, [](const auto& one) { return one.source->run().size; });
    if (!request.check.empty()) opened.push_back({request.check, open_trace(request.check, request.from)});
    joined = symbols::join_builds(opened, request.symbols);
    if (!request.check.empty()) {
      check = std::move(opened.back().source);
      opened.pop_back();
    }
    for (auto& [name, source] : opened) {
      names.push_back(name);
      sources.push_back(std::move(source));
    }
  }
};

/// Demands that runs are of one program and one problem. Returns what demand_one_input() does.
std::string demand_runs_of_one_program(const OpenInputs& open, bool ignore_arguments) {
  std::vector<analysis::NamedRun> named;
  for (std::size_t i = 0; i < open.names.size(); ++i)
    named.push_back(
        {open.names[i], &open.sources[i]->run(), {.ranks = static_cast<double>(open.sources[i]->run().size)}});
  analysis::demand_one_program(named, false);
  for (std::size_t i = 0; i < named.size(); ++i) {
    const trace::Run& run = *named[i].run;
    if (i > 0 && run.size == named[i - 1].run->size)
      throw Error(Failure::usage, fmt::format("two runs have {} ranks", run.size),
                  fmt::format("{} and {}", named[i - 1].name, named[i].name), "give one of each number of ranks");
    analysis::demand_extrapolable(named[i].name, run);
  }
  return ignore_arguments ? "" : analysis::demand_one_input(named);
}

/// Names the places of kernels of the largest run.
symbols::KernelEndsById places_of(const trace::Source& source, const std::vector<std::string>& symbols,
                                  const std::set<trace::KernelId>& kernels) {
  symbols::KernelEndsById ends;
  if (kernels.empty()) return ends;
  const std::vector<analysis::KernelFigures> figures = analysis::kernel_figures(source);
  symbols::Symboliser symboliser(source.run(), {symbols.begin(), symbols.end()});
  const symbols::KernelPlaces places(source.run(), figures, symboliser);
  for (const trace::KernelId kernel : kernels)
    if (kernel < source.run().kernels.size()) ends[kernel] = places.ends(kernel);
  return ends;
}

/// Returns which run seems to have another input, behind a semicolon; empty where none does.
std::string odd_run_of(const OpenInputs& open) {
  std::vector<analysis::WorkOfRun> runs;
  for (std::size_t i = 0; i < open.names.size(); ++i) {
    const analysis::RunFigures figures = analysis::run_figures(*open.sources[i]);
    runs.push_back({open.names[i], figures.ranks, figures.volume.mean * figures.ranks});
  }
  const auto odd = analysis::odd_work(runs);
  return odd ? "; " + analysis::in_words(*odd) : "";
}

[[noreturn]] void refuse(const analysis::NotUnderstood& reason, const OpenInputs& open,
                         const ExtrapolationRequest& request) {
  const auto& at = reason.where;
  std::vector<std::string> where;
  if (at.rank != trace::no_rank) where.push_back(fmt::format("{}, rank {}, action {}", at.run, at.rank, at.action));
  if (!at.call.empty()) where.push_back(at.call);
  if (at.kernel != trace::no_kernel)
    for (const auto& [kernel, ends] : places_of(*open.sources.back(), request.symbols, {at.kernel})) {
      const bool call = !at.call.empty() || at.rank != trace::no_rank;
      where.push_back(call ? "at " + symbols::end_in_words(ends.to)
                           : fmt::format("the kernel from {} to {}", symbols::end_in_words(ends.from),
                                         symbols::end_in_words(ends.to)));
    }
  throw Error(Failure::missing_capability, fmt::format("not extrapolated: {}{}", reason.what(), odd_run_of(open)),
              fmt::to_string(fmt::join(where, ", ")), reason.advice);
}

std::string law_words(const analysis::UsedLaw& law, const std::string& unit) {
  return fmt::format("at ({}), {}: {}{}", law.position,
                     law.what == "work" ? fmt::format("{} of kernel {}", unit, law.kernel) : law.what, law.law,
                     law.drawn   ? fmt::format(" (drawn: ranks differ by {:.2g} % without a law)", 100 * law.spread)
                     : law.exact ? ""
                                 : fmt::format(" (not exact: {})", law.because));
}

std::string loop_words(const analysis::UsedLoop& loop) {
  return fmt::format("at ({}), {} trips of {} actions in {} place{}: {}", loop.position, loop.trips, loop.actions,
                     loop.places, loop.places == 1 ? "" : "s", loop.law);
}

/// Returns what the archive says of how it was made.
std::string provenance_words(const ExtrapolationAnswer& answer) {
  std::vector<std::string> from;
  for (const auto& [name, ranks] : answer.runs)
    from.push_back(fmt::format("{} ({} ranks)", std::filesystem::path(name).filename().string(), ranks));
  const analysis::Extrapolation& made = answer.extrapolation;
  std::string words = fmt::format("from {} by timeless {}; {} assuming {}; ", fmt::join(from, ", "), version,
                                  made.grid.text(), made.assumption);
  words += made.error > 0 ? fmt::format("{} may be {:.2g} % off",
                                        made.seed ? "the mean of ranks' work" : "a rank's work", 100 * made.error)
                          : "all laws exact";
  if (made.even_shares) words += "; equal shares of all ranks ASSUMED";
  if (made.seed)
    words +=
        fmt::format("; STOCHASTIC: {:.3g} % of the work is drawn with seed {}, by laws of means and by how recorded "
                    "ranks in the same position differ",
                    100 * made.drawn_share, *made.seed);
  for (const analysis::UsedLoop& loop : made.loops)
    words += "\n" + loop_words(loop);
  for (std::size_t i = 0; i < std::min(laws_in_archive, made.laws.size()); ++i)
    words += "\n" + law_words(made.laws[i], answer.unit);
  if (made.laws.size() > laws_in_archive)
    words += fmt::format("\nand {} more laws", made.laws.size() - laws_in_archive);
  return words;
}

/// `recorded`: the run to compare with, or null.
void write_archive(ExtrapolationAnswer& answer, const ExtrapolationRequest& request, const OpenInputs& open,
                   const trace::Source* recorded) {
  const std::string words = provenance_words(answer);
  analysis::ExtrapolatedSource source(std::move(answer.extrapolation), open.sources.back()->run(), words);
  gather::ConversionOptions how{.force = request.force};
  std::optional<Progress> progress;
  how.progress = [&](std::uint64_t done, std::uint64_t total) {
    if (!progress) progress.emplace("writing", total);
    progress->update(done);
  };
  const gather::Conversion written = gather::convert(source, request.output, request.output, how);
  progress.reset();
  answer.bytes = written.merged.output_bytes;
  answer.actions = total_actions(written.merged.run);
  if (recorded) {
    answer.check = request.check;
    answer.comparison = analysis::compare_actions(source, *recorded);
  }
  answer.extrapolation = source.extrapolation();
}

} // namespace

ExtrapolationAnswer answer_extrapolation(const ExtrapolationRequest& request) {
  analysis::ExtrapolationQuestion question{
      .ranks = request.ranks, .grid = read_grid(request.grid), .tolerance = request.tolerance, .seed = request.seed};
  const OpenInputs open(request);
  const std::string inputs = demand_runs_of_one_program(open, request.ignore_arguments);
  if (open.check) analysis::demand_ranks(open.check->run(), request.ranks);
  for (std::size_t i = 0; i < open.names.size(); ++i)
    question.runs.push_back({open.names[i], open.sources[i].get()});
  question.tolerance = analysis::extrapolation_tolerance(question.runs, request.tolerance, request.seed.has_value());
  const trace::Run& largest = open.sources.back()->run();
  ExtrapolationAnswer answer{.program = open.joined.program.empty() ? largest.provenance.program : open.joined.program,
                             .unit = name(largest.counter.unit),
                             .builds = symbols::in_words(open.joined),
                             .inputs = inputs,
                             .ranks = request.ranks,
                             .tolerance = question.tolerance,
                             .output = request.output,
                             .top = request.top};
  for (const analysis::ExtrapolationInput& run : question.runs)
    answer.runs.emplace_back(run.name, run.source->run().size);
  try {
    answer.extrapolation = analysis::extrapolation(question);
  } catch (const analysis::NotUnderstood& reason) {
    refuse(reason, open, request);
  }
  write_archive(answer, request, open, open.check.get());
  std::set<trace::KernelId> kernels;
  for (const analysis::UsedLaw& law : answer.extrapolation.laws)
    if (law.kernel != trace::no_kernel) kernels.insert(law.kernel);
  answer.places = places_of(*open.sources.back(), request.symbols, kernels);
  return answer;
}

} // namespace timeless::tools
