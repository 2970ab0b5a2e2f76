#include "tools/cli/console.h"
#include "tools/render/figures.h"
#include "tools/render/scaling/scaled_words.h"
#include "tools/render/scaling/times.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace timeless::tools {

namespace {

using analysis::ScalePlace;
using analysis::Scaling;
using analysis::TimedRun;

/// Ding et al. ask for less: the last cache's misses then change little with what a rank has.
constexpr double few_misses = 1e-4;

std::string machine_text(const ScalingAnswer& answer) {
  const ScalingTimes& times = answer.times;
  std::string text = text_paragraph("machine   ", times.machine);
  for (const std::string& mapping : times.mappings)
    text += text_paragraph("mapping   ", mapping);
  text += text_paragraph("compute   ", (times.compute.assumed ? "ASSUMED: " : "") + times.compute.sentence);
  for (const std::string& note : times.notes)
    text += text_paragraph("          ", note);
  if (times.last_cache_misses) {
    const bool few = *times.last_cache_misses <= few_misses;
    text += text_paragraph(
        "memory    ",
        fmt::format(
            "{} of the loads and stores, first uses of lines apart, come from behind the last cache, {} than {:g}: {}",
            *times.last_cache_misses == 0 ? "none" : fmt::format("{:.2g}", *times.last_cache_misses),
            few ? "not more" : "more", few_misses,
            few ? "rates hold as a rank's part changes"
                : "rates change with a rank's part, so times far beyond the runs are too long (strong scaling) or "
                  "too short: take rates of a run whose ranks have as much as those of the target"));
  } else if (!times.targets.empty()) {
    text += text_paragraph(
        "memory    ",
        fmt::format("whether rates hold as a rank's part changes is not known: {}, for how much comes from behind the "
                    "last cache",
                    times.memory_profiled ? "give the machine's caches with --machine"
                                          : "record with --profile memory, and give the machine's caches with "
                                            "--machine"));
  }
  return text;
}

/// Whether the runs' computation is told apart into that and memory.
bool knows_memory(const ScalingTimes& times) {
  return std::ranges::any_of(times.runs, [](const TimedRun& run) { return run.parts.memory.has_value(); });
}

/// A part of the time that is worth doubting it.
constexpr double much_doubt = 0.05;

/// Returns whether what the equations say of a place has a question mark.
bool doubtful(const analysis::EquationTime& said) {
  return said.doubtful > much_doubt || said.too_short();
}

void add_parts(Table& table, const std::string& ranks, const std::string& how, double makespan,
               const analysis::TimeByPart& parts, double factor, bool memory, bool doubtful = false) {
  const auto share = [&](double seconds) { return percent_text(seconds, makespan); };
  std::vector<std::string> row{ranks, how, human_seconds(makespan) + (doubtful ? "?" : ""),
                               share(parts.computation - parts.memory.value_or(0))};
  if (memory) row.push_back(parts.memory ? share(*parts.memory) : "-");
  for (const double seconds : {factor * parts.point_to_point, factor * parts.collective, parts.other})
    row.push_back(share(seconds));
  table.add(std::move(row));
}

/// Returns how far the equations are from a replay of the same number of ranks: ", -3.1 %".
std::string difference_words(double said, double replayed) {
  return replayed > 0 ? fmt::format(", {:+.2g} %", 100 * (said / replayed - 1)) : "";
}

/// Returns how much of the equations' times rests on laws that say little of the place.
std::string doubts_text(const ScalingAnswer& answer) {
  std::vector<std::string> doubts;
  for (const analysis::EquationTime& said : answer.times.by_equations)
    if (said.doubtful > much_doubt &&
        (&said == &answer.times.by_equations.front() || said.place != answer.times.by_equations.front().place))
      doubts.push_back(
          fmt::format("{} % of it on {} ranks", percent_text(said.doubtful), place_name(said.place, answer.scaling)));
  if (doubts.empty()) return "";
  return text_paragraph("  ",
                        fmt::format("?: far beyond the runs, by laws that are not confirmed there, or by none: {}",
                                    fmt::join(doubts, ", ")));
}

/// Returns where the equations, which are of the mean rank, say less than one kernel takes on the rank with most of it.
std::string too_short_text(const ScalingAnswer& answer) {
  std::vector<std::string> places;
  for (const analysis::EquationTime& said : answer.times.by_equations)
    if (said.too_short())
      if (std::string name = place_name(said.place, answer.scaling); std::ranges::find(places, name) == places.end())
        places.push_back(std::move(name));
  if (places.empty()) return "";
  return text_paragraph(
      "  ", fmt::format("on {} ranks the equations say less than one kernel takes by its law on the rank "
                        "that has most of it: they are of the mean rank, and do not hold where ranks differ "
                        "so much",
                        fmt::join(places, ", ")));
}

/// Returns by how much the equations miss what was replayed, part by part, as parts of the latter's time: errors that
/// cancel are seen.
std::string misses_text(const ScalingAnswer& answer, const analysis::EquationTime& said, const TimedRun& replayed) {
  const double factor = answer.times.equations.communication_factor;
  const auto miss = [&](double by_equations, double is) {
    return fmt::format("{:+.2g} %", 100 * (by_equations - is) / replayed.makespan);
  };
  return text_paragraph(
      "  ",
      fmt::format("on {} ranks the equations' {:+.2g} % are {} of computation, {} of point-to-point, {} of collective "
                  "calls, of the time that is replayed",
                  place_name(said.place, answer.scaling), 100 * (said.makespan / replayed.makespan - 1),
                  miss(said.parts.computation, replayed.parts.computation),
                  miss(factor * said.parts.point_to_point, replayed.parts.point_to_point),
                  miss(factor * said.parts.collective, replayed.parts.collective)));
}

/// Returns why targets have no trace, each reason once, with the numbers of ranks that it is for.
std::string refusals_text(const ScalingAnswer& answer) {
  std::vector<std::pair<std::string, std::vector<std::string>>> reasons;
  const auto add = [&](const ReplayedTarget& target) {
    if (target.timed) return;
    // What else was tried stands in timeless extrapolate's refusal.
    const std::size_t others = target.refused.rfind("; nor ");
    const std::string refused = target.refused.substr(0, others) + (others == std::string::npos ? "" : ")") +
                                (target.advice.empty() ? "" : ": " + target.advice);
    auto reason = std::ranges::find(reasons, refused, [](const auto& one) { return one.first; });
    if (reason == reasons.end()) reason = reasons.insert(reasons.end(), {refused, {}});
    const std::string name = place_name(target.place, answer.scaling);
    if (std::ranges::find(reason->second, name) == reason->second.end()) reason->second.push_back(name);
  };
  if (answer.times.check) add(*answer.times.check);
  for (const ReplayedTarget& target : answer.times.targets)
    add(target);
  std::string text;
  for (const auto& [reason, ranks] : reasons)
    text +=
        text_paragraph("  ", fmt::format("no trace of {} ranks is extrapolated: {}", fmt::join(ranks, ", "), reason));
  return text;
}

/// Adds what the equations and the replay of an extrapolated trace say of a place; `recorded` is the run of it, where
/// there is one.
void add_target(Table& table, const ScalingAnswer& answer, const analysis::EquationTime& said,
                const ReplayedTarget& target, const TimedRun* recorded) {
  const auto against = [&](double seconds, const TimedRun* replayed) {
    return replayed != nullptr ? difference_words(seconds, replayed->makespan) : std::string();
  };
  const std::string ranks = place_name(said.place, answer.scaling);
  const TimedRun* const timed = target.timed ? &*target.timed : nullptr;
  add_parts(table, ranks, "by the equations" + against(said.makespan, recorded != nullptr ? recorded : timed),
            said.makespan, said.parts, answer.times.equations.communication_factor, knows_memory(answer.times),
            doubtful(said));
  if (timed != nullptr)
    add_parts(table, ranks, "replayed as extrapolated" + against(timed->makespan, recorded), timed->makespan,
              timed->parts, 1, knows_memory(answer.times));
}

std::string grid_words(const ReplayedTarget& target) {
  return fmt::format("{}, {}", target.grid.text(), target.assumption);
}

/// Returns how far off the work of a target's ranks may be; nothing where laws are exact, or it has no trace.
std::string error_text(const ScalingAnswer& answer, const ReplayedTarget& target) {
  if (!target.timed || target.error == 0) return {};
  return text_paragraph("  ",
                        fmt::format("on {} ranks a rank's work may be {:.2g} % off (grid {})",
                                    place_name(target.place, answer.scaling), 100 * target.error, grid_words(target)));
}

std::string parts_text(const ScalingAnswer& answer) {
  const Scaling& scaling = answer.scaling;
  const ScalingTimes& times = answer.times;
  std::vector<std::string> header{"ranks", "", "time", "computation %"};
  if (knows_memory(times)) header.emplace_back("memory %");
  for (const char* part : {"point-to-point %", "collective %", "other %"})
    header.emplace_back(part);
  Table table(header);
  for (std::size_t i = 0; i < times.runs.size(); ++i)
    add_parts(table, place_name(times.runs[i].place, scaling), "replayed", times.runs[i].makespan, times.runs[i].parts,
              1, knows_memory(times));
  const std::size_t first = times.check ? 1 : 0;
  std::string below;
  if (times.check) {
    add_target(table, answer, times.by_equations.front(), *times.check, &times.runs.back());
    below += error_text(answer, *times.check);
  }
  for (std::size_t i = 0; i < times.targets.size(); ++i) {
    const ReplayedTarget& target = times.targets[i];
    if (times.check && target.place == times.check->place) continue; // said
    add_target(table, answer, times.by_equations[first + i], target, nullptr);
    below += error_text(answer, target);
  }
  std::string text = "\n" + table.text();
  if (knows_memory(times))
    text += text_paragraph("  ", "memory: of the computation, what it waits for lines that are not in the first cache");
  if (!times.by_equations.empty())
    text += text_paragraph("  ", "the equations know no waiting that the runs do not have");
  if (times.check) text += misses_text(answer, times.by_equations.front(), times.runs.back());
  return text + doubts_text(answer) + too_short_text(answer) + refusals_text(answer) + below;
}

/// Returns what the ranks of the last target would take as other grids.
std::string grids_text(const ScalingAnswer& answer) {
  const std::vector<ReplayedTarget>& others = answer.times.other_grids;
  if (others.empty())
    return answer.times.no_other_grids.empty()
               ? ""
               : "\n" + text_paragraph("grids     ", fmt::format("no other is tried: {}", answer.times.no_other_grids));
  const auto base = std::ranges::find_if(
      answer.times.targets, [&](const ReplayedTarget& one) { return one.timed && one.place == others.front().place; });
  Table table({"ranks as", "time", "", "computation %", "point-to-point %", "load balance %"});
  std::map<std::string, std::vector<std::string>> refused;
  double error = 0;
  const auto add = [&](const ReplayedTarget& one) {
    if (!one.timed) {
      refused[one.refused].push_back(one.grid.text());
      return;
    }
    error = std::max(error, one.error);
    const TimedRun& timed = *one.timed;
    table.add({one.grid.text(), human_seconds(timed.makespan),
               &one == &*base ? "" : fmt::format("{:+.2g} %", 100 * (timed.makespan / base->timed->makespan - 1)),
               percent_text(timed.parts.computation, timed.makespan),
               percent_text(timed.parts.point_to_point, timed.makespan),
               percent_text(timed.efficiencies.load_balance)});
  };
  add(*base);
  for (const ReplayedTarget& other : others)
    add(other);
  std::string text = "\n" + table.text();
  const ReplayedTarget& first = others.front();
  const bool gain = first.timed && first.timed->makespan < base->timed->makespan;
  text += text_paragraph(
      "  ",
      gain ? fmt::format("{} ranks as {} take {:.2g} % less than as {}, by the same laws; whether the program can be "
                         "told to is not known",
                         place_name(first.place, answer.scaling), first.grid.text(),
                         100 * (1 - first.timed->makespan / base->timed->makespan), base->grid.text())
           : fmt::format("no other grid that is understood is faster than {}", base->grid.text()));
  if (error > 0)
    text += text_paragraph("  ", fmt::format("a rank's work may be {:.2g} % off on these grids", 100 * error));
  for (const auto& [reason, grids] : refused)
    text += text_paragraph("  ", fmt::format("not understood: {}: {}", fmt::join(grids, ", "), reason));
  return text;
}

std::string pop_text(const ScalingAnswer& answer) {
  const Scaling& scaling = answer.scaling;
  const ScalingTimes& times = answer.times;
  Table table({"ranks", "", "global %", "computation scaling %", "parallel %", "load balance %", "serialisation %",
               "transfer %"});
  const auto add = [&](const TimedRun& run, const char* how) {
    const auto scaled = computation_scaling(times.runs.front(), run, scaling);
    const auto& parallel = run.efficiencies.parallel;
    table.add({place_name(run.place, scaling), how,
               percent_text(scaled && parallel ? std::optional(*scaled * *parallel) : std::nullopt),
               percent_text(scaled), percent_text(parallel), percent_text(run.efficiencies.load_balance),
               percent_text(run.efficiencies.serialisation), percent_text(run.efficiencies.transfer)});
  };
  for (const TimedRun& run : times.runs)
    add(run, "replayed");
  for (const ReplayedTarget& target : times.targets)
    if (target.timed) add(*target.timed, "as extrapolated");
  return "\n" + table.text() +
         text_paragraph("  ",
                        "global = computation scaling x parallel, parallel = load balance x serialisation x transfer");
}

} // namespace

