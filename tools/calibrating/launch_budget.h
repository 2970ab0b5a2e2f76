#pragma once

namespace timeless::tools {

/// Divides a time among launches that take some of it to start. How long that takes is known once the first has ended:
/// then as many of the others are made as fit.
class LaunchBudget {
public:
  /// Begins with `seconds`, above 0, for all of `launches`, one or more.
  LaunchBudget(double seconds, unsigned launches);

  /// Returns how long the next launch is to measure, in seconds; 0: no launch is made any more. The first is always
  /// made.
  double next() const;
  /// Takes in how long a launch took that was given next(): from its start to its end, in seconds.
  void ended(double elapsed);

  /// Returns how many have ended.
  unsigned made() const { return made_; }
  /// Returns what launches take beside measuring: the most that one has taken, seconds.
  double start_up() const { return start_up_; }

private:
  unsigned left_;
  unsigned made_ = 0;
  double seconds_left_;
  double start_up_ = 0;
};

} // namespace timeless::tools
