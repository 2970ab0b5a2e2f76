#include "analysis/scaling/scaling.h"

#include "analysis/scaling/by_ranks.h"
#include "analysis/scaling/kernel_sums.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <span>
#include <utility>

namespace timeless::analysis {

namespace {

/// Returns what the laws say of a place; nothing where there are none.
std::optional<ScalePrediction> predict_figure(const LawFit& fit, const ScalePlace& place) {
  if (fit.ends_before(place)) return ScalePrediction{.ended = true};
  return predict(fit, place);
}

/// Sets what is predicted to a value that another law demands.
void move_to(ScalePrediction& prediction, double value) {
  prediction.value = value;
  prediction.low = std::min(prediction.low, value);
  prediction.high = std::max(prediction.high, value);
}

/// Leaves no more of what is predicted than there can be.
void cap(ScalePrediction& prediction, double most) {
  prediction.value = std::min(prediction.value, most);
  prediction.low = std::min(prediction.low, most);
  prediction.high = std::min(prediction.high, most);
}

/// Drops of several laws of a metric's mean those that at some target exceed what the rank that has most has by laws
/// that are sure, and of several laws of the latter those that are there below a mean that is.
void drop_contradicting(ScaledMetric& metric, const std::vector<ScalePlace>& targets) {
  constexpr double rounding = 1e-9;
  const auto drop = [&](LawFit& from, const LawFit& sure, int sign) {
    if (!sure.sure() || from.laws.size() < 2) return;
    std::vector<ScaleLaw> kept = from.laws;
    std::erase_if(kept, [&](const ScaleLaw& law) {
      return std::ranges::any_of(targets, [&](const ScalePlace& target) {
        return std::ranges::all_of(sure.laws, [&](const ScaleLaw& other) {
          const double known = other.at(target);
          return known >= 0 && sign * (law.at(target) - known) > rounding * std::max(known, 1.0);
        });
      });
    });
    if (!kept.empty()) from.laws = std::move(kept);
  };
  drop(metric.mean.fit, metric.most.fit, 1);
  drop(metric.most.fit, metric.mean.fit, -1);
}

/// Finds laws of figures; many have the same values, as the visits of neighbouring kernels do.
class FigureFits {
public:
  explicit FigureFits(const Scaling& scaling) : scaling_(scaling) {
    std::vector<std::optional<RankGrid>> recorded;
    for (const ScaledRun& run : scaling.runs)
      recorded.push_back(run.figures.grid);
    dimensions_ = balanced_dimensions(recorded);
    search_from(0);
    std::set<double> ranks;
    for (const ScaledRun& run : scaling.runs)
      ranks.insert(run.place.ranks);
    const bool known =
        std::ranges::all_of(scaling.targets, [&](const ScalePlace& target) { return ranks.contains(target.ranks); });
    if (scaling.check) ranks.insert(scaling.check->place.ranks);
    may_confirm_ = known || ranks.size() >= 3;
  }

  /// `most`, if not empty: what there can be at the targets.
  ScaledFigure figure(std::vector<double> values, std::optional<double> checked, const std::vector<double>& most = {}) {
    auto known = known_.find({values, most});
    if (known == known_.end()) known = known_.emplace(std::pair(values, most), fit(values, most)).first;
    const auto& [fit, without] = known->second;
    ScaledFigure figure{.values = std::move(values), .without = without, .fit = fit, .checked = checked};
    if (checked) check(figure, most);
    figure.fit.confirmed = figure.fit.confirmed && may_confirm_;
    for (const ScalePlace& target : scaling_.targets)
      figure.there.push_back(predict_figure(figure.fit, target));
    return figure;
  }

  /// Returns a figure without laws that say more of a target than `most`, what there can be; sure ones stay.
  ScaledFigure within(ScaledFigure of, const std::vector<double>& most) {
    return exceeds(of.fit, most) ? figure(of.values, of.checked, most) : std::move(of);
  }

  /// `of` returns the metrics that a run has of one thing, or null.
  template <typename Of>
  ScaledMetric metric(const std::string& name, Of of) {
    return metric_of(name, [&](const RunFigures& figures) {
      const Metrics* metrics = of(figures);
      const auto found = metrics == nullptr ? Metrics::const_iterator() : metrics->find(name);
      return metrics == nullptr || found == metrics->end() ? OverRanks() : found->second;
    });
  }

