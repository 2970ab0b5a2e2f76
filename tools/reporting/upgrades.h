#pragma once

#include "tools/reporting/report.h"

#include <optional>
#include <span>
#include <vector>

namespace timeless::tools {

/// A run on the machines of a report, and what answers about it rest on.
struct WeighedRun {
  const trace::Source& source;
  const ReportRequest& asked; ///< with the rates that are measured for this run
  std::string trace;
  std::span<const replay::LaneResult> lanes; ///< by machine
  std::span<const MachineBasis> bases;
  std::span<const std::optional<analysis::Interval>> intervals;
  RateRange rates;
  const analysis::Advice* advice = nullptr; ///< on the base machine; null: none
  bool left_out = false;                    ///< something of the run is not modelled
  bool contention_known = false;
  double contention = 0;                       ///< as in analysis::Grounds
  std::optional<double> simulated_saving = {}; ///< of Report::simulated_other
  bool compared = false;                       ///< with launches
  bool compared_in_noise = false;
  double validation_error = 0; ///< as in analysis::Grounds
};

/// Returns "x in place of y" of a machine and the base machine.
std::string in_place_of_base(const Report& report, std::size_t machine);

/// Returns what other machines, and better parts of the base machine, are worth to a run, and how far to trust that; a
/// refusal where there is nothing to judge by.
RunAnswers weigh(const WeighedRun& run, const Report& report);

/// Fills the verdict's answers: those of the run that the report is about.
void weigh_upgrades(Report& report, const trace::Source& source);

/// Fills the report's priced upgrades, where a file of them was given.
void price_upgrades(Report& report, const trace::Source& source);

} // namespace timeless::tools
