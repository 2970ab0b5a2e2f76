#include "tools/cli/console.h"
#include "tools/render/figures.h"
#include "tools/render/scaling/scaled_words.h"
#include "tools/render/scaling/times.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

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
  text += text_paragraph("compute   ", (times.compute.assumed ? "ASSUMED: " : "") + times.compute.sentence);
  for (const std::string& note : times.notes)
    text += text_paragraph("          ", note);
  if (times.last_cache_misses) {
    const bool few = *times.last_cache_misses <= few_misses;
    text += text_paragraph(
        "memory    ",
        fmt::format("{:.2g} of the loads and stores come from behind the last cache, {} than {:g}: {}",
                    *times.last_cache_misses, few ? "not more" : "more", few_misses,
                    few ? "rates hold as a rank's part changes"
                        : "rates change with a rank's part, so times far beyond the runs are too long (strong scaling) or "
                          "too short: take rates of a run whose ranks have as much as those of the target"));
  }
  return text;
}

/// A part of the time that is worth doubting it.
constexpr double much_doubt = 0.05;

void add_parts(Table& table, const std::string& ranks, const std::string& how, double makespan,
               const analysis::TimeByPart& parts, double factor, bool doubtful = false) {
  const auto share = [&](double seconds) { return percent_text(seconds, makespan); };
  table.add({ranks, how, human_seconds(makespan) + (doubtful ? "?" : ""), share(parts.computation), share(factor * parts.point_to_point),
             share(factor * parts.collective), share(parts.other)});
}

/// Returns how far the equations are from a replay of the same number of ranks: ", -3.1 %".
std::string difference_words(double said, double replayed) {
  return replayed > 0 ? fmt::format(", {:+.2g} %", 100 * (said / replayed - 1)) : "";
}

/// Returns how much of the equations' times rests on laws that say little of the place.
std::string doubts_text(const ScalingAnswer& answer) {
  std::vector<std::string> doubts;
  for (const analysis::EquationTime& said : answer.times.by_equations)
    if (said.doubtful > much_doubt)
      doubts.push_back(fmt::format("{} % of it on {} ranks", percent_text(said.doubtful),
                                   place_name(said.place, answer.scaling)));
  if (doubts.empty()) return "";
  return text_paragraph("  ", fmt::format("?: far beyond the runs, by laws that are not confirmed there, or by none: {}",
                                          fmt::join(doubts, ", ")));
}

std::string parts_text(const ScalingAnswer& answer) {
  const Scaling& scaling = answer.scaling;
  const ScalingTimes& times = answer.times;
  Table table({"ranks", "", "time", "computation %", "point-to-point %", "collective %", "other %"});
  const double factor = times.equations.communication_factor;
  const auto add_equation = [&](const analysis::EquationTime& said, const TimedRun* replayed) {
    add_parts(table, place_name(said.place, scaling),
              "by the equations" + (replayed != nullptr ? difference_words(said.makespan, replayed->makespan) : ""),
              said.makespan, said.parts, factor, said.doubtful > much_doubt);
  };
  for (std::size_t i = 0; i < times.runs.size(); ++i)
    add_parts(table, place_name(times.runs[i].place, scaling), "replayed", times.runs[i].makespan, times.runs[i].parts, 1);
  std::size_t next = 0;
  if (scaling.check) add_equation(times.by_equations[next++], &times.runs.back());
  std::string refused;
  for (const ReplayedTarget& target : times.targets) {
    add_equation(times.by_equations[next++], target.timed ? &*target.timed : nullptr);
    if (target.timed)
      add_parts(table, place_name(target.place, scaling), "replayed as extrapolated", target.timed->makespan,
                target.timed->parts, 1);
    else if (refused != target.refused)
      refused = target.refused;
  }
  std::string text = "\n" + table.text();
  text += doubts_text(answer);
  if (!refused.empty()) text += text_paragraph("  ", "no trace is extrapolated: " + refused);
  for (const ReplayedTarget& target : times.targets)
    if (target.timed && target.error > 0)
      text += text_paragraph("  ", fmt::format("on {} ranks a rank's work may be {:.2g} % off (grid {})",
                                               place_name(target.place, scaling), 100 * target.error, target.grid));
  return text;
}

