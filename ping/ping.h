#pragma once

#include "ping/experiment_runner.h"
#include "ping/ping_plan.h"

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <string>

namespace timeless::ping {

/// What a ping measures, and whom it tells.
struct PingOptions {
  PlanOptions plan;
  /// Takes the raw file's text, piece by piece; called on rank 0 only.
  std::function<void(const std::string&)> write;
  /// How many seconds of the budget are spent, and how much was measured; called on rank 0 only. May be empty.
  std::function<void(double seconds, std::uint64_t measurements)> progress;
  Timing timing = real_timing();
  std::string waiting = {}; ///< as MeasurementContext::waiting; rank 0's counts
};

/// Measures the network of a communicator's ranks until the time is spent, and writes what it measures as it goes.
/// Returns the number of measurements on rank 0. Collective. Throws Error(usage) on all ranks as PingPlan does.
std::uint64_t ping(MPI_Comm world, const PingOptions& options);

} // namespace timeless::ping
