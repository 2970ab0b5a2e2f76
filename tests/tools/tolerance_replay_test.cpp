#include "analysis/tolerance.h"
#include "tests/replay/machines.h"
#include "tests/replay/random_program.h"

#include "replay/network/variations.h"
#include "replay/replay.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace timeless::analysis {
namespace {

using replay::Variation;

/// Makespans of a program when one of a machine's costs is multiplied.
class Costlier {
public:
  Costlier(const trace::Source& source, const replay::Network& network, const replay::ReplayOptions& options,
           double Variation::*cost, double replay::Sensitivity::*seconds)
      : source_(source), network_(network), options_(options), cost_(cost), seconds_(seconds) {
    options_.sensitivities = true;
  }

  std::vector<ToleranceSample> operator()(std::span<const double> factors) const {
    std::vector<Variation> variations(factors.size());
    for (std::size_t i = 0; i < factors.size(); ++i)
      variations[i].*cost_ = factors[i];
    const replay::Network varied = replay::varied(network_, variations);
    const replay::Result result = replay::replay(source_, varied, options_);
    std::vector<ToleranceSample> samples;
    for (std::size_t i = 0; i < factors.size(); ++i)
      samples.push_back({factors[i], result.lanes[i].makespan, result.lanes[i].sensitivity.*seconds_ / factors[i]});
    return samples;
  }

  double at(double factor) const { return (*this)(std::vector{factor}).front().makespan; }

private:
  const trace::Source& source_;
  const replay::Network& network_;
  replay::ReplayOptions options_;
  double Variation::*cost_;
  double replay::Sensitivity::*seconds_;
};

/// 0 where the ranks come to wait for each other.
double makespan(const trace::Source& source, const replay::Network& network, const replay::ReplayOptions& options) {
  try {
    return replay::replay(source, network, options).lanes[0].makespan;
  } catch (const replay::ReplayProblem&) {
    return 0;
  }
}

TEST(ToleranceOfReplays, brackets_of_random_programs_are_certified_and_hold_what_a_replay_gives) {
  // Eager, and with messages that wait for their receives from 64 bytes on: who takes what depends on no time in
  // either.
  int asked = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    const trace::MemorySource program = replay::test::random_program(seed, {.most_ranks = 5, .most_events = 60});
    replay::test::IntegerMachine machine(program.run().size, seed, {seed});
    replay::ReplayOptions options;
    if (seed % 2 == 0) options.eager_limit = 64;
    const double plain = makespan(program, machine, options);
    if (!(plain > 0)) continue;
    options.sensitivities = true;
    // Where receivers work on what comes in the order of its arrival, a makespan need not be convex.
    if (replay::replay(program, machine, options).order_matters) continue;
    ++asked;
    const Costlier costs[] = {
        {program, machine, options, &Variation::latency, &replay::Sensitivity::latency},
        {program, machine, options, &Variation::byte_time, &replay::Sensitivity::bandwidth},
        {program, machine, options, &Variation::compute, &replay::Sensitivity::compute},
    };
    for (const Costlier& cost : costs) {
      const ToleranceAnswer answer = find_tolerance(cost, {.growths = {0.01, 0.1}});
      EXPECT_EQ(answer.makespan, plain) << "seed " << seed;
      ASSERT_EQ(answer.not_convex_because, "") << "seed " << seed;
      for (const Tolerance& tolerance : answer.tolerances) {
        const double height = answer.makespan * (1 + tolerance.growth);
        ASSERT_TRUE(tolerance.certified);
        ASSERT_LE(cost.at(tolerance.least), height * (1 + 1e-9)) << "seed " << seed;
        ASSERT_TRUE(tolerance.beyond || cost.at(tolerance.most) >= height * (1 - 1e-9)) << "seed " << seed;
      }
    }
  }
  EXPECT_GT(asked, 50);
}

} // namespace
} // namespace timeless::analysis
