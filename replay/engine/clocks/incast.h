#pragma once

#include <algorithm>
#include <array>
#include <limits>

namespace timeless::replay {

/// How far a receiver would fall behind whose messages came in one after the other, in a replay where they do not: for
/// each time its port would be busy, by how much the port is busy longer than until its last message is in.
class IncastWatch {
public:
  /// Notes a message that reaches the rank at `come`, takes `seconds` to come in, and is in at `in`.
  void see(double come, double in, double seconds) {
    if (in <= begin_) return;
    if (come >= end_) {
      behind_ += std::max(end_ - last_, 0.0);
      begin_ = end_ = come;
      last_ = in;
    }
    const double before = std::max(begin_ - come, 0.0);
    begin_ -= before;
    end_ += seconds - before;
    last_ = std::max(last_, in);
  }

  double seconds() const { return behind_ + std::max(end_ - last_, 0.0); }

  /// Makes times count from `offset` on, rounded by adding and taking away `rounding`, of a rank whose clock is then
  /// `now`. A port that is idle by then is forgotten: it counts for what came through it only.
  void count_from(double offset, double rounding, double now) {
    if (end_ - offset <= now) {
      behind_ += std::max(end_ - last_, 0.0);
      begin_ = end_ = last_ = idle;
      return;
    }
    for (double* const time : {&begin_, &end_, &last_})
      *time = (*time - offset + rounding) - rounding;
  }
  /// Seconds behind of ports that are idle again.
  double& behind() { return behind_; }
  /// Returns what decides what further messages add.
  std::array<double, 3> state() const { return {begin_, end_, last_}; }

private:
  static constexpr double idle = -std::numeric_limits<double>::max();

  double begin_ = 0;
  double end_ = 0;
  double last_ = 0;
  double behind_ = 0;
};

} // namespace timeless::replay
