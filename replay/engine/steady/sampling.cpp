#include "replay/engine/steady/sampling.h"

#include "base/mixing.h"
#include "base/students.h"

#include <algorithm>
#include <cmath>

namespace timeless::replay {

std::optional<SamplePlan> SamplePlan::make(std::uint64_t iterations, double share, std::uint64_t seed) {
  constexpr std::uint64_t block = settling + measured;
  if (iterations <= settling) return std::nullopt;
  const std::uint64_t left = iterations - settling; // the first are played: nothing has settled yet
  const auto blocks = static_cast<std::uint64_t>(share * static_cast<double>(left) / block);
  if (blocks < least_blocks || left / blocks < block + measured) return std::nullopt;
  const std::uint64_t skipped = (left / blocks - block) / measured * measured;
  SamplePlan plan;
  std::uint64_t first = settling;
  for (std::uint64_t i = 0; i < blocks; ++i) {
    seed = splitmix64(seed);
    Part part{.first = first, .next = first + block + skipped};
    part.block = first + seed % (skipped + 1);
    part.measure = part.block + settling;
    part.end = part.measure + measured;
    first = part.next;
    plan.parts_.push_back(part);
  }
  return plan;
}

void SampleErrors::add(const SamplePlan& plan, const std::vector<std::vector<double>>& blocks) {
  const auto count = static_cast<double>(blocks.size());
  const auto times = static_cast<double>(plan.parts().front().times());
  for (std::size_t lane = 0; lane < variances_.size(); ++lane) {
    double squares = 0;
    for (std::size_t block = 1; block < blocks.size(); ++block)
      squares += std::pow(blocks[block][lane] - blocks[block - 1][lane], 2);
    const double of_block = squares / (2 * (count - 1));
    variances_[lane] += count * times * (times + 1) * of_block;
  }
  // Differences that share a block are not independent of each other.
  const std::uint64_t degrees = 2 * (blocks.size() - 1) / 3;
  degrees_ = degrees_ == 0 ? degrees : std::min(degrees_, degrees);
}

double SampleErrors::half_width(std::size_t lane) const {
  return degrees_ == 0 ? 0 : students_quantile(StudentsTail::fortieth, degrees_) * std::sqrt(variances_[lane]);
}

} // namespace timeless::replay
