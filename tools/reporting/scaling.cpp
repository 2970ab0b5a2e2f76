#include "tools/reporting/scaling.h"

#include "tools/reporting/machines.h"

#include "base/error.h"

#include <algorithm>
#include <set>
#include <string>

namespace timeless::tools {

void read_scaling(Report& report) {
  std::set<trace::Rank> ranks;
  std::set<std::string> programs;
  ScalingRequest request;
  for (const ReportedTrace& trace : report.traces) {
    if (!ranks.insert(trace.ranks).second) continue; // of equal numbers of ranks, the first
    programs.insert(trace.program);
    request.runs.push_back(trace.trace);
  }
  if (programs.size() > 1) {
    if (ranks.size() > 2) report.notes.push_back("how the runs scale is not said: they are of different programs");
    return;
  }
  if (ranks.size() == 2)
    report.notes.push_back("how the program scales is not said: laws need runs of three numbers of ranks, these are of "
                           "two; add a recording with another number");
  if (ranks.size() < 3) return;
  const PredictionOptions base = base_options(report);
  request.from = report.asked.from;
  request.machine = base.machine;
  request.machine.calibrated = nullptr;
  request.platforms = base.platforms;
  request.symbols = report.asked.symbols;
  request.why = true;
  for (const int times : {2, 4})
    request.to.push_back(std::to_string(times * static_cast<std::int64_t>(*ranks.rbegin())));
  try {
    report.scaling = answer_scaling(request);
    if (!report.scaling->doubt.empty()) report.notes.push_back("how the runs scale: " + report.scaling->doubt);
  } catch (const Error& error) {
    report.notes.push_back(std::string("how the runs scale is not said: ") + error.what());
  }
}

} // namespace timeless::tools
