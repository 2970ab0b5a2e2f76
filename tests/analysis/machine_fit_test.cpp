#include "analysis/calibration/machine/machine_fit.h"
#include "analysis/statistics/nonnegative.h"
#include "base/error.h"
#include "trace/model/memory_events.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <random>

namespace timeless::test {
namespace {

using analysis::Equations;
using testing::Each;
using testing::ElementsAre;
using testing::Ge;

double squares(const Equations& equations, const std::vector<double>& x) {
  double sum = 0;
  for (std::size_t row = 0; row < equations.wanted.size(); ++row) {
    const auto begin = equations.rows.begin() + static_cast<std::ptrdiff_t>(row * equations.columns);
    sum += std::pow(std::inner_product(x.begin(), x.end(), begin, 0.0) - equations.wanted[row], 2);
  }
  return sum;
}

/// The least over all sets of columns that may be above 0, each by elimination.
double least_squares_by_search(const Equations& equations) {
  double least = squares(equations, std::vector<double>(equations.columns));
  for (unsigned set = 1; set < 1U << equations.columns; ++set) {
    std::vector<std::size_t> columns;
    for (std::size_t column = 0; column < equations.columns; ++column)
      if ((set >> column & 1U) != 0) columns.push_back(column);
    const std::size_t n = columns.size();
    std::vector<std::vector<double>> system(n, std::vector<double>(n + 1));
    for (std::size_t row = 0; row < equations.wanted.size(); ++row)
      for (std::size_t i = 0; i < n; ++i) {
        const double value = equations.rows[row * equations.columns + columns[i]];
        for (std::size_t j = 0; j < n; ++j)
          system[i][j] += value * equations.rows[row * equations.columns + columns[j]];
        system[i][n] += value * equations.wanted[row];
      }
    for (std::size_t pivot = 0; pivot < n; ++pivot)
      for (std::size_t i = 0; i < n; ++i) {
        if (i == pivot) continue;
        const double factor = system[i][pivot] / system[pivot][pivot];
        for (std::size_t j = pivot; j <= n; ++j)
          system[i][j] -= factor * system[pivot][j];
      }
    std::vector<double> x(equations.columns);
    bool positive = true;
    for (std::size_t i = 0; i < n; ++i) {
      x[columns[i]] = system[i][n] / system[i][i];
      positive = positive && x[columns[i]] >= 0;
    }
    if (positive) least = std::min(least, squares(equations, x));
  }
  return least;
}

TEST(Nonnegative, reaches_the_least_squares_of_all_sets_of_columns) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  for (int system = 0; system < 50; ++system) {
    Equations equations{.columns = 6};
    for (int row = 0; row < 20; ++row) {
      std::vector<double> values(6);
      for (double& value : values)
        value = normal(random);
      equations.add(values, normal(random));
    }
    const std::vector<double> x = analysis::nonnegative_least_squares(equations);
    EXPECT_THAT(x, Each(Ge(0)));
    const double least = least_squares_by_search(equations);
    EXPECT_NEAR(squares(equations, x), least, 1e-9 * least) << system;
  }
}

TEST(Nonnegative, units_of_columns_do_not_matter_and_a_column_of_zeros_is_0) {
  Equations equations{.columns = 3};
  for (double i = 1; i < 6; ++i)
    equations.add(std::vector<double>{1e12 * i, 0, 1e-9 * i * i}, 3 * i + 2 * i * i);
  const std::vector<double> x = analysis::nonnegative_least_squares(equations);
  EXPECT_NEAR(x[0], 3e-12, 1e-20);
  EXPECT_EQ(x[1], 0);
  EXPECT_NEAR(x[2], 2e9, 1);
}

/// Kernels that each do something else, with times that follow from known costs.
class KnownMachine {
public:
  explicit KnownMachine(std::uint32_t sharing = 4) {
    machine.caches = {.first = 32768, .second = 524288, .last = 8388608};
    machine.processors = 4;
    machine.last_shared_by = sharing;
    machine.alone = {1e-10, 2e-11, 5e-11, 1e-9, 2e-10, 5e-9,   3e-10, 1e-9,
                     3e-9,  8e-10, 5e-9,  1e-8, 3e-9,  1.5e-8, 9e-8,  1e-7};
    machine.busy = machine.alone;
    for (std::size_t cost = 9; cost < machine.busy.size(); ++cost)
      machine.busy[cost] *= 1.5;
  }

  std::vector<analysis::KernelCase> cases(double noise) const {
    std::mt19937_64 random(5);
    std::normal_distribution<double> normal;
    std::vector<analysis::KernelCase> all;
    for (int kernel = 0; kernel < 30; ++kernel)
      for (std::size_t size = 0; size < 6; ++size) {
        analysis::KernelCase one{.kernel = "kernel " + std::to_string(kernel),
                                 .bytes = std::uint64_t{10000} << 2 * size};
        one.events.resize(trace::memory_events().size());
        // Of any kernel most things are few.
        const auto draw = [&](double most) { return most * std::pow(static_cast<double>(random() % 1000) / 1000, 3); };
        one.events[trace::memory_instructions] = 1e6;
        for (std::size_t event = 1; event < trace::memory_first_class; ++event)
          one.events[event] = draw(2e5);
        for (std::size_t order = 0; order < 3; ++order)
          one.events[trace::memory_first_class + order * trace::distance_classes() + 4 * size + 1] = draw(3e4);
        if (kernel % 5 == 0) one.events.back() = draw(1e4);
        one.alone = times(one, machine.alone, machine.caches_of(1), noise, random, normal);
        one.busy = times(one, machine.busy, machine.caches_of(4), noise, random, normal);
        all.push_back(one);
      }
    return all;
  }