  /// `value_in` returns what a run has.
  template <typename ValueIn>
  ScaledMetric metric_of(const std::string& name, ValueIn value_in) {
    std::vector<double> means;
    std::vector<double> most;
    for (const ScaledRun& run : scaling_.runs) {
      means.push_back(value_in(run.figures).mean);
      most.push_back(value_in(run.figures).most);
    }
    std::optional<OverRanks> checked;
    if (scaling_.check) checked = value_in(scaling_.check->figures);
    ScaledMetric metric{name, figure(std::move(means), checked ? std::optional(checked->mean) : std::nullopt),
                        figure(std::move(most), checked ? std::optional(checked->most) : std::nullopt)};
    metric.most = within(std::move(metric.most), held_by_all(metric.mean));
    drop_contradicting(metric, scaling_.targets);
    set_targets(metric, scaling_.targets);
    return metric;
  }

  /// Takes for a figure's law the product of what all ranks have of `times` and of what each of these has of it, where
  /// both follow exact laws and the figure itself does not, or none that is confirmed.
  void by_each(ScaledMetric& metric, const ScaledMetric& times) {
    if (times.mean.values != times.most.values || times.most.fit.kind != LawKind::exact) return;
    for (ScaledFigure ScaledMetric::*const figure : {&ScaledMetric::mean, &ScaledMetric::most})
      take_product(metric.*figure, times.most);
    drop_contradicting(metric, scaling_.targets);
    set_targets(metric, scaling_.targets);
  }

private:
  /// Returns what all ranks have together at the targets, by a law of their mean; empty where that is not sure.
  std::vector<double> held_by_all(const ScaledFigure& mean) const {
    std::vector<double> all;
    if (!mean.fit.sure()) return all;
    for (std::size_t target = 0; target < scaling_.targets.size(); ++target) {
      const auto& there = mean.there[target];
      const bool known = there && mean.fit.reaches(scaling_.targets[target]);
      all.push_back(known ? there->high * scaling_.targets[target].ranks : std::numeric_limits<double>::infinity());
    }
    return all;
  }

  /// Returns whether some of a figure's laws, which are not sure, say more of a target than there can be.
  bool exceeds(const LawFit& fit, const std::vector<double>& most) {
    const LawSearch* const search = search_from(0);
    return !most.empty() && !fit.sure() && search != nullptr && std::ranges::any_of(fit.laws, [&](const ScaleLaw& law) {
      return search->impossible_where_asked(law, most);
    });
  }

  void take_product(ScaledFigure& of, const ScaledFigure& times) {
    if (of.fit.sure() || times.values.back() == 0) return;
    std::vector<double> each;
    for (std::size_t run = 0; run < of.values.size(); ++run)
      each.push_back(times.values[run] == 0 ? 0 : of.values[run] / times.values[run]);
    const auto [fit, without] = this->fit(each);
    if (fit.kind != LawKind::exact || (of.fit.kind == LawKind::exact && !fit.confirmed)) return;
    ScaledFigure made = of;
    made.fit = product(times.fit, fit);
    made.without = std::max(without, times.without);
    if (made.fit.laws.empty()) return;
    if (made.checked) made.check = check_laws(made.fit, scaling_.check->place, *made.checked, scaling_.tolerance);
    made.fit.confirmed = made.fit.confirmed && may_confirm_;
    if (!made.check || made.check->exact) of = std::move(made);
  }

  /// Checks a figure's laws with the check run. Exact ones that it refutes met the others by chance: the best
  /// approximate ones take their place.
  void check(ScaledFigure& figure, const std::vector<double>& most) {
    const bool exact = figure.fit.kind == LawKind::exact;
    const auto checked = [&] {
      if (figure.fit.laws.empty()) return figure.check;
      return check_laws(figure.fit, scaling_.check->place, *figure.checked, scaling_.tolerance);
    };
    figure.check = checked();
    const LawSearch* const search = search_from(figure.without);
    if (!exact || !figure.check || figure.check->exact || search == nullptr) return;
    figure.fit = search->fit_approximately(std::span(figure.values).subspan(figure.without), most);
    figure.check = checked();
  }

