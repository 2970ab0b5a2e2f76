#pragma once

#include "replay/result.h"

namespace timeless::tools {

/// Where a run's processors are lost, as factors from 0 to 1: the multiplicative model of the POP centre of excellence
/// (Rosas, Gimenez, Labarta: Scalability prediction for fundamental performance factors, 2014; its "ideal network" is a
/// replay in which communication is free). With C the computation of a rank, T the makespan, and I the makespan when
/// communication is free:
///
///     parallel = mean(C) / T = load_balance * communication
///     communication = max(C) / T = serialisation * transfer
///
/// All are 1 in a run that takes no time, and 0 where nothing was computed in one that does.
struct Efficiencies {
  double load_balance = 1;  ///< mean(C) / max(C): how evenly the ranks compute
  double serialisation = 1; ///< max(C) / I: what is left when ranks only wait for each other's computation
  double transfer = 1;      ///< I / T: what is left when messages cost time
  double communication = 1; ///< max(C) / T
  double parallel = 1;      ///< mean(C) / T
};

/// Of a lane that was replayed with ReplayOptions::ideal.
Efficiencies efficiencies(const replay::LaneResult& lane);

} // namespace timeless::tools
