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

std::map<std::string, KernelList> kernels_by_function(const Scaling& scaling) {
  std::map<std::string, KernelList> all;
  for (const ScaledKernel& kernel : scaling.kernels) {
    std::set<std::string> names; // one, unless runs name it otherwise
    for (const ScaledRun& run : scaling.runs)
      if (const auto found = run.figures.function_of.find(kernel.key); found != run.figures.function_of.end())
        names.insert(found->second);
    for (const std::string& name : names)
      all[name].push_back(&kernel);
  }
  return all;
}

/// Returns whether a function's figure is the sum of its kernels' in all runs.
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

void take_sum(ScaledFigure& figure, const KernelList& kernels, FigureOf which, const Scaling& scaling) {
  if (!adds_up(figure, kernels, which)) return;
  ScaledFigure made = figure;
  made.fit = law_of(kernels, which);
  if (made.fit.kind == LawKind::none || (figure.fit.sure() && !made.fit.sure())) return;
  made.summed = made.fit.laws.empty();
  for (const ScaledKernel* kernel : kernels)
    made.without = std::max(made.without, (kernel->volume().*which).without);
  for (std::size_t target = 0; target < scaling.targets.size(); ++target) {
    made.there[target] =
        sum_of_predictions(kernels, [&](const ScaledMetric& volume) { return (volume.*which).there[target]; });
    if (!made.there[target]) return;
  }
  if (figure.checked) {
    const auto said = sum_of_predictions(kernels, [&](const ScaledMetric& volume) {
      const MetricPrediction there = predict(volume, scaling.check->place);
      return which == &ScaledMetric::mean ? there.mean : there.most;
    });
    if (!said) return;
    const double miss = (said->value - *figure.checked) / (*figure.checked == 0 ? 1 : *figure.checked);
    made.check = LawCheck{.exact = std::abs(miss) <= scaling.tolerance, .residual = miss};
  }
  figure = std::move(made);
}

} // namespace

void take_kernel_sums(Scaling& scaling) {
  const std::map<std::string, KernelList> kernels = kernels_by_function(scaling);
  for (ScaledPart& function : scaling.functions) {
    const auto own = kernels.find(function.name);
    if (own == kernels.end()) continue;
    ScaledMetric& volume = function.metrics.front();
    take_sum(volume.mean, own->second, &ScaledMetric::mean, scaling);
    take_sum(volume.most, own->second, &ScaledMetric::most, scaling);
    for (std::size_t target = 0; target < scaling.targets.size(); ++target) {
      const auto& mean = volume.mean.there[target];
      auto& most = volume.most.there[target];
      if (mean && most && mean->value > most->value)
        most = ScalePrediction{mean->value, std::min(most->low, mean->value), std::max(most->high, mean->value)};
    }
  }
}

} // namespace timeless::analysis
