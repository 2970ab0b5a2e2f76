// Where time goes on each machine, and how it changes with the network of the first.
#include "tools/render/replay/advice.h"
#include "tools/render/report/page/parts.h"
#include "tools/render/report/page/sections.h"
#include "tools/render/report/shown.h"
#include "tools/render/report/words.h"

#include <algorithm>
#include <cmath>

namespace timeless::tools {

namespace {

using replay::LaneResult;
using replay::RankTimes;

std::string bar_words(const ReportedMachine& machine, const LaneResult& lane, std::span<const TimePart> parts) {
  if (lane.deadlock) return machine.name + ": deadlock";
  std::string text = machine.name + ": " + seconds_words(lane.makespan);
  if (machine.interval) text += " (" + interval_words(machine.interval) + ")";
  const RankTimes mean = replay::mean(lane);
  for (const TimePart& part : parts)
    text += fmt::format(", {} {} %", part.name, mean.end > 0 ? share_words(mean.*part.field / mean.end) : "0");
  return text;
}

/// The class of a machine, why, and what helps there; where no message crosses the network, that is said once.
std::string machine_verdict(const Report& report, std::size_t machine) {
  std::string helps = helps_sentence(report, machine);
  if (report.prediction.bases[machine].network_used())
    return fmt::format("{}: {}. {}", class_words(report, machine), class_reason(report, machine), helps);
  const std::string again = capitalised(no_network_words) + "; ";
  if (helps.starts_with(again)) helps.erase(0, again.size());
  return fmt::format("{}. {}", class_reason(report, machine), capitalised(std::move(helps)));
}

/// The longest time that bars and intervals reach to.
double longest_time(const Report& report) {
  double longest = 0;
  for (std::size_t i = 0; i < report.machines.size(); ++i) {
    if (report.lane(i).deadlock) continue;
    longest = std::max(longest, report.lane(i).makespan);
    if (const auto& interval = report.machines[i].interval) longest = std::max(longest, interval->high);
  }
  return longest > 0 ? longest : 1;
}

void draw_interval(Html& html, const analysis::Interval& interval, double scale, double y) {
  const std::string at = coordinate(y);
  const std::string low = coordinate(scale * interval.low) + "%";
  const std::string high = coordinate(scale * interval.high) + "%";
  html.empty("line", {{"class", "interval"}, {"x1", low}, {"x2", high}, {"y1", at}, {"y2", at}});
  for (const std::string& end : {low, high})
    html.empty("line",
               {{"class", "interval"}, {"x1", end}, {"x2", end}, {"y1", coordinate(y - 5)}, {"y2", coordinate(y + 5)}});
}

void draw_bars(Html& html, const Report& report, std::span<const TimePart> parts) {
  constexpr double widest = 98; // %
  const double scale = widest / longest_time(report);
  PictureRows rows(html, "time-figure");
  for (const std::size_t i : shown_machines(report)) {
    const ReportedMachine& machine = report.machines[i];
    const LaneResult& lane = report.lane(i);
    rows.open(machine.description + ": " + (lane.deadlock ? "deadlock" : seconds_words(lane.makespan)),
              bar_words(machine, lane, parts),
              lane.deadlock      ? 1
              : machine.interval ? 34
                                 : 24,
              machine.name);
    if (!lane.deadlock) {
      const RankTimes mean = replay::mean(lane);
      double x = 0;
      for (const TimePart& part : parts) {
        const double width = scale * (mean.*part.field);
        if (!(width > 0)) continue;
        html.empty(
            "rect",
            {{"class", part.style}, {"x", coordinate(x) + "%"}, {"width", coordinate(width) + "%"}, {"height", "20"}});
        write_share(html, x, width, 14, share_words(mean.*part.field / mean.end) + " %");
        x += width;
      }
      if (machine.interval) draw_interval(html, *machine.interval, scale, 27);
    }
    rows.close();
  }
}

void time_table(Html& html, const Report& report, std::span<const TimePart> parts) {
  std::vector<TableColumn> columns{"machine", "time", interval_column("interval", "time")};
  for (const TimePart& part : parts)
    columns.emplace_back(std::string(part.name) + " %");
  columns.emplace_back("bound by");
  columns.emplace_back("what helps", std::vector<std::string>{"what helps", "trust"});
  PageTable table(html, "time-table", "Time on each machine; shares are means over the ranks", columns);
  const std::vector<std::size_t> shown = shown_machines(report);
  for (std::size_t i = 0; i < report.machines.size(); ++i) {
    const ReportedMachine& machine = report.machines[i];
    const LaneResult& lane = report.lane(i);
    std::vector<TableCell> cells{machine.name};
    if (lane.deadlock) {
      cells.emplace_back("deadlock");
      cells.push_back(interval_cell(std::nullopt));
      cells.resize(columns.size(), TableCell("-"));
      cells.back().csv = {"-", machine.trust};
    } else {
      const RankTimes mean = replay::mean(lane);
      cells.emplace_back(seconds_words(lane.makespan), lane.makespan);
      cells.push_back(interval_cell(machine.interval));
      for (const TimePart& part : parts) {
        const double share = mean.end > 0 ? mean.*part.field / mean.end : 0;
        cells.emplace_back(share_words(share), share);
      }
      cells.emplace_back(class_words(report, i));
      const std::string helps = helps_words(report, i);
      cells.emplace_back(helps);
      cells.back().csv = {helps, machine.trust};
    }
    table.row(cells, machine.name, holds(shown, i));
  }
}

/// Returns what the latency, or else the bandwidth, is multiplied by at a point.
double factor_of(const SweepCurve& curve, std::size_t point) {
  return curve.of == SweepCurve::Of::latency ? curve.points[point].latency : curve.points[point].bandwidth;
}

const char* curve_heading(SweepCurve::Of of) {
  if (of == SweepCurve::Of::bandwidth) return "bandwidth";
  return of == SweepCurve::Of::latency ? "latency, lower to the right" : "bandwidth and latency";
}

/// The table of a curve, by what it varies.
std::string curve_table_id(const SweepCurve& curve) {
  return std::string("sweep-") +
         (curve.of == SweepCurve::Of::bandwidth ? "bandwidth"
          : curve.of == SweepCurve::Of::latency ? "latency"
                                                : "both") +
         "-table";
}

/// Stacked areas of the mean rank's time; `x` is of a point, `y` of seconds.
void draw_areas(Html& html, const SweepCurve& curve, std::span<const TimePart> parts, const auto& x, const auto& y) {
  std::vector<double> below(curve.points.size());
  for (const TimePart& part : parts) {
    std::string path;
    std::string back;
    for (std::size_t i = 0; i < curve.points.size(); ++i) {
      const double from = below[i];
      below[i] += curve.points[i].mean.*part.field;
      path += fmt::format("{}{} {}", i == 0 ? "M" : "L", coordinate(x(i)), coordinate(y(below[i])));
      back = fmt::format("L{} {}", coordinate(x(i)), coordinate(y(from))) + back;
    }
    html.empty("path", {{"class", part.style}, {"d", path + back + "Z"}});
  }
}

/// Stacked areas of the mean rank's time, and the makespan as a line above them, on an axis up to `end`.
void draw_curve(Html& html, const SweepCurve& curve, std::span<const TimePart> parts, double end) {
  constexpr double left = 17;
  constexpr double width = 80;
  constexpr double top = 24;
  constexpr double height = 150;
  const std::string name = curve_heading(curve.of);
  const double steps = static_cast<double>(curve.points.size()) - 1;
  const auto x = [&](std::size_t i) { return 100 * static_cast<double>(i) / steps; };
  const auto y = [&](double seconds) { return 100 - 100 * seconds / end; };
  html.open("svg", {{"class", "chart curve stepped"},
                    {"width", "100%"},
                    {"height", "204"},
                    {"role", "img"},
                    {"tabindex", "0"},
                    {"data-table", curve_table_id(curve)},
                    {"data-left", coordinate(left)},
                    {"data-width", coordinate(width)},
                    {"aria-label", "Time by " + name}});
  html.leaf("text", {{"x", "0"}, {"y", "14"}, {"class", "title"}}, name);
  open_plot(html, left, top, width, height);
  draw_areas(html, curve, parts, x, y);
  std::string line;
  for (std::size_t i = 0; i < curve.points.size(); ++i)
    line += fmt::format("{}{} {}", i == 0 ? "M" : "L", coordinate(x(i)), coordinate(y(curve.points[i].makespan)));
  html.empty("path", {{"class", "line"}, {"d", line}}).close();
  time_axis(html, left, top, height, end);
  for (std::size_t i = 0; i < curve.points.size(); i += 3)
    html.leaf("text",
              {{"class", i == 0                         ? "tick"
                         : i + 1 == curve.points.size() ? "tick end"
                                                        : "tick middle"},
               {"x", coordinate(left + width * x(i) / 100) + "%"},
               {"y", coordinate(top + height + 18)}},
              factor_words(factor_of(curve, i)));
  html.close();
}

void curve_table(Html& html, const SweepCurve& curve, std::span<const TimePart> parts) {
  std::vector<TableColumn> columns{{"factor", {"bandwidth factor", "latency factor"}}, "time"};
  for (const TimePart& part : parts)
    columns.emplace_back(std::string(part.name) + ", mean");
  PageTable table(html, curve_table_id(curve), std::string("Time by ") + curve_heading(curve.of), columns);
  for (std::size_t i = 0; i < curve.points.size(); ++i) {
    const SweepCurve::Point& point = curve.points[i];
    std::vector<TableCell> cells{{factor_words(factor_of(curve, i)), factor_of(curve, i)},
                                 {seconds_words(point.makespan), point.makespan}};
    cells.front().csv = {csv_number(point.bandwidth), csv_number(point.latency)};
    for (const TimePart& part : parts)
      cells.emplace_back(seconds_words(point.mean.*part.field), point.mean.*part.field);
    table.row(cells);
  }
}

} // namespace

void time_section(Html& html, const Report& report) {
  const std::vector<TimePart> parts = parts_of(report.prediction.result.lanes);
  open_section(html, "time", "Where time goes");
  figure(
      html, "time-figure", time_finding(report),
      [&] {
        legend(html, parts);
        draw_bars(html, report, parts);
      },
      nullptr);
  time_table(html, report, parts);
  html.open("dl");
  for (const std::size_t i : shown_machines(report))
    if (report.machines[i].classification)
      html.leaf("dt", report.machines[i].name).leaf("dd", machine_verdict(report, i));
  html.close().close();
}

void sweep_section(Html& html, const Report& report) {
  const std::vector<TimePart> parts = parts_of(report.prediction.result.lanes);
  double longest = 0;
  for (const SweepCurve& curve : report.curves)
    for (const SweepCurve::Point& point : curve.points)
      longest = std::max({longest, point.makespan, point.mean.end});
  open_section(html, "sweep", "If the network were better or worse");
  if (!report.verdict.refusal.empty()) {
    html.leaf("p", verdict_sentence(report)).close();
    return;
  }
  figure(
      html, "sweep-figure",
      fmt::format("Around {}, from an eighth to eight times. {}", report.machines[report.base].name,
                  sweep_finding(report)),
      [&] {
        legend(html, parts);
        html.open("div", {{"class", "panels"}});
        for (const SweepCurve& curve : report.curves)
          if (curve.points.size() > 1 && longest > 0) draw_curve(html, curve, parts, axis_end(longest));
        html.close();
        html.leaf("p", {{"class", "note"}},
                  "The line is the run's time, the areas are what the mean rank's time is made of.");
      },
      [&] {
        for (const SweepCurve& curve : report.curves)
          curve_table(html, curve, parts);
      });
  plane_section(html, report);
  html.close();
}

} // namespace timeless::tools
