#include "analysis/scaling/kernel_sums.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>

namespace timeless::analysis {

namespace {

using KernelList = std::vector<const ScaledKernel*>;
using FigureOf = ScaledFigure ScaledMetric::*;

using PartsOf = std::map<KernelKey, std::set<std::string>> RunFigures::*;

/// Returns the kernels of each function or region, in all runs; of a region those that are wholly within it.
std::map<std::string, KernelList> kernels_by_part(const Scaling& scaling, PartsOf parts) {
  std::map<std::string, KernelList> all;
  for (const ScaledKernel& kernel : scaling.kernels) {
    std::set<std::string> names;
    for (const ScaledRun& run : scaling.runs)
      if (const auto found = (run.figures.*parts).find(kernel.key); found != (run.figures.*parts).end())
        names.insert(found->second.begin(), found->second.end());
    for (const std::string& name : names)
      all[name].push_back(&kernel);
  }
  return all;
}

/// Returns whether a part's figure is the sum of its kernels' in all runs.
bool adds_up(const ScaledFigure& figure, const KernelList& kernels, FigureOf which) {
  constexpr double rounding = 1e-12;
  for (std::size_t run = 0; run < figure.values.size(); ++run) {
    double sum = 0;
    for (const ScaledKernel* kernel : kernels)
      sum += (kernel->volume().*which).values[run];
    if (std::abs(sum - figure.values[run]) > rounding * std::max(sum, 1.0)) return false;
  }
  return true;
}

/// Returns the sum of what kernels come to; nothing where that of one is not known.
template <typename Said>
std::optional<ScalePrediction> sum_of_predictions(const KernelList& kernels, Said said) {
  ScalePrediction sum{.ended = true};
  for (const ScaledKernel* kernel : kernels) {
    const std::optional<ScalePrediction> one = said(kernel->volume());
    if (!one) return std::nullopt;
    sum.value += one->value;
    sum.low += one->low;
    sum.high += one->high;
    sum.bounded = sum.bounded && one->bounded;
    sum.ended = sum.ended && one->ended;
  }
  return sum;
}

/// Returns the kernels' laws as one. Where one of them is forecast rank by rank, there is no formula, only how well it
/// is known.
LawFit law_of(const KernelList& kernels, FigureOf which) {
  std::vector<const LawFit*> fits;
  LawFit known{.kind = LawKind::exact, .confirmed = true};
  bool by_ranks = false;
  for (const ScaledKernel* kernel : kernels) {
    const ScaledMetric& volume = kernel->volume();
    fits.push_back(&(volume.*which).fit);
    by_ranks = by_ranks || !volume.by_ranks.empty();
    if (volume.kind() != LawKind::exact) known.kind = LawKind::approximate;
    known.confirmed = known.confirmed && volume.sure();
  }
  return by_ranks ? known : sum(fits);
}

/// Takes the sum of the kernels' laws. Returns whether all of them have one, and their figures add up.
bool take_sum(ScaledFigure& figure, const KernelList& kernels, FigureOf which, const Scaling& scaling) {
  if (!adds_up(figure, kernels, which)) return false;
  ScaledFigure made = figure;
  made.fit = law_of(kernels, which);
  if (made.fit.kind == LawKind::none || (figure.fit.sure() && !made.fit.sure())) return false;
  made.summed = made.fit.laws.empty();
  for (const ScaledKernel* kernel : kernels)
    made.without = std::max(made.without, (kernel->volume().*which).without);
  for (std::size_t target = 0; target < scaling.targets.size(); ++target) {
    made.there[target] =
        sum_of_predictions(kernels, [&](const ScaledMetric& volume) { return (volume.*which).there[target]; });
    if (!made.there[target]) return false;
  }
  if (figure.checked) {
    const auto said = sum_of_predictions(kernels, [&](const ScaledMetric& volume) {
      const MetricPrediction there = predict(volume, scaling.check->place);
      return which == &ScaledMetric::mean ? there.mean : there.most;
    });
    if (!said) return false;
    const double miss = (said->value - *figure.checked) / (*figure.checked == 0 ? 1 : *figure.checked);
    made.check = LawCheck{.exact = std::abs(miss) <= scaling.tolerance, .residual = miss};
  }
  figure = std::move(made);
  return true;
}

/// What kernels say of the part that they are, somewhere.
struct SumAt {
  ScalePrediction mean = {}; ///< of what is known; kernels without a law have what they have now
  ScalePrediction most = {}; ///< of the rank that has most of the largest kernel, which has the mean of the others
  bool known = true;         ///< all kernels have laws
};

/// Returns what kernels say of a part at a place: the rank that has most of it has no less than the rank with most of
/// one kernel, and no more than the sum of these.
SumAt sum_at(const KernelList& kernels, const ScalePlace& place) {
  SumAt sum;
  double largest_mean = 0;
  for (const ScaledKernel* kernel : kernels) {
    const auto [mean, most] = predict(kernel->volume(), place);
    sum.known = sum.known && mean && most;
    const double now = kernel->volume().mean.values.back();
    const double of_mean = mean ? mean->value : now;
    sum.mean.value += of_mean;
    sum.mean.low += mean ? mean->low : 0;
    sum.mean.high += mean ? mean->high : now;
    sum.most.high += most ? most->high : 0;
    sum.most.low = std::max(sum.most.low, most ? most->low : 0);
    if (most && most->value > sum.most.value) {
      sum.most.value = most->value;
      largest_mean = of_mean;
    }
    sum.mean.bounded = sum.mean.bounded && mean && mean->bounded;
    sum.most.bounded = sum.most.bounded && most && most->bounded;
  }
  sum.most.value = std::max(sum.most.value + sum.mean.value - largest_mean, sum.mean.value);
  sum.most.low = std::max(sum.most.low, sum.mean.low);
  sum.most.high = std::max(sum.most.high, sum.most.value);
  return sum;
}

/// Returns whether what a law of a part says contradicts what its kernels say, by more than rounding; `known`: all of
/// them have laws.
bool disagrees_with_kernels(const ScalePrediction& own, const ScalePrediction& of_kernels, bool known) {
  constexpr double rounding = 1e-6;
  return own.value < (1 - rounding) * of_kernels.low || (known && own.value > (1 + rounding) * of_kernels.high);
}

/// Takes what the kernels come to for a figure whose own law, which is not sure, contradicts them somewhere.
void hold_to(ScaledFigure& figure, const KernelList& kernels, FigureOf which, const Scaling& scaling) {
  if (figure.fit.sure()) return;
  const bool of_mean = which == &ScaledMetric::mean;
  const auto said = [&](const SumAt& sum) { return of_mean ? sum.mean : sum.most; };
  bool wrong = false;
  std::vector<SumAt> sums;
  for (std::size_t target = 0; target < scaling.targets.size(); ++target) {
    sums.push_back(sum_at(kernels, scaling.targets[target]));
    const SumAt& sum = sums.back();
    const auto& own = figure.there[target];
    wrong = wrong || (own ? disagrees_with_kernels(*own, said(sum), sum.known) : sum.known);
  }
  if (!wrong) return;
  for (std::size_t target = 0; target < scaling.targets.size(); ++target)
    figure.there[target] = said(sums[target]);
  figure.fit.laws.clear();
  figure.fit.kind = LawKind::approximate;
  figure.fit.confirmed = false;
  figure.fit.assumes_no_growth = false;
  figure.summed = figure.held = true;
  if (!figure.checked) return;
  const double there = said(sum_at(kernels, scaling.check->place)).value;
  const double miss = (there - *figure.checked) / (*figure.checked == 0 ? 1 : *figure.checked);
  figure.check = LawCheck{.exact = std::abs(miss) <= scaling.tolerance, .residual = miss};
}

void take_sums(std::vector<ScaledPart>& parts, PartsOf parts_of, const Scaling& scaling) {
  const std::map<std::string, KernelList> kernels = kernels_by_part(scaling, parts_of);
  for (ScaledPart& part : parts) {
    const auto own = kernels.find(part.name);
    ScaledMetric& volume = part.metrics.front();
    if (own == kernels.end() || !adds_up(volume.mean, own->second, &ScaledMetric::mean)) continue;
    for (const FigureOf which : {&ScaledMetric::mean, &ScaledMetric::most})
      if (!take_sum(volume.*which, own->second, which, scaling)) hold_to(volume.*which, own->second, which, scaling);
    for (std::size_t target = 0; target < scaling.targets.size(); ++target) {
      const auto& mean = volume.mean.there[target];
      auto& most = volume.most.there[target];
      if (mean && most && mean->value > most->value)
        most = ScalePrediction{mean->value, std::min(most->low, mean->value), std::max(most->high, mean->value)};
    }
  }
}

} // namespace

void take_kernel_sums(Scaling& scaling) {
  take_sums(scaling.functions, &RunFigures::functions_of, scaling);
  take_sums(scaling.regions, &RunFigures::regions_of, scaling);
}

} // namespace timeless::analysis
