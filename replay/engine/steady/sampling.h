#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace timeless::replay {

/// Which iterations of a loop are played where a share of them is: the loop is cut into parts of the same size, and of
/// each part one block is played, at a place drawn from the seed (stratified sampling with one unit from each stratum:
/// W. G. Cochran, Sampling Techniques, 1977, section 5A.12). A block settles before it is measured.
class SamplePlan {
public:
  /// Iterations that are played before a block is measured: it begins with the state that the block before left.
  static constexpr std::uint64_t settling = 2;
  /// Iterations that are measured.
  static constexpr std::uint64_t measured = 2;
  /// Of fewer blocks, how much they differ is hardly known.
  static constexpr std::uint64_t least_blocks = 10;

  /// One part of the loop, by cuts: iterations from `first` to `block` are skipped, those to `measure` are played,
  /// those to `end` measured, those to `next` skipped.
  struct Part {
    std::uint64_t first = 0;
    std::uint64_t block = 0;
    std::uint64_t measure = 0;
    std::uint64_t end = 0;
    std::uint64_t next = 0;

    /// Returns how many times what is measured stands for what is skipped.
    std::uint64_t times() const { return (block - first + next - end) / measured; }
  };

  /// Plans a loop of so many iterations, of which `share` are to be played; nothing where that is too few blocks, or
  /// leaves nothing to skip.
  static std::optional<SamplePlan> make(std::uint64_t iterations, double share, std::uint64_t seed);

  const std::vector<Part>& parts() const { return parts_; }

private:
  std::vector<Part> parts_;
};

/// What the blocks of a run say of its length, configuration by configuration, and how sure that is.
class SampleErrors {
public:
  explicit SampleErrors(std::size_t lanes) : variances_(lanes) {}

  /// Adds a loop: of each block the seconds that its measured iterations took, lane by lane.
  void add(const SamplePlan& plan, const std::vector<std::vector<double>>& blocks);
  /// Returns half the width of the interval in which a lane's makespan lies in 95 of 100 samples, in seconds. What is
  /// skipped of a part differs from its block by as much as blocks differ from the next (successive differences:
  /// K. M. Wolter, Introduction to Variance Estimation, 2007, section 8.2), and Student's distribution adds what so few
  /// blocks leave open.
  double half_width(std::size_t lane) const;

private:
  std::vector<double> variances_;
  std::uint64_t degrees_ = 0; ///< of the loop with fewest
};

} // namespace timeless::replay