  replay::MachineCosts machine;

private:
  static std::vector<double> times(const analysis::KernelCase& one, const replay::ComputeCosts& costs,
                                   const replay::CacheSizes& caches, double noise, std::mt19937_64& random,
                                   std::normal_distribution<double>& normal) {
    const replay::ComputeCosts quantities = replay::compute_quantities(one.events, caches);
    const double exact = std::inner_product(costs.begin(), costs.end(), quantities.begin(), 0.0);
    std::vector<double> all;
    for (int repetition = 0; repetition < 9; ++repetition)
      all.push_back(exact * std::exp(noise * normal(random)));
    return all;
  }
};

TEST(MachineFit, finds_the_costs_and_the_caches_that_made_the_times) {
  const KnownMachine known;
  const analysis::MachineFit fit = analysis::fit_machine(known.cases(0), 4, {});
  // The kernels' distances lie at every fourth class: any size between two of them is as good.
  EXPECT_LE(fit.machine.caches.second, known.machine.caches.second);
  EXPECT_GT(fit.machine.caches.second, known.machine.caches.second / 4);
  EXPECT_LE(fit.machine.caches.last, known.machine.caches.last);
  EXPECT_GT(fit.machine.caches.last, known.machine.caches.last / 4);
  for (double replay::CacheSizes::*const size : {&replay::CacheSizes::second, &replay::CacheSizes::last}) {
    EXPECT_LE(fit.caches_low.*size, fit.machine.caches.*size);
    EXPECT_GE(fit.caches_high.*size, known.machine.caches.*size);
  }
  for (std::size_t cost = 0; cost < known.machine.alone.size(); ++cost) {
    EXPECT_NEAR(fit.machine.alone[cost] / known.machine.alone[cost], 1, 1e-3) << replay::compute_cost_names[cost];
    EXPECT_NEAR(fit.machine.busy[cost] / known.machine.busy[cost], 1, 1e-3) << replay::compute_cost_names[cost];
  }
  EXPECT_LT(fit.median_held_out, 1e-3);
}

TEST(MachineFit, finds_who_shares_the_last_cache) {
  const auto found = [](std::uint32_t sharing) {
    const KnownMachine known(sharing);
    return analysis::fit_machine(known.cases(0.05), 4, known.machine.caches).machine.last_shared_by;
  };
  EXPECT_EQ(found(4), 4U);
  EXPECT_LT(found(1), 4U); // half of the cache holds as many of the kernels' distances as all of it
}

TEST(MachineFit, noise_of_a_tenth_leaves_the_large_costs_within_a_fifth) {
  const KnownMachine known;
  const analysis::MachineFit fit = analysis::fit_machine(known.cases(0.1), 4, known.machine.caches);
  EXPECT_NEAR(fit.machine.alone[0] / known.machine.alone[0], 1, 0.2);
  EXPECT_NEAR(fit.machine.alone[13] / known.machine.alone[13], 1, 0.2);
  EXPECT_LE(fit.alone_low[0], fit.machine.alone[0]);
  EXPECT_GE(fit.alone_high[0], fit.machine.alone[0]);
  EXPECT_LT(fit.median_held_out, 0.1);
}

TEST(MachineFit, too_few_kernels_are_refused) {
  std::vector<analysis::KernelCase> cases = KnownMachine().cases(0);
  cases.resize(10);
  EXPECT_THROW(analysis::fit_machine(cases, 4, {}), Error);
}

TEST(ComputeQuantities, lines_go_to_the_cache_that_holds_their_distance) {
  std::vector<double> events(trace::memory_events().size());
  const auto lines = [&](std::size_t order, std::size_t one) -> double& {
    return events[trace::memory_first_class + order * trace::distance_classes() + one];
  };
  lines(0, 0) = 1;                             // nearer than the first cache reaches
  lines(0, 3) = 10;                            // from 64 KiB
  lines(1, 12) = 100;                          // from about 1.4 MiB
  lines(2, 27) = 1000;                         // from 256 MiB
  lines(1, trace::distance_classes() - 1) = 7; // new
  const replay::ComputeCosts quantities =
      replay::compute_quantities(events, {.first = 32768, .second = 1048576, .last = 33554432});
  EXPECT_THAT(std::vector(quantities.begin() + 6, quantities.end()), ElementsAre(10, 0, 0, 0, 100, 0, 0, 0, 1000, 7));
}

TEST(ComputeQuantities, a_size_within_a_class_divides_it) {
  std::vector<double> events(trace::memory_events().size());
  events[trace::memory_first_class + 1] = 100; // 512 to 720 lines
  const double middle = std::sqrt(512.0 * 720) * 64;
  EXPECT_NEAR(trace::lines_beyond(events, trace::FetchOrder::sequential, middle), 50, 1e-9);
  EXPECT_EQ(trace::lines_beyond(events, trace::FetchOrder::sequential, 512 * 64), 100);
  EXPECT_EQ(trace::lines_beyond(events, trace::FetchOrder::sequential, 720 * 64), 0);
}

} // namespace
} // namespace timeless::test
