#include "tools/recording/empty_loop.h"

#include "tools/recording/processors.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <thread>

namespace timeless::tools {

namespace {

constexpr std::size_t most_threads = 64;

constexpr int repetitions = 200;
constexpr std::uint64_t first_guess = 1U << 16U;

/// Each step needs the one before it, and memory is not touched.
std::uint64_t work(std::uint64_t steps, std::uint64_t seed) {
  for (std::uint64_t step = 0; step < steps; ++step)
    seed = seed * 6364136223846793005U + 1442695040888963407U;
  return seed;
}

double timed(std::uint64_t steps, std::uint64_t& seed) {
  const auto begin = std::chrono::steady_clock::now();
  seed = work(steps, seed);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

std::vector<double> repeated(std::uint64_t steps) {
  std::uint64_t seed = 1;
  std::vector<double> seconds;
  for (int repetition = 0; repetition < repetitions; ++repetition)
    seconds.push_back(timed(steps, seed));
  // What nobody uses would not be computed.
  if (seed == 0) seconds.clear();
  return seconds;
}

} // namespace

std::vector<std::vector<double>> time_empty_loop() {
  constexpr double wanted = 1e-3;
  std::uint64_t seed = 1;
  timed(first_guess, seed);
  const double guessed = std::max(timed(first_guess, seed), 1e-6);
  const auto steps = static_cast<std::uint64_t>(static_cast<double>(first_guess) * wanted / guessed) + 1;
  std::vector<std::vector<double>> all(std::min(usable_processors().size(), most_threads));
  std::vector<std::jthread> threads;
  for (std::vector<double>& seconds : all)
    threads.emplace_back([&seconds, steps] { seconds = repeated(steps); });
  for (std::jthread& thread : threads)
    thread.join();
  return all;
}

analysis::Quietness quietness_here() {
  analysis::Quietness worst;
  for (const std::vector<double>& seconds : time_empty_loop()) {
    const analysis::Quietness one = analysis::quietness(seconds);
    worst = {.spread = std::max(worst.spread, one.spread), .worst = std::max(worst.worst, one.worst)};
  }
  return worst;
}

} // namespace timeless::tools
