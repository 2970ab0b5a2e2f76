// What a burst of computation takes longer after its rank waited than after another burst: docs/accuracy.md. Sums
// products gathered through a list of places, as a sparse matrix by a vector does, of several sizes; in between it
// reads a clock and touches no memory. Each process prints a table; start one on each processor at once, as ranks do.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include <fmt/format.h>

namespace {

using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::duration<double, std::milli>;

constexpr int bursts = 100;
constexpr int warm_up = 5;

struct Products {
  explicit Products(std::size_t count)
      : factors(count, 0.5), places(count), vector(std::min<std::size_t>(count, 7000), 1.0) {
    std::mt19937 draws(1);
    for (auto& place : places)
      place = static_cast<std::uint32_t>(draws() % vector.size());
  }

  double sum() const {
    double total = 0;
    for (std::size_t i = 0; i < factors.size(); ++i)
      total += factors[i] * vector[places[i]];
    return total;
  }

  std::vector<double> factors;
  std::vector<std::uint32_t> places;
  std::vector<double> vector;
};

/** Returns the mean time of a burst in ms, where each follows a wait. */
double burst_time(const Products& products, Milliseconds wait) {
  Milliseconds taken{0};
  volatile double kept = 0;
  for (int burst = -warm_up; burst < bursts; ++burst) {
    const auto begin = Clock::now();
    kept = kept + products.sum();
    const auto end = Clock::now();
    if (burst >= 0) taken += end - begin;
    while (Clock::now() - end < wait) {
    }
  }
  return taken.count() / bursts;
}

} // namespace

int main() {
  fmt::print("{:>9}  {:>9}  {:>22}  {:>22}\n", "data", "no wait", "after 1 ms", "after 9 ms");
  for (const std::size_t count : {2'000, 30'000, 60'000, 200'000, 400'000, 925'000, 2'000'000}) {
    const Products products(count);
    const auto none = burst_time(products, Milliseconds{0});
    fmt::print("{:>6.0f} kB  {:>6.3f} ms", static_cast<double>(count) * 12e-3, none);
    for (const auto wait : {Milliseconds{1}, Milliseconds{9}}) {
      const auto after = burst_time(products, wait);
      fmt::print("  {:>6.3f} ms, {:>5.2f} times", after, after / none);
    }
    fmt::print("\n");
  }
}
