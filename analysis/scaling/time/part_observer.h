#pragma once

#include "analysis/scaling/time/timed_run.h"
#include "replay/result/observer.h"

#include <optional>

namespace timeless::analysis {

/// Divides the time of a replay's first lane by what its actions are.
class PartObserver : public replay::Observer {
public:
  std::size_t lane(std::span<const std::string> /*lanes*/) override { return 0; }
  void begin(const trace::Run& run) override;
  void start(trace::Rank /*rank*/, double seconds) override { sums_.other += seconds; }
  void observe(const replay::ObservedAction& action) override;

  /// Returns the means over the ranks; nothing where a rank has several threads, whose times overlap.
  std::optional<TimeByPart> parts() const;

private:
  TimeByPart sums_ = {};
  double ranks_ = 1;
  bool threads_ = false;
};

} // namespace timeless::analysis
