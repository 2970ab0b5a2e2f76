#include "base/units.h"
#include "tools/cli/console.h"
#include "tools/cli/table.h"
#include "tools/render/figures.h"
#include "tools/render/scaling/scaled_words.h"
#include "tools/render/scaling/times.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace timeless::tools {

namespace {

using analysis::GrownPart;
using analysis::Growth;
using analysis::TimedRun;

/// What is less of the time than this is not worth a line.
constexpr double least_loss = 0.001;

/// How a kernel is called in lines below a table: "kernel 14, from MPI_Wait in f to MPI_Allreduce in g".
std::string kernel_words(const ScalingAnswer& answer, const analysis::KernelKey& key) {
  const auto found = answer.kernel_numbers.find(key);
  if (found == answer.kernel_numbers.end()) return "a kernel of the extrapolated run alone";
  const auto& ends = answer.kernel_ends[found->second];
  return fmt::format("kernel {}, from {} to {}", kernel_of_run(answer.scaling.kernels[found->second], answer.scaling),
                     symbols::end_in_words(ends.from), symbols::end_in_words(ends.to));
}

std::string part_words(const ScalingAnswer& answer, const GrownPart& part) {
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

/// The parts that lose, or those that gain, in one table: the largest each, the others as a sum.
class LossTable {
public:
  LossTable(const ScalingAnswer& answer, const Growth& growth)
      : answer_(answer), growth_(growth), table_({"lost", "% of the time", "was", "if all scaled", "is", "what"}) {}

  /// Adds parts, those that matter most first.
  void add(const std::vector<const GrownPart*>& parts, const char* rest) {
    std::size_t shown = 0;
    while (shown < shown_of(answer_, parts.size()) && std::abs(parts[shown]->lost()) >= least_loss * growth_.after)
      row(*parts[shown], part_words(answer_, *parts[shown])), ++shown;
    GrownPart others;
    for (std::size_t i = shown; i < parts.size(); ++i) {
      others.before += parts[i]->before;
      others.expected += parts[i]->expected;
      others.after += parts[i]->after;
    }
    if (shown < parts.size()) row(others, fmt::format("{} more that {}", parts.size() - shown, rest));
  }
  std::string text() {
    row({.before = growth_.before, .expected = growth_.expected, .after = growth_.after}, "all");
    return table_.text();
  }

private:
  void row(const GrownPart& part, const std::string& what) {
    table_.add({human_seconds(part.lost()), percent_text(part.lost(), growth_.after), human_seconds(part.before),
                human_seconds(part.expected), human_seconds(part.after), what});
  }

  const ScalingAnswer& answer_;
  const Growth& growth_;
  Table table_;
};

std::string losses_text(const ScalingAnswer& answer, const Growth& growth) {
  std::vector<const GrownPart*> losses;
  std::vector<const GrownPart*> gains;
  constexpr double rounding = 1e-9;
  for (const GrownPart& part : growth.parts) // what loses most first
    if (std::abs(part.lost()) > rounding * growth.after) (part.lost() < 0 ? gains : losses).push_back(&part);
  std::ranges::reverse(gains);
  LossTable table(answer, growth);
  table.add(losses, "lose");
  table.add(gains, "gain");
  return "\n" + table.text() +
         text_paragraph("  ",
                        "lost: what it takes beyond what it would if all scaled, below 0 what it gains; work: what "
                        "ranks compute in a kernel, on average; imbalance: what the critical path computes in it "
                        "beyond that, below 0 where it goes by ranks with less");
}

/// Returns why ranks wait, behind ": ".
std::string cause_words(const ScalingAnswer& answer, const analysis::GrownWait& wait, const TimedRun& after) {
  if (!wait.known) return "for messages, or for ranks that are not on the critical path before it";
  const analysis::KernelTime& cause = after.kernels.at(wait.cause);
  const std::string words = kernel_words(answer, wait.cause);
  constexpr double uneven = 1.01;
  const std::string ranks =
      cause.mean > 0 && cause.most > uneven * cause.mean
          ? fmt::format("for ranks that take longer in {}; rank {} has {:.3g} times the mean", words, cause.rank,
                        cause.most / cause.mean)
          : fmt::format("for ranks that come one after the other through {}, of which all have as much", words);
  constexpr double explains = 0.5; // of the wait
  if (wait.explained >= explains * wait.after) return ranks;
  return fmt::format(
      "at most {} of it {}; the rest for messages, or for ranks that are not on the critical path before it",
      human_seconds(wait.explained), ranks);
}

std::string waits_text(const ScalingAnswer& answer, const Growth& growth, const TimedRun& after) {
  std::string text;
  constexpr std::size_t most_waits = 3;
  for (std::size_t i = 0; i < std::min(most_waits, growth.waits.size()); ++i) {
    const analysis::GrownWait& wait = growth.waits[i];
    if (wait.lost() < least_loss * growth.after) break;
    const auto behind = answer.kernel_numbers.find(wait.behind);
    const std::string place = behind == answer.kernel_numbers.end()
                                  ? "calls at no known place"
                                  : fmt::format("calls from {} on, behind kernel {},",
                                                symbols::end_in_words(answer.kernel_ends[behind->second].to),
                                                kernel_of_run(answer.scaling.kernels[behind->second], answer.scaling));
    text += text_paragraph("waiting   ",
                           fmt::format("in {} ranks wait {} on average, which would be {} if all scaled ({} on {}): {}",
                                       place, human_seconds(wait.after), human_seconds(wait.expected),
                                       human_seconds(wait.before), answer.times.growth_from,
                                       cause_words(answer, wait, after)));
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
  Table table({"path - mean", "% of the time", "path", "mean", "most", "on rank", "kernel"});
  for (std::size_t i = 0; i < shown_of(answer, uneven.size()); ++i) {
    const auto& [key, kernel] = uneven[i];
    table.add({human_seconds(kernel->excess()), percent_text(kernel->excess(), run.makespan),
               human_seconds(kernel->path), human_seconds(kernel->mean), human_seconds(kernel->most),
               std::to_string(kernel->rank), kernel_words(answer, key)});
  }
  return "\n" + table.text() +
         text_paragraph("  ",
                        "path - mean: what the critical path computes in a kernel, on whichever ranks, beyond the mean "
                        "of the ranks; even work in it saves no more, and less where ranks come through it one "
                        "after the other");
}

/// Returns what the ranks in each position compute and wait: what another decomposition could move between them.
std::string positions_text(const ScalingAnswer& answer, const TimedRun& run) {
  const std::vector<analysis::PositionTime>& positions = answer.times.positions;
  if (positions.empty()) return "";
  const double mean = run.parts.computation;
  const auto most = std::ranges::max_element(run.computed);
  const double busiest = *most;
  Table table({"ranks at", "ranks", "compute", "beyond the mean", "wait"});
  for (std::size_t i = 0; i < shown_of(answer, positions.size()); ++i) {
    const analysis::PositionTime& one = positions[i];
    table.add({one.position, std::to_string(one.ranks), human_seconds(one.computed), human_seconds(one.computed - mean),
               human_seconds(one.waited)});
  }
  std::string text = "\n" + table.text();
  if (const std::size_t more = positions.size() - shown_of(answer, positions.size()); more > 0)
    text += text_line("  and {} more position{}: --top 0 lists all", more, more == 1 ? "" : "s");
  return text + text_paragraph(
                    "  ", fmt::format("a decomposition that gives all ranks the mean, {}, takes {} from the busiest, "
                                      "rank {}, {} % of the time: no decomposition saves more computation",
                                      human_seconds(mean), human_seconds(busiest - mean), most - run.computed.begin(),
                                      percent_text(busiest - mean, run.makespan)));
}

} // namespace

std::string growth_words(const ScalingAnswer& answer, const std::string& lists) {
  const Growth& growth = *answer.times.growth;
  const std::string text = fmt::format("{} take {}; {} would take {} if all scaled, and take {}",
                                       answer.times.growth_from, human_seconds(growth.before), answer.times.growth_to,
                                       human_seconds(growth.expected), human_seconds(growth.after));
  if (growth.lost() <= least_loss * growth.after || growth.parts.empty()) return text + ": nothing is lost";
  const GrownPart& first = growth.parts.front();
  const std::string lost = fmt::format(": {} are lost, {} % of it; ", human_seconds(growth.lost()),
                                       percent_text(growth.lost(), growth.after));
  if (first.lost() > growth.lost()) return text + lost + "parts lose more than that, and others gain: " + lists;
  return text + lost + fmt::format("most by {}, {}", part_words(answer, first), human_seconds(first.lost()));
}

std::string growth_text(const ScalingAnswer& answer) {
  if (!answer.times.growth) return "";
  const TimedRun& after = *answer.times.growth_run;
  return "\n" + text_paragraph("why       ", growth_words(answer, "the table lists them")) +
         losses_text(answer, *answer.times.growth) + waits_text(answer, *answer.times.growth, after) +
         balance_text(answer, after) + positions_text(answer, after);
}

} // namespace timeless::tools