namespace {

/// Returns what a time is made of, the largest part first; `factor`: of communication. The rest is also what ranks do
/// not do that have ended before the last.
std::string parts_in_words(const analysis::TimeByPart& parts, double makespan, double factor) {
  const double named = parts.computation + factor * (parts.point_to_point + parts.collective);
  std::vector<std::pair<double, std::string>> all{{parts.computation, "computation"},
                                                  {factor * parts.point_to_point, "point-to-point calls"},
                                                  {factor * parts.collective, "collective calls"},
                                                  {std::max(parts.other, makespan - named), "the rest"}};
  std::ranges::stable_sort(all, std::greater{}, &std::pair<double, std::string>::first);
  std::vector<std::string> words;
  for (const auto& [seconds, name] : all)
    words.push_back(fmt::format("{} {} %", name, percent_text(seconds, makespan)));
  return fmt::format("{}", fmt::join(words, ", "));
}

/// Returns what the rank that computes most does so for, which others wait for in their calls; nothing where ranks
/// compute much the same.
std::string busiest_rank_words(const TimedRun& run) {
  constexpr double much_the_same = 0.9;
  const auto& balance = run.efficiencies.load_balance;
  if (!balance || *balance >= much_the_same || !(*balance > 0)) return "";
  return fmt::format(
      " (a mean rank's; the one that computes most does for {} %, and others wait for it in their calls)",
      percent_text(run.parts.computation / *balance, run.makespan));
}

} // namespace

