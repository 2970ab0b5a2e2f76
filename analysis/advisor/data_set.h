#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace timeless::analysis {

/// What a simulation is needed for.
enum class AdvisorLabel : unsigned char {
  total,     ///< |T_SMPI / T_model - 1|, the paper's DIFF_total (section V.B)
  contention ///< |T_SMPI / T_SMPI, where nobody shares a link, - 1|: without the other algorithms of collectives
};

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
  double unshared_seconds = 0; ///< SMPI's where nobody shares a link; 0: not simulated
  double smpi_cpu_seconds = 0; ///< of the simulation
  double model_cpu_seconds = 0;
  std::uint64_t actions = 0;
  std::vector<double> features = {}; ///< by features()

  /// Returns whether what a label asks for is known.
  bool simulated(AdvisorLabel label = AdvisorLabel::total) const {
    return smpi_seconds > 0 && (label == AdvisorLabel::total || unshared_seconds > 0);
  }
  /// Returns what the label says of the row.
  double difference(AdvisorLabel label = AdvisorLabel::total) const;
};

/// Runs with both times: what an advisor is trained on.
struct AdvisorData {
  std::vector<AdvisorRow> rows = {};

  /// Returns, by row, whether the label's two times differ by more than `threshold`: whether simulation is needed.
  std::vector<bool> needed(double threshold, AdvisorLabel label = AdvisorLabel::total) const;
  /// Returns the programs that are not synthetic, each once, as they come.
  std::vector<std::string> programs() const;
};

} // namespace timeless::analysis