  /// Returns the search over the runs from this one on; none where these are not at least three different ones.
  const LawSearch* search_from(std::size_t first) {
    const auto found = searches_.find(first);
    if (found != searches_.end()) return found->second ? &*found->second : nullptr;
    if (first + 3 > scaling_.runs.size()) return nullptr;
    std::vector<ScalePlace> places;
    std::set<std::pair<double, double>> different;
    for (std::size_t run = first; run < scaling_.runs.size(); ++run) {
      places.push_back(scaling_.runs[run].place);
      different.emplace(places.back().ranks, places.back().size);
    }
    std::optional<LawSearch>& search = searches_[first];
    if (different.size() >= 3) search.emplace(std::move(places), scaling_.tolerance, scaling_.targets, dimensions_);
    return search ? &*search : nullptr;
  }

  /// Returns how many of the first runs lack what the others have: it begins with more ranks, as what ranks do that
  /// have neighbours on all sides.
  static std::size_t runs_without(const std::vector<double>& values) {
    const auto first = std::ranges::find_if(values, [](double value) { return value != 0; });
    return first == values.end() ? 0 : static_cast<std::size_t>(first - values.begin());
  }

  /// Returns how many runs an exact law meets beyond those that its coefficients take.
  static std::size_t met_beyond(const LawFit& fit, std::size_t runs) {
    return fit.kind == LawKind::exact ? runs - std::min(runs, fit.laws.front().parts.size()) : 0;
  }

  /// Returns the laws, and how many of the first runs they are not from. Few ranks may do otherwise, as all of them are
  /// at an edge: a law of the others is the better one where it is confirmed and meets more runs beyond its
  /// coefficients.
  std::pair<LawFit, std::size_t> fit(const std::vector<double>& values, const std::vector<double>& most = {}) {
    const std::size_t lacking = runs_without(values);
    const auto from = [&](std::size_t without) {
      const LawSearch* const search = search_from(without);
      if (search == nullptr) return LawFit();
      const auto of_these = std::span(values).subspan(without);
      return scaling_.check ? search->fit(of_these, most) : search->fit_unchecked(of_these, most);
    };
    std::pair best{from(lacking), lacking};
    std::size_t most_met = met_beyond(best.first, values.size() - lacking);
    for (std::size_t without = lacking + 1; search_from(without) != nullptr; ++without) {
      LawFit later = from(without);
      const std::size_t met = met_beyond(later, values.size() - without);
      if (!later.confirmed || met <= most_met) continue;
      most_met = met;
      best = {std::move(later), without};
    }
    return best;
  }