std::string largest_part_text(const ScalingAnswer& answer) {
  if (answer.times.targets.empty()) return "";
  const std::optional<TimedRun>& there = answer.times.targets.back().timed;
  const analysis::EquationTime& said = answer.times.by_equations.back();
  const std::string of = fmt::format("on {} ranks", place_name(answer.times.targets.back().place, answer.scaling));
  if (there)
    return text_paragraph("time      ",
                          fmt::format("of {} {}, as extrapolated: {}{}", human_seconds(there->makespan), of,
                                      parts_in_words(there->parts, there->makespan, 1), busiest_rank_words(*there)));
  if (said.too_short())
    return text_paragraph(
        "time      ", fmt::format("{} is not known: no trace of it is extrapolated, and the equations' {} is less than "
                                  "the {} that one kernel takes by its law on the rank that has most of it",
                                  of, human_seconds(said.makespan), human_seconds(said.longest_kernel)));
  return text_paragraph(
      "time      ",
      fmt::format("of {}{} {}, by the equations, since no trace of it is extrapolated: {}",
                  human_seconds(said.makespan), doubtful(said) ? "?" : "", of,
                  parts_in_words(said.parts, said.makespan, answer.times.equations.communication_factor)));
}

std::string times_text(const ScalingAnswer& answer) {
  return "\n" + machine_text(answer) + parts_text(answer) + pop_text(answer) + grids_text(answer);
}

} // namespace timeless::tools