std::string pop_text(const ScalingAnswer& answer) {
  const Scaling& scaling = answer.scaling;
  const ScalingTimes& times = answer.times;
  Table table({"ranks", "", "global %", "computation scaling %", "parallel %", "load balance %", "serialisation %",
               "transfer %"});
  const auto add = [&](const TimedRun& run, const char* how) {
    const auto scaled = computation_scaling(times.runs.front(), run, scaling.mode, scaling.sizes_given);
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
         text_paragraph("  ", "global = computation scaling x parallel, parallel = load balance x serialisation x transfer");
}

/// How a kernel is called in lines below a table: "kernel 14, from MPI_Wait in f to MPI_Allreduce in g".
std::string kernel_words(const ScalingAnswer& answer, const analysis::KernelKey& key) {
  const auto found = answer.kernel_numbers.find(key);
  if (found == answer.kernel_numbers.end()) return "a kernel of the extrapolated run alone";
  const auto& ends = answer.kernel_ends[found->second];
  return fmt::format("kernel {}, from {} to {}", answer.scaling.kernels[found->second].kernel,
                     symbols::end_in_words(ends.from), symbols::end_in_words(ends.to));
}

std::string part_words(const ScalingAnswer& answer, const analysis::GrownPart& part) {
  using analysis::GrowthOf;
  switch (part.of) {
  case GrowthOf::work:
    return "work of " + kernel_words(answer, part.kernel);
  case GrowthOf::imbalance:
    return "imbalance of " + kernel_words(answer, part.kernel);
  case GrowthOf::latency:
    return "latency on the critical path";
  case GrowthOf::bandwidth:
    return "bytes on their way on the critical path";
  case GrowthOf::rest:
    break;
  }
  return "copies, overheads, reductions and files on the critical path";
}

std::size_t shown_of(const ScalingAnswer& answer, std::size_t all) {
  return answer.top == 0 ? all : std::min(answer.top, all);
}

/// A loss that is less of the time than this is not worth a line.
constexpr double least_loss = 0.001;

std::string losses_text(const ScalingAnswer& answer, const analysis::Growth& growth) {
  Table table({"lost", "% of it", "was", "should be", "is", "what"});
  std::size_t shown = 0;
  for (const analysis::GrownPart& part : growth.parts) {
    if (shown == shown_of(answer, growth.parts.size()) || part.lost() < least_loss * growth.after) break;
    ++shown;
    table.add({human_seconds(part.lost()), percent_text(part.lost(), std::abs(growth.lost())),
               human_seconds(part.before), human_seconds(part.expected), human_seconds(part.after),
               part_words(answer, part)});
  }
  if (shown == 0) return "";
  return "\n" + table.text() +
         text_paragraph("  ", "work: what ranks compute in a kernel, on average; imbalance: what the critical path "
                              "computes in it beyond that, while others wait");
}

std::string waits_text(const ScalingAnswer& answer, const analysis::Growth& growth, const TimedRun& after) {
  std::string text;
  constexpr std::size_t most_waits = 3;
  for (std::size_t i = 0; i < std::min(most_waits, growth.waits.size()); ++i) {
    const analysis::GrownWait& wait = growth.waits[i];
    if (wait.lost() < least_loss * growth.after) break;
    const auto behind = answer.kernel_numbers.find(wait.behind);
    std::string line =
        fmt::format("in {} ranks wait {} on average, {} before",
                    behind == answer.kernel_numbers.end() ? "calls at no known place"
                                                          : symbols::end_in_words(answer.kernel_ends[behind->second].to),
                    human_seconds(wait.after), human_seconds(wait.before));
    if (wait.known) {
      const analysis::KernelTime& cause = after.kernels.at(wait.cause);
      line += fmt::format(": for ranks that take longer in {}", kernel_words(answer, wait.cause));
      if (cause.mean > 0)
        line += fmt::format("; rank {} has {:.3g} times the mean", cause.rank, cause.most / cause.mean);
    } else {
      line += ": not for what others compute, but for their messages";
    }
    text += text_paragraph("waiting   ", line);
  }
  return text;
}

/// Returns the kernels that cost most by being uneven: what even work would save at most, on the path.
std::string balance_text(const ScalingAnswer& answer, const TimedRun& run) {
  std::vector<std::pair<analysis::KernelKey, const analysis::KernelTime*>> uneven;
  for (const auto& [key, kernel] : run.kernels)
    if (kernel.excess() > least_loss * run.makespan) uneven.emplace_back(key, &kernel);
  if (uneven.empty()) return text_paragraph("balance   ", "no kernel's uneven work is worth a thousandth of the time");
  std::ranges::stable_sort(uneven, std::greater{}, [](const auto& one) { return one.second->excess(); });
  Table table({"even work saves", "% of the time", "mean", "most", "on rank", "kernel"});
  for (std::size_t i = 0; i < shown_of(answer, uneven.size()); ++i) {
    const auto& [key, kernel] = uneven[i];
    table.add({human_seconds(kernel->excess()), percent_text(kernel->excess(), run.makespan),
               human_seconds(kernel->mean), human_seconds(kernel->most), std::to_string(kernel->rank),
               kernel_words(answer, key)});
  }
  return "\n" + table.text();
}

} // namespace

std::string times_text(const ScalingAnswer& answer) {
  return "\n" + machine_text(answer) + parts_text(answer) + pop_text(answer);
}

std::string growth_words(const ScalingAnswer& answer) {
  const analysis::Growth& growth = *answer.times.growth;
  const std::string text =
      fmt::format("{} take {}; {} would take {} if all scaled, and take {}", answer.times.growth_from,
                  human_seconds(growth.before), answer.times.growth_to, human_seconds(growth.expected),
                  human_seconds(growth.after));
  if (growth.lost() <= least_loss * growth.after || growth.parts.empty()) return text + ": nothing is lost";
  const analysis::GrownPart& first = growth.parts.front();
  return text + fmt::format(": {} are lost, {} % of that by {}", human_seconds(growth.lost()),
                            percent_text(first.lost(), growth.lost()), part_words(answer, first));
}

std::string growth_text(const ScalingAnswer& answer) {
  if (!answer.times.growth) return "";
  const TimedRun& after = *answer.times.growth_run;
  return "\n" + text_paragraph("why       ", growth_words(answer)) + losses_text(answer, *answer.times.growth) +
         waits_text(answer, *answer.times.growth, after) + balance_text(answer, after);
}

} // namespace timeless::tools
