#pragma once

#include "base/processes/child.h"

#include <functional>
#include <vector>

namespace timeless::microkernels {

/// Processes that work at once. Those that are left at its end are killed: they would wait for ever for one that has
/// ended.
class Workers {
public:
  Workers() = default;
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  ~Workers();

  /// Starts a process that runs `work`, and ends with it or when this one ends. An exception in it is told on stderr.
  void start(const std::function<void()>& work);
  /// Blocks until all have ended. Throws Error(runtime) as soon as one has failed.
  void wait();

private:
  std::vector<Child> all_;
};

} // namespace timeless::microkernels