  const Scaling& scaling_;
  int dimensions_ = 0;       ///< of the grid that the runs have recorded
  bool may_confirm_ = false; ///< a law of the ranks that meets two numbers of them, in runs of any size, may be any law
  std::map<std::size_t, std::optional<LawSearch>> searches_;
  /// By the values, and the most that there can be.
  std::map<std::pair<std::vector<double>, std::vector<double>>, std::pair<LawFit, std::size_t>> known_;
};

/// Returns the names that some run has in a map of its figures.
template <typename Key, typename Value>
std::set<Key> names_in(const std::vector<ScaledRun>& runs, std::map<Key, Value> RunFigures::*map) {
  std::set<Key> names;
  for (const ScaledRun& run : runs)
    for (const auto& [key, value] : run.figures.*map)
      names.insert(key);
  return names;
}

template <typename Key, typename Value>
const Value* find_in(const std::map<Key, Value>& map, const Key& key) {
  const auto found = map.find(key);
  return found == map.end() ? nullptr : &found->second;
}

ScaledKernel scaled_kernel(const KernelKey& key, const Scaling& scaling, FigureFits& fits) {
  ScaledKernel kernel{.key = key};
  std::vector<std::string> names{scaling.unit, "visits"};
  for (std::size_t run = 0; run < scaling.runs.size(); ++run) {
    const KernelOfRun* of_run = find_in(scaling.runs[run].figures.kernels, key);
    if (of_run == nullptr) continue;
    kernel.run = run;
    kernel.kernel = of_run->kernel;
    for (const auto& [name, value] : of_run->metrics)
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  for (const std::string& name : names)
    kernel.metrics.push_back(fits.metric(name, [&](const RunFigures& figures) {
      const KernelOfRun* of_run = find_in(figures.kernels, key);
      return of_run == nullptr ? nullptr : &of_run->metrics;
    }));
  fits.by_each(kernel.metrics[0], kernel.metrics[1]);
  return kernel;
}

/// Kernels with less than this of the work are not looked at by position.
constexpr double worth_classes = 1e-3;
/// Positions differ where their means do by more than this.
constexpr double equal_work = 1e-6;

/// Finds the laws of a kernel's volume by the ranks' positions, where these differ. Of a position that some run in the
/// middle lacks there is none.
void add_classes(ScaledKernel& kernel, const Scaling& scaling, FigureFits& fits) {
  const RankClasses& classes = *scaling.classes;
  const auto mean_in = [&](const RunFigures& figures, std::size_t run, const std::string& position) {
    const KernelOfRun* of_run = find_in(figures.kernels, kernel.key);
    return of_run == nullptr ? std::optional<double>() : classes.mean(run, position, of_run->by_rank);
  };
  std::vector<double> most; // that a rank can have
  for (const auto& there : kernel.volume().most.there)
    most.push_back(there ? there->value : std::numeric_limits<double>::infinity());
  const std::size_t last = scaling.runs.size() - 1;
  std::map<std::string, std::size_t> ranks;
  for (const std::uint32_t number : classes.runs[last].of_rank)
    ++ranks[classes.runs[last].names[number]];
  for (const auto& [position, count] : ranks) {
    std::vector<double> values;
    for (std::size_t run = 0; run <= last; ++run)
      values.push_back(mean_in(scaling.runs[run].figures, run, position).value_or(0));
    const auto begun = std::ranges::find_if(values, [](double value) { return value != 0; });
    if (std::find(begun, values.end(), 0.0) != values.end()) continue;
    const auto checked = scaling.check ? mean_in(scaling.check->figures, last + 1, position) : std::optional<double>();
    kernel.classes.push_back({position, count, fits.within(fits.figure(std::move(values), checked), most)});
  }
  std::ranges::stable_sort(kernel.classes, std::greater{},
                           [](const ScaledClass& one) { return one.volume.values.back(); });
  if (kernel.classes.empty() ||
      kernel.classes.front().volume.values.back() <= (1 + equal_work) * kernel.classes.back().volume.values.back())
    kernel.classes.clear();
}

/// Takes what is known of the kernel's ranks one by one for what its positions come to at the targets, where their laws
/// are not sure: what their position has in the same grid, else nothing.
void take_positions_by_ranks(ScaledKernel& kernel, const Scaling& scaling) {
  const ScaledMetric& volume = kernel.volume();
  for (const PlacedForecast& one : volume.by_ranks) {
    const auto target =
        static_cast<std::size_t>(std::ranges::find(scaling.targets, one.place) - scaling.targets.begin());
    if (target == scaling.targets.size()) continue; // the check run's
    for (ScaledClass& position : kernel.classes) {
      if (position.volume.fit.sure()) continue;
      auto& there = position.volume.there[target] = std::nullopt;
      const auto& all = one.forecast.positions;
      const auto own = std::ranges::find(all, position.position, &PositionForecast::position);
      if (own == all.end() || one.grid != scaling.classes->assumption) continue;
      there = ScalePrediction{own->mean, std::max(own->mean - own->error, 0.0), own->mean + own->error};
      if (const auto& most = volume.most.there[target]) cap(*there, most->value);
    }
  }
}

/// Sets the shares of one place: of those whose value is known, in what the others leave, whose share stays.
template <typename ValueOf, typename Set>
void share_out(std::vector<ScaledKernel>& kernels, ValueOf value_of, Set set) {
  double sum = 0;
  double rest = 1;
  for (const ScaledKernel& kernel : kernels)
    if (const std::optional<double> value = value_of(kernel))
      sum += *value;
    else
      rest -= kernel.share_now;
  for (ScaledKernel& kernel : kernels) {
    const std::optional<double> value = value_of(kernel);
    set(kernel, !value ? kernel.share_now : sum > 0 ? rest * *value / sum : 0);
  }
}

/// Sets between what the interval of each kernel's prediction leaves its share, the others as predicted.
void set_share_ranges(Scaling& scaling) {
  for (ScaledKernel& kernel : scaling.kernels)
    for (std::size_t target = 0; target < scaling.targets.size(); ++target) {
      const double share = kernel.shares_there[target];
      const auto& there = kernel.volume().most.there[target];
      const auto with = [&](double value) {
        const double part = share * value / there->value;
        return part / (1 - share + part);
      };
      const bool open = there && there->value > 0 && share > 0;
      if (there && !there->bounded)
        kernel.share_ranges.emplace_back(0, 1);
      else
        kernel.share_ranges.push_back(open ? std::pair(with(there->low), with(there->high)) : std::pair(share, share));
    }
}

void set_shares_now(Scaling& scaling) {
  share_out(
      scaling.kernels, [](const ScaledKernel& kernel) { return std::optional(kernel.volume().most.values.back()); },
      [](ScaledKernel& kernel, double share) { kernel.share_now = share; });
}

/// Sets the shares at the targets, and brings the kernels in their order.
void set_shares_there(Scaling& scaling) {
  for (std::size_t target = 0; target < scaling.targets.size(); ++target)
    share_out(
        scaling.kernels,
        [&](const ScaledKernel& kernel) {
          const auto& there = kernel.volume().most.there[target];
          return there ? std::optional(there->value) : std::nullopt;
        },
        [](ScaledKernel& kernel, double share) { kernel.shares_there.push_back(share); });
  set_share_ranges(scaling);
  std::ranges::stable_sort(scaling.kernels, std::greater{}, [](const ScaledKernel& kernel) {
    return kernel.shares_there.empty() ? kernel.share_now : kernel.shares_there.back();
  });
}

LawCoverage coverage_of(const std::vector<ScaledKernel>& kernels) {
  LawCoverage coverage;
  for (const ScaledKernel& kernel : kernels) {
    const LawKind kind = kernel.volume().kind();
    double& of_kind = kind == LawKind::none          ? coverage.none
                      : kind == LawKind::approximate ? coverage.approximate
                      : kernel.volume().sure()       ? coverage.confirmed
                                                     : coverage.exact;
    of_kind += kernel.share_now;
  }
  return coverage;
}

/// Returns whether a rank's work stays when ranks are added: what the sizes say, else whether its volume falls by less
/// than half of what it would with the work shared out, in logarithms.
ScalingMode mode_of(const Scaling& scaling) {
  const ScaledRun& first = scaling.runs.front();
  const ScaledRun& last = scaling.runs.back();
  const double ranks = last.place.ranks / first.place.ranks;
  const double growth = scaling.sizes_given             ? last.place.size / first.place.size / ranks
                        : first.figures.volume.mean > 0 ? last.figures.volume.mean / first.figures.volume.mean
                                                        : 1;
  return ranks > 1 && growth < 1 / std::sqrt(ranks) ? ScalingMode::strong : ScalingMode::weak;
}

std::optional<double> quotient(double part, double whole) {
  return whole > 0 ? std::optional(part / whole) : std::nullopt;
}

/// Returns whether the work of a rank goes with a run's size rather than that of all ranks: whether the quotients of
/// the runs are less apart.
bool size_is_of_rank(const Scaling& scaling) {
  const auto apart = [&](bool all_ranks) {
    double least = std::numeric_limits<double>::infinity();
    double most = 0;
    for (const ScaledRun& run : scaling.runs) {
      const double work = run.figures.volume.mean * (all_ranks ? run.place.ranks : 1) / run.place.size;
      least = std::min(least, work);
      most = std::max(most, work);
    }
    return least > 0 ? most / least : std::numeric_limits<double>::infinity();
  };
  return scaling.sizes_given && apart(false) < apart(true);
}

std::vector<WorkEfficiency> efficiencies_of(const Scaling& scaling) {
  const ScalePlace& first = scaling.runs.front().place;
  const auto work = [&](double mean, const ScalePlace& place) { return mean / perfect_factor(first, place, scaling); };
  const double reference = scaling.runs.front().figures.volume.mean;
  std::vector<WorkEfficiency> result;
  const auto add = [&](const ScaledRun& run) {
    const OverRanks& volume = run.figures.volume;
    result.push_back(
        {run.place, false, quotient(reference, work(volume.mean, run.place)), quotient(volume.mean, volume.most)});
  };
  for (const ScaledRun& run : scaling.runs)
    add(run);
  if (scaling.check) add(*scaling.check);
  const ScaledFigure& mean = scaling.whole.mean;
  const ScaledFigure& most = scaling.whole.most;
  for (std::size_t target = 0; target < scaling.targets.size(); ++target) {
    const ScalePlace& place = scaling.targets[target];
    WorkEfficiency efficiency{.place = place, .predicted = true};
    if (mean.there[target] && scaling.whole.reaches(place, &ScaledMetric::mean)) {
      efficiency.instruction_scaling = quotient(reference, work(mean.there[target]->value, place));
      if (most.there[target] && scaling.whole.reaches(place, &ScaledMetric::most))
        efficiency.load_balance = quotient(mean.there[target]->value, most.there[target]->value);
    }
    result.push_back(efficiency);
  }
  return result;
}

std::vector<ScaledMetric> scaled_metrics(FigureFits& fits, const std::vector<std::string>& names, const auto& of) {
  std::vector<ScaledMetric> metrics;
  for (const std::string& name : names)
    metrics.push_back(fits.metric(name, of));
  return metrics;
}

std::vector<ScaledCall> scaled_calls(const Scaling& scaling, FigureFits& fits, const std::function<void()>& done) {
  std::vector<ScaledCall> calls;
  for (const CallKey& key : names_in(scaling.runs, &RunFigures::calls)) {
    const auto of = [&](const RunFigures& figures) {
      const CallOfRun* call = find_in(figures.calls, key);
      return call == nullptr ? nullptr : &call->metrics;
    };
    calls.push_back({key, scaled_metrics(fits, {"calls", "bytes"}, of)});
    done();
  }
  std::ranges::stable_sort(calls, std::greater{}, [](const ScaledCall& call) {
    return std::pair(call.metrics[1].most.values.back(), call.metrics[0].most.values.back());
  });
  return calls;
}

std::vector<ScaledPart> scaled_parts(const Scaling& scaling, std::map<std::string, Metrics> RunFigures::*map,
                                     const std::vector<std::string>& metrics, FigureFits& fits) {
  std::vector<ScaledPart> parts;
  for (const std::string& name : names_in(scaling.runs, map))
    parts.push_back(
        {name, scaled_metrics(fits, metrics, [&](const RunFigures& figures) { return find_in(figures.*map, name); })});
  std::ranges::stable_sort(parts, std::greater{},
                           [](const ScaledPart& part) { return part.metrics[0].most.values.back(); });
  return parts;
}

} // namespace

double perfect_factor(const ScalePlace& before, const ScalePlace& after, const Scaling& scaling) {
  const double ranks = before.ranks / after.ranks;
  if (scaling.sizes_given) return (scaling.size_of_rank ? 1 : ranks) * after.size / before.size;
  return scaling.mode == ScalingMode::strong ? ranks : 1;
}

const RankForecast* ScaledMetric::by_ranks_at(const ScalePlace& place) const {
  const auto found = std::ranges::find(by_ranks, place, &PlacedForecast::place);
  return found == by_ranks.end() ? nullptr : &found->forecast;
}

bool ScaledMetric::reaches(const ScalePlace& place, ScaledFigure ScaledMetric::*figure) const {
  const LawFit& fit = (this->*figure).fit;
  const RankForecast* said = by_ranks_at(place);
  return said != nullptr && !fit.sure() ? said->reaches() : fit.reaches(place);
}

bool ScaledMetric::sure() const {
  return !most_by_ranks()
             ? most.fit.sure()
             : std::ranges::all_of(by_ranks, [](const PlacedForecast& one) { return one.forecast.exact; }) &&
                   (!most.check || most.check->exact);
}

LawKind ScaledMetric::kind() const {
  return !most_by_ranks() ? most.fit.kind : sure() ? LawKind::exact : LawKind::approximate;
}

std::string ScaledMetric::law() const {
  return law_at(by_ranks.empty() ? ScalePlace{} : by_ranks.back().place);
}

std::string ScaledMetric::law_at(const ScalePlace& place) const {
  const RankForecast* said = by_ranks_at(place);
  if (said != nullptr && most_by_ranks()) return said->positions.front().law;
  return most.fit.laws.empty() ? "" : formula(most.fit.laws.front());
}

MetricPrediction predict(const ScaledMetric& metric, const ScalePlace& place) {
  MetricPrediction there{predict_figure(metric.mean.fit, place), predict_figure(metric.most.fit, place)};
  if (const RankForecast* said = metric.by_ranks_at(place)) {
    if (!metric.mean.fit.sure()) there.mean = said->mean;
    if (!metric.most.fit.sure()) there.most = said->most;
  }
  // One rank has no more than all have together.
  if (there.mean && there.most && metric.mean.fit.sure() && metric.mean.fit.reaches(place) && !metric.most.fit.sure())
    cap(*there.most, there.mean->value * place.ranks);
  if (!there.mean || !there.most || there.mean->value <= there.most->value) return there;
  const auto trust = [&](const LawFit& fit) { return fit.reaches(place) ? 2 : fit.kind == LawKind::exact ? 1 : 0; };
  const bool most_is_right = trust(metric.most.fit) > trust(metric.mean.fit);
  if (most_is_right)
    move_to(*there.mean, there.most->value);
  else
    move_to(*there.most, there.mean->value);
  return there;
}

void set_targets(ScaledMetric& metric, const std::vector<ScalePlace>& targets) {
  for (std::size_t target = 0; target < targets.size(); ++target) {
    const MetricPrediction there = predict(metric, targets[target]);
    metric.mean.there[target] = there.mean;
    metric.most.there[target] = there.most;
  }
}

trace::ActionFamily Scaling::family_of(const std::string& call) const {
  for (const ScaledRun& run : runs)
    if (const auto found = run.figures.families.find(call); found != run.figures.families.end()) return found->second;
  return trace::ActionFamily::mark;
}

Scaling scaling(ScalingQuestion question, const std::function<void(std::size_t, std::size_t)>& progress) {
  Scaling result{.runs = std::move(question.runs),
                 .check = std::move(question.check),
                 .targets = std::move(question.targets),
                 .sizes_given = question.sizes_given,
                 .unit = std::move(question.unit),
                 .tolerance = question.tolerance};
  std::ranges::stable_sort(result.runs, {},
                           [](const ScaledRun& run) { return std::pair(run.place.ranks, run.place.size); });
  result.mode = mode_of(result);
  result.size_of_rank = size_is_of_rank(result);
  std::vector<const RunFigures*> figures;
  for (const ScaledRun& run : result.runs)
    figures.push_back(&run.figures);
  if (result.check) figures.push_back(&result.check->figures);
  result.classes = rank_classes(figures);
  FigureFits fits(result);
  const auto kernels = names_in(result.runs, &RunFigures::kernels);
  const std::size_t all = kernels.size() + names_in(result.runs, &RunFigures::calls).size();
  std::size_t done = 0;
  const auto count = [&] {
    if (progress) progress(++done, all);
  };
  for (const KernelKey& key : kernels) {
    result.kernels.push_back(scaled_kernel(key, result, fits));
    count();
  }
  set_shares_now(result);
  if (result.classes)
    for (ScaledKernel& kernel : result.kernels)
      if (kernel.share_now > worth_classes) add_classes(kernel, result, fits);
  result.calls = scaled_calls(result, fits, count);
  result.whole = fits.metric_of(result.unit, [](const RunFigures& of_run) { return of_run.volume; });
  take_better_by_ranks(result);
  for (ScaledKernel& kernel : result.kernels)
    take_positions_by_ranks(kernel, result);
  set_shares_there(result);
  result.coverage = coverage_of(result.kernels);
  result.regions = scaled_parts(result, &RunFigures::regions, {result.unit, "visits"}, fits);
  result.functions = scaled_parts(result, &RunFigures::functions, {result.unit}, fits);
  take_kernel_sums(result);
  result.efficiencies = efficiencies_of(result);
  return result;
}

} // namespace timeless::analysis
