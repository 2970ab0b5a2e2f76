#pragma once

#include "replay/result/result.h"

#include <optional>

namespace timeless::analysis {

/// Where a run's processors are lost, as factors from 0 to 1: the multiplicative model of the POP centre of excellence
/// (Rosas, Gimenez, Labarta: Scalability prediction for fundamental performance factors, 2014; its "ideal network" is a
/// replay in which communication is free). With C the computation of a rank, T the makespan, and I the makespan when
/// communication is free:
///
///     parallel = mean(C) / T = load_balance * communication
///     communication = max(C) / T = serialisation * transfer
///
/// What would be divided by 0 is none: all of them in a run that takes no time, and load balance where nothing is
/// computed.
struct Efficiencies {
  std::optional<double> load_balance;  ///< mean(C) / max(C): how evenly the ranks compute
  std::optional<double> serialisation; ///< max(C) / I: what is left when ranks only wait for each other's computation
  std::optional<double> transfer;      ///< I / T: what is left when messages cost time
  std::optional<double> communication; ///< max(C) / T
  std::optional<double> parallel;      ///< mean(C) / T
};

/// Returns the efficiencies of a lane that was replayed with ReplayOptions::ideal.
Efficiencies efficiencies(const replay::LaneResult& lane);

} // namespace timeless::analysis
