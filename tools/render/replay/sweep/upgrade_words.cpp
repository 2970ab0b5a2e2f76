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

/// "no above about 12 G instructions/s": the rates at which another upgrade is better.
std::string beaten_at_words(const SweepPrediction& prediction, const ChangedMachine& one) {
  const ComputeBasis& compute = prediction.basis_of(prediction.of(one.before).point).compute;
  const auto turn = [&](const analysis::SpeedRange& at) { return turn_words(compute, at.slowest, at.fastest); };
  std::vector<std::string> beaten;
  for (const analysis::BeatenRange& range : one.beaten_at)
    beaten.push_back(range.from && range.to ? fmt::format("from {} to {}", turn(*range.from), turn(*range.to))
                     : range.from           ? "above " + turn(*range.from)
                                            : "below " + turn(range.to.value()));
  return fmt::format("no {}", fmt::join(beaten, " and "));
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
