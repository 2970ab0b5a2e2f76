#include "analysis/calibration/machine/machine_fit.h"

#include "analysis/statistics/nonnegative.h"
#include "analysis/statistics/quantiles.h"
#include "base/error.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <limits>
#include <numeric>
#include <set>

namespace timeless::analysis {

namespace {

constexpr const char* measure_longer = "measure again, for longer (--budget), and let it come to its end";

using replay::CacheSizes;
using replay::ComputeCosts;

/// One of the two ways of measuring.
struct Way {
  const std::vector<double> KernelCase::*times;
  std::uint32_t processors;
};

double cost_of(const ComputeCosts& costs, const ComputeCosts& quantities) {
  return std::inner_product(costs.begin(), costs.end(), quantities.begin(), 0.0);
}

/// The cases that were measured in one way, with what they count where each processor has these caches.
struct Rows {
  std::vector<const KernelCase*> cases;
  std::vector<ComputeCosts> quantities;
  std::vector<double> seconds;
};

Rows rows_of(const std::vector<KernelCase>& cases, const Way& way, const CacheSizes& caches) {
  Rows rows;
  for (const KernelCase& one : cases) {
    if ((one.*way.times).empty()) continue;
    rows.cases.push_back(&one);
    rows.quantities.push_back(replay::compute_quantities(one.events, caches));
    rows.seconds.push_back(median(one.*way.times));
  }
  return rows;
}

/// Residuals are logarithms of ratios, so that half the time is as wrong as twice. Beyond this they count by their
/// size, not its square (Huber 1964): no model explains everything.
constexpr double outlying = 0.25;

double loss(double residual) {
  const double size = std::abs(residual);
  return size < outlying ? size * size : outlying * (2 * size - outlying);
}

/// One step towards the least loss: the logarithm of what is predicted, as a line at the present costs.
ComputeCosts stepped(const Rows& rows, const std::string& without, const ComputeCosts* present) {
  Equations equations{.columns = ComputeCosts{}.size()};
  for (std::size_t row = 0; row < rows.cases.size(); ++row) {
    if (rows.cases[row]->kernel == without) continue;
    const double measured = rows.seconds[row];
    const double predicted =
        present != nullptr ? std::max(cost_of(*present, rows.quantities[row]), measured / 100) : measured;
    const double residual = std::log(predicted / measured);
    const double weight = std::abs(residual) > outlying ? std::sqrt(outlying / std::abs(residual)) : 1;
    ComputeCosts relative = rows.quantities[row];
    for (double& quantity : relative)
      quantity *= weight / predicted;
    equations.add(relative, weight * (1 - residual));
  }
  ComputeCosts costs{};
  std::ranges::copy(nonnegative_least_squares(equations), costs.begin());
  return costs;
}

double loss_of(const Rows& rows, const ComputeCosts& costs) {
  double sum = 0;
  for (std::size_t row = 0; row < rows.cases.size(); ++row)
    sum += loss(std::log(std::max(cost_of(costs, rows.quantities[row]) / rows.seconds[row], 0.01)));
  return sum;
}

/// From all kernels but one.
ComputeCosts fitted(const Rows& rows, const std::string& without = {}) {
  constexpr int steps = 30;
  ComputeCosts costs = stepped(rows, without, nullptr);
  for (int step = 0; step < steps; ++step) {
    // Half of each step: a line is a poor guide far away.
    const ComputeCosts next = stepped(rows, without, &costs);
    for (std::size_t cost = 0; cost < costs.size(); ++cost)
      costs[cost] = 0.5 * (costs[cost] + next[cost]);
  }
  return costs;
}

double loss_of(const std::vector<KernelCase>& cases, const Way& way, const CacheSizes& caches) {
  const Rows rows = rows_of(cases, way, caches);
  return loss_of(rows, fitted(rows));
}

/// Sets how many processors share the last cache, for the second and the last size that the machine has; returns the
/// loss.
double share_last(replay::MachineCosts& machine, const std::vector<KernelCase>& cases, const std::vector<Way>& ways) {
  const double alone = loss_of(cases, ways.front(), machine.caches_of(1));
  double least = std::numeric_limits<double>::infinity();
  std::uint32_t best = machine.processors;
  for (std::uint32_t sharing = machine.processors; sharing > 0; --sharing) {
    if (machine.processors % sharing != 0) continue;
    machine.last_shared_by = sharing;
    const double busy = ways.size() > 1 ? loss_of(cases, ways.back(), machine.caches_of(machine.processors)) : 0;
    if (busy >= least) continue;
    least = busy;
    best = sharing;
  }
  machine.last_shared_by = best;
  return alone + least;
}

/// Sets the sizes of the caches, and who shares the last one; and which sizes are about as good, as what costs less
/// than four times the mean loss of a time.
void find_caches(MachineFit& fit, const std::vector<KernelCase>& cases, const std::vector<Way>& ways) {
  struct Tried {
    replay::MachineCosts machine;
    double loss = 0;
  };
  std::vector<Tried> tried;
  for (int second = 0; second < 12; ++second)
    for (int last = second + 1; last < 22; ++last) {
      Tried one{.machine = fit.machine};
      // From 128 KiB on in half octaves.
      one.machine.caches = {.second = 131072 * std::exp2(second / 2.0), .last = 131072 * std::exp2(last / 2.0)};
      one.loss = share_last(one.machine, cases, ways);
      tried.push_back(one);
    }
  const Tried& best = *std::ranges::min_element(tried, {}, &Tried::loss);
  fit.machine = best.machine;
  fit.caches_low = fit.caches_high = best.machine.caches;
  std::size_t times = 0;
  for (const Way& way : ways)
    times += rows_of(cases, way, best.machine.caches).seconds.size();
  for (const Tried& one : tried) {
    if (one.loss > best.loss * (1 + 4 / static_cast<double>(times))) continue;
    for (double CacheSizes::*const size : {&CacheSizes::second, &CacheSizes::last}) {
      fit.caches_low.*size = std::min(fit.caches_low.*size, one.machine.caches.*size);
      fit.caches_high.*size = std::max(fit.caches_high.*size, one.machine.caches.*size);
    }
  }
}

/// Fills in what concerns one way of measuring.
void fit_way(MachineFit& fit, const std::vector<KernelCase>& cases, const Way& way, ComputeCosts& costs,
             ComputeCosts& low, ComputeCosts& high) {
  const Rows rows = rows_of(cases, way, fit.machine.caches_of(way.processors));
  costs = low = high = fitted(rows);
  std::set<std::string> kernels;
  for (const KernelCase* one : rows.cases)
    kernels.insert(one->kernel);
  for (const std::string& kernel : kernels) {
    const ComputeCosts others = fitted(rows, kernel);
    for (std::size_t cost = 0; cost < costs.size(); ++cost) {
      low[cost] = std::min(low[cost], others[cost]);
      high[cost] = std::max(high[cost], others[cost]);
    }
    for (std::size_t row = 0; row < rows.cases.size(); ++row) {
      if (rows.cases[row]->kernel != kernel) continue;
      fit.errors.push_back({.kernel = kernel,
                            .bytes = rows.cases[row]->bytes,
                            .processors = way.processors,
                            .seconds = rows.seconds[row],
                            .spread = relative_spread(rows.cases[row]->*way.times),
                            .residual = cost_of(costs, rows.quantities[row]) / rows.seconds[row] - 1,
                            .held_out = cost_of(others, rows.quantities[row]) / rows.seconds[row] - 1});
    }
  }
}

/// How much of a cost the case has that has most of it, per instruction.
ComputeCosts densest(const std::vector<KernelCase>& cases, const CacheSizes& caches,
                     const std::function<bool(const KernelCase&)>& counts) {
  ComputeCosts most{};
  for (const KernelCase& one : cases) {
    if (!counts(one)) continue;
    const ComputeCosts quantities = replay::compute_quantities(one.events, caches);
    for (std::size_t cost = 0; cost < most.size(); ++cost)
      if (quantities[0] > 0) most[cost] = std::max(most[cost], quantities[cost] / quantities[0]);
  }
  return most;
}

/// Refuses where the cases that would tell what something costs were counted but not timed.
void demand_all_costs(const std::vector<KernelCase>& cases, const Way& way, const CacheSizes& caches) {
  constexpr double enough = 0.1; // of what the case has that has most of it
  const ComputeCosts all = densest(cases, caches, [](const KernelCase&) { return true; });
  const ComputeCosts timed = densest(cases, caches, [&](const KernelCase& one) { return !(one.*way.times).empty(); });
  std::string missing;
  for (std::size_t cost = 0; cost < all.size(); ++cost)
    if (timed[cost] < enough * all[cost])
      missing += (missing.empty() ? "" : ", ") + std::string(replay::compute_cost_names[cost]);
  if (!missing.empty())
    throw Error(Failure::invalid_input, "these costs cannot be had from what was timed: " + missing,
                way.processors == 1 ? "on one processor" : "on all processors at once", measure_longer);
}

void summarise(MachineFit& fit) {
  std::vector<double> residuals;
  std::vector<double> held_out;
  for (const CaseError& error : fit.errors) {
    residuals.push_back(std::abs(error.residual));
    held_out.push_back(std::abs(error.held_out));
  }
  fit.median_residual = median(residuals);
  fit.median_held_out = median(held_out);
  fit.worst_held_out = std::ranges::max(held_out);
}

} // namespace

MachineFit fit_machine(const std::vector<KernelCase>& cases, std::uint32_t processors,
                       const std::optional<CacheSizes>& caches) {
  std::vector<Way> ways;
  for (const Way& way : {Way{&KernelCase::alone, 1}, Way{&KernelCase::busy, processors}}) {
    const auto measured =
        std::ranges::count_if(cases, [&](const KernelCase& one) { return !(one.*way.times).empty(); });
    if (way.processors == 1 && !ways.empty()) continue;
    if (measured < static_cast<std::ptrdiff_t>(ComputeCosts{}.size()))
      throw Error(Failure::invalid_input,
                  fmt::format("{} micro-kernel{} counted and timed {}, and {} costs are wanted of them", measured,
                              measured == 1 ? " was" : "s were",
                              way.processors == 1 ? "on one processor" : "on all processors at once",
                              ComputeCosts{}.size()),
                  "", measure_longer);
    ways.push_back(way);
  }
  MachineFit fit;
  fit.machine.processors = processors;
  fit.caches_given = caches.has_value();
  if (caches) {
    fit.machine.caches = fit.caches_low = fit.caches_high = *caches;
    share_last(fit.machine, cases, ways);
  } else {
    find_caches(fit, cases, ways);
  }
  for (const Way& way : ways)
    demand_all_costs(cases, way, fit.machine.caches_of(way.processors));
  fit_way(fit, cases, ways.front(), fit.machine.alone, fit.alone_low, fit.alone_high);
  if (ways.size() > 1)
    fit_way(fit, cases, ways.back(), fit.machine.busy, fit.busy_low, fit.busy_high);
  else
    fit.machine.busy = fit.machine.alone, fit.busy_low = fit.alone_low, fit.busy_high = fit.alone_high;
  summarise(fit);
  return fit;
}

} // namespace timeless::analysis
