#include "tools/reporting/plane.h"

#include "tools/replaying/sweep/sweeping.h"
#include "tools/reporting/machines.h"

#include "replay/network/presets.h"

#include <algorithm>
#include <cmath>

namespace timeless::tools {

namespace {

constexpr int nearest = 3; ///< factors of two that are always shown
constexpr int farthest = 6;

struct Range {
  int first = -nearest;
  int last = nearest;
  void include(double factor) {
    if (!(factor > 0) || !std::isfinite(factor)) return;
    const int step = static_cast<int>(std::lround(std::log2(factor)));
    if (std::abs(step) > farthest) return;
    first = std::min(first, step);
    last = std::max(last, step);
  }
};

std::vector<double> factors(int first, int last) {
  std::vector<double> all;
  for (int step = first; step <= last; ++step)
    all.push_back(std::ldexp(1.0, step));
  return all;
}

/// All machines with a latency and a bandwidth, relative to the base machine.
std::vector<ClassPlane::Mark> marks_of(const Report& report, InstalledPlatforms& installed) {
  std::vector<ClassPlane::Mark> marks{{.name = report.machines[report.base].name}};
  const auto& base = report.machines[report.base].figures;
  if (!base || !(base->latency > 0) || !std::isfinite(base->bandwidth)) return marks;
  const auto add = [&](const std::string& name, double latency, double bandwidth, bool platform = false) {
    if (std::ranges::find(marks, name, &ClassPlane::Mark::name) == marks.end())
      marks.push_back({name, bandwidth / base->bandwidth, latency / base->latency, platform});
  };
  for (const ReportedMachine& machine : report.machines)
    if (machine.figures) add(machine.name, machine.figures->latency, machine.figures->bandwidth);
  for (const replay::Preset& preset : replay::presets())
    add(std::string(preset.name), preset.latency, preset.bits_per_second / 8);
  for (const platforms::ListedPlatform& one : installed.loaded())
    if (one.between_nodes)
      add(one.file.stem().string(), one.between_nodes->latency, one.between_nodes->bandwidth, true);
  return marks;
}

} // namespace

ClassPlane class_plane(Report& report, InstalledPlatforms& installed, const trace::Source& source) {
  ClassPlane plane;
  report.notes.insert(report.notes.end(), installed.notes().begin(), installed.notes().end());
  plane.marks = marks_of(report, installed);
  Range bandwidth;
  Range latency;
  for (const ClassPlane::Mark& mark : plane.marks) {
    bandwidth.include(mark.bandwidth);
    latency.include(mark.latency);
  }
  plane.bandwidths = factors(bandwidth.first, bandwidth.last);
  plane.latencies = factors(latency.first, latency.last);
  SweepRequest request;
  request.prediction = base_options(report);
  request.axes.bandwidth = plane.bandwidths;
  request.axes.latency = plane.latencies;
  request.classes = true;
  request.worth = report.asked.threshold;
  request.advice = false; // of the machine itself: the report has it
  const SweepPrediction swept = sweep(source, request);
  plane.cells.resize(plane.bandwidths.size() * plane.latencies.size());
  for (std::size_t i = 0; i < swept.grid.size(); ++i) {
    const analysis::SweptConfiguration& one = swept.of(swept.grid[i]);
    const auto place = [](const std::vector<double>& axis, double factor) {
      return static_cast<std::size_t>(std::ranges::find(axis, factor) - axis.begin());
    };
    plane.cells.at(place(plane.latencies, one.point.latency) * plane.bandwidths.size() +
                   place(plane.bandwidths, one.point.bandwidth)) = {
        swept.classes[i] ? analysis::name(*swept.classes[i]) : "deadlock",
        swept.helps[i] ? swept.helps[i]->what() : analysis::ChangeKind::none, one.makespan};
  }
  return plane;
}

} // namespace timeless::tools
