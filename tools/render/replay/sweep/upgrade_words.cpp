// Whether upgrades are worth a look, in the words of all forms of the answer.
#include "tools/render/machines/compute_basis.h"
#include "tools/render/replay/advice.h"
#include "tools/render/replay/sweep/sweep_parts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace timeless::tools {

namespace {

/// ": 100G network saves more and costs less".
std::string better_words(const SweepPrediction& prediction, const ChangedMachine& one) {
  if (!one.beaten_by) return {};
  const ChangedMachine& better = prediction.upgrades.at(*one.beaten_by);
  const bool faster = prediction.of(better.after).makespan < prediction.of(one.after).makespan;
  const bool cheaper = *better.price < *one.price;
  return fmt::format(": {} saves {} and costs {}", better.name, faster ? "more" : "as much",
                     cheaper ? "less" : "as much");
}

/// "no at 16.00 G instructions/s": rates, of those looked at, at which another upgrade is better.
std::string beaten_at_words(const SweepPrediction& prediction, const ChangedMachine& one) {
  const ComputeBasis& compute = prediction.basis_of(prediction.of(one.before).point).compute;
  const auto& speeds = prediction.rates.speeds;
  std::vector<std::string> beaten;
  if (!one.on_front_at_slowest) beaten.push_back(speed_words(compute, speeds.slowest));
  if (!one.on_front) beaten.push_back(speed_words(compute, 1));
  if (!one.on_front_at_fastest) beaten.push_back(speed_words(compute, speeds.fastest));
  return fmt::format("no at {}", fmt::join(beaten, " and "));
}

} // namespace

std::string look_words(const SweepPrediction& prediction, const ChangedMachine& one) {
  const std::string of_what = prediction.recorded_part ? " (recorded part)" : "";
  switch (one.look().value()) {
  case Look::slower:
    return "no" + of_what + ": slower";
  case Look::saves_too_little:
    return fmt::format("no{}: less than {:g} %", of_what, 100 * one.change->threshold);
  case Look::beaten:
    return "no" + of_what + better_words(prediction, one);
  case Look::pays:
    return "yes" + of_what;
  case Look::saving_depends:
    return answer_words(*one.change, prediction.basis_of(prediction.of(one.before).point).compute);
  case Look::front_depends:
    return fmt::format("depends{}: {}", of_what, beaten_at_words(prediction, one));
  case Look::both_depend:
    break; // one turn says too little
  }
  return "depends" + of_what + " on the rate";
}

} // namespace timeless::tools
