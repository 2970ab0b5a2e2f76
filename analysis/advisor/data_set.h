#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace timeless::analysis {

/// A run on a machine, with what the model and SimGrid's SMPI predict.
struct AdvisorRow {
  std::string program = {}; ///< rows of one program are not independent
  std::string trace = {};
  std::string platform = {};
  std::string mapping = {};    ///< of ranks to nodes, as it was asked for
  double compute = 1;          ///< how much faster than the platform's, or the assumed, speed
  bool synthetic = false;      ///< a generated program: it trains, and is never tested on
  double model_seconds = 0;    ///< the makespan
  double smpi_seconds = 0;     ///< 0: not simulated
  double smpi_cpu_seconds = 0; ///< of the simulation
  double model_cpu_seconds = 0;
  std::uint64_t actions = 0;
  std::vector<double> features = {}; ///< by features()

  bool simulated() const { return smpi_seconds > 0; }
  /// Returns |T_SMPI / T_model - 1|, the paper's DIFF_total (section V.B).
  double difference() const;
};

/// Runs with both times: what an advisor is trained on.
struct AdvisorData {
  std::vector<AdvisorRow> rows = {};

  /// Returns, by row, whether the two differ by more than `threshold`: whether simulation is needed.
  std::vector<bool> needed(double threshold) const;
  /// Returns the programs that are not synthetic, each once, as they come.
  std::vector<std::string> programs() const;
};

} // namespace timeless::analysis
