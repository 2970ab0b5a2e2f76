#pragma once

#include "replay/smpi/calls/job_context.h"
#include "trace/model/action.h"

#include <simgrid/s4u.hpp>

#include <cstdint>

namespace timeless::replay::smpi {

/// The computations of a thread. A calling thread waits for its workers: a burst takes as long as the longest of them.
class Computation {
public:
  Computation(const JobContext& context, trace::Rank rank) : context_(context), rank_(rank) {}

  /// Carries out a computation, on one of the cores; `cores` is null where there are as many as threads need.
  void play(const trace::Action& action, std::uint64_t volume, simgrid::s4u::Semaphore* cores);
  /// Ends the burst, as the thread has done something else: workers of what comes next have no share in it.
  void end_burst() { last_ = 0; }

private:
  const JobContext& context_;
  trace::Rank rank_;
  std::uint64_t last_ = 0; ///< the volume of the action before, when that was a computation
};

} // namespace timeless::replay::smpi
