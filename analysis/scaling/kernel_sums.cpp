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
  ScalePrediction mean = {}; ///< kernels without a law have what they have now
  ScalePrediction most = {}; ///< of the rank that has most
  double least_mean = 0;     ///< of the kernels with laws alone
  double least_most = 0;     ///< what the rank with most of one of these has, of the largest
  double most_of_each = 0;   ///< what each kernel has on the rank with most of it, together
  bool known = true;         ///< all kernels have laws

  const ScalePrediction& of(FigureOf which) const { return which == &ScaledMetric::mean ? mean : most; }
};

/// The rank that has most of a part has no less than the mean, or than the rank with most of one kernel, and no more
/// than the sum of these.
struct Between {
  double least = 0;
  double most = 0;

  void add(double of_most) {
    least = std::max(least, of_most);
    most += of_most;
  }
  double at(double share) const { return least + share * std::max(most - least, 0.0); }
  /// Returns where between the two a value is, from 0 to 1.
  double share(double value) const { return most > least ? std::clamp((value - least) / (most - least), 0.0, 1.0) : 0; }
};

/// Returns where between its kernels' least and most a part is in the run of most ranks.
double share_now(const ScaledMetric& part, const KernelList& kernels) {
  Between now;
  for (const ScaledKernel* kernel : kernels)
    now.add(kernel->volume().most.values.back());
  now.least = std::max(now.least, part.mean.values.back());
  return now.share(part.most.values.back());
}

/// Returns what kernels say of a part at a place, where it is as far between their least and their most as `share`
/// says. A law of its mean that is sure is right.
SumAt sum_at(const ScaledMetric& part, const KernelList& kernels, const ScalePlace& place, double share) {
  SumAt sum;
  Between most;
  for (const ScaledKernel* kernel : kernels) {
    const auto& volume = kernel->volume();
    const auto [of_mean, of_most] = predict(volume, place);
    sum.known = sum.known && of_mean && of_most;
    sum.mean.value += of_mean ? of_mean->value : volume.mean.values.back();
    sum.mean.low += of_mean ? of_mean->low : 0;
    sum.mean.high += of_mean ? of_mean->high : volume.mean.values.back();
    sum.mean.bounded = sum.mean.bounded && of_mean && of_mean->bounded;
    most.add(of_most ? of_most->value : volume.most.values.back());
    sum.least_mean += of_mean ? of_mean->value : 0;
    sum.least_most = std::max(sum.least_most, of_most ? of_most->value : 0);
    sum.most.low = std::max(sum.most.low, of_most ? of_most->low : 0);
    sum.most.high += of_most ? of_most->high : volume.most.values.back();
    sum.most.bounded = sum.most.bounded && of_most && of_most->bounded;
  }
  if (part.mean.fit.sure())
    if (const auto own = predict(part.mean.fit, place)) sum.mean = *own;
  most.least = std::max(most.least, sum.mean.value);
  sum.most_of_each = most.most;
  sum.most.value = most.at(share);
  sum.most.low = std::max(sum.most.low, sum.mean.low);
  sum.most.high = std::max(sum.most.high, sum.most.value);
  return sum;
}

/// Returns whether a part's own law stays beside its kernels', which are no sum of formulas. The mean is their sum, so
/// of it only a law that is sure stays, or one that is not below the kernels with laws where another has none. The rank
/// that has most has no less than the mean, and than each kernel on the rank with most of it, and no more than all of
/// these together: any law that agrees with that stays.
bool own_stays(const ScaledMetric& part, FigureOf which, const std::vector<SumAt>& sums) {
  constexpr double rounding = 1e-6;
  const ScaledFigure& figure = part.*which;
  const bool of_mean = which == &ScaledMetric::mean;
  if (sums.empty() || (of_mean && figure.fit.sure())) return true;
  const bool known = std::ranges::all_of(sums, &SumAt::known);
  if (known && (of_mean || figure.fit.kind == LawKind::none)) return false;
  for (std::size_t target = 0; target < sums.size(); ++target) {
    const auto& own = figure.there[target];
    const SumAt& sum = sums[target];
    if (!own) continue;
    const auto& mean = part.mean.there[target];
    const double least = of_mean ? sum.least_mean : std::max(sum.least_most, mean ? mean->value : 0);
    if (own->value < (1 - rounding) * least) return false;
    if (sum.known && own->value > (1 + rounding) * std::max(sum.most_of_each, least)) return false;
  }
  return true;
}

/// Takes what the kernels come to for a figure, unless its own law stays.
void take_kernels(ScaledMetric& part, const KernelList& kernels, FigureOf which, const Scaling& scaling) {
  ScaledFigure& figure = part.*which;
  const double share = share_now(part, kernels);
  std::vector<SumAt> sums;
  for (const ScalePlace& target : scaling.targets)
    sums.push_back(sum_at(part, kernels, target, share));
  if (own_stays(part, which, sums)) return;
  for (std::size_t target = 0; target < scaling.targets.size(); ++target)
    figure.there[target] = sums[target].of(which);
  figure.fit.laws.clear();
  figure.fit.kind = LawKind::approximate;
  figure.fit.confirmed = false;
  figure.fit.assumes_no_growth = false;
  figure.summed = figure.held = true;
  if (!figure.checked) return;
  const double there = sum_at(part, kernels, scaling.check->place, share).of(which).value;
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
      if (!take_sum(volume.*which, own->second, which, scaling)) take_kernels(volume, own->second, which, scaling);
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
