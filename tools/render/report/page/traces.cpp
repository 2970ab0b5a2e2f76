// The runs that a report was given, where they are several: each with its verdict, and where the time of each goes.
#include "analysis/efficiencies.h"
#include "tools/render/figures.h"
#include "tools/render/report/page/parts.h"
#include "tools/render/report/page/sections.h"
#include "tools/render/report/shown.h"
#include "tools/render/report/words.h"

#include <algorithm>

namespace timeless::tools {

namespace {

using replay::LaneResult;
using replay::RankTimes;

/// What bounds a run and what helps it; in CSV its class, too.
TableCell bound_cell(const ReportedTrace& trace, const Report& report) {
  TableCell cell(trace_verdict(trace, report) +
                 (trace.incompleteness.empty() ? "" : "; INCOMPLETE: " + trace.incompleteness));
  cell.csv = {trace.advice && !trace.advice->network_used ? no_network_words
              : trace.classification                      ? name(*trace.classification)
                                                          : "-",
              cell.text};
  return cell;
}

void trace_table(Html& html, const Report& report) {
  const std::vector<std::size_t> shown = shown_runs(report);
  PageTable table(
      html, "trace-table", "Each run with its verdict on " + report.machines[report.base].name,
      {"run", "ranks", "time", {"bound by, and what helps", {"class", "bound by, and what helps"}}, "trace"},
      TableLayout::stacks);
  for (std::size_t i = 0; i < report.traces.size(); ++i) {
    const ReportedTrace& trace = report.traces[i];
    const LaneResult& lane = trace.lanes[report.base];
    const std::vector<TableCell> cells{trace_words(trace) + (i == report.about ? " (this page)" : ""),
                                       {std::to_string(trace.ranks), static_cast<double>(trace.ranks)},
                                       lane.deadlock ? TableCell("deadlock")
                                                     : TableCell(seconds_words(lane.makespan), lane.makespan),
                                       bound_cell(trace, report),
                                       trace.trace};
    table.row(cells, {}, holds(shown, i));
  }
}

/// Cells that a row without an answer has in the columns of answers: in CSV as many as these.
TableCell no_cell(const std::string& text, std::size_t csv_columns, const std::string& in_csv = "") {
  TableCell cell(text);
  cell.csv.resize(csv_columns);
  cell.csv.front() = in_csv;
  return cell;
}

/// What each run answers, a row for each question.
void answer_table_of_runs(Html& html, const Report& report) {
  PageTable table(html, "run-answer-table",
                  fmt::format("What each run answers: is {:g} % or more saved?", 100 * report.verdict.threshold),
                  {"run", "what", answer_column(), saves_column(), confidence_column()}, TableLayout::stacks);
  for (const RunRow& row : run_rows(report)) {
    std::vector<TableCell> cells{run_words(report, row.run), row.what.empty() ? "-" : row.what};
    if (row.of != nullptr) {
      cells.push_back(answer_cell(row.of->change, report.traces[row.run].compute));
      cells.push_back(saves_cell(row.of->change));
      cells.push_back(confidence_cell(row.of->trust, row.confidence));
    } else {
      cells.push_back(no_cell(row.answer, answer_column().csv.size(), row.answer));
      cells.push_back(no_cell("-", saves_column().csv.size()));
      cells.push_back(no_cell("-", confidence_column().csv.size()));
    }
    table.row(cells, {}, row.shown);
  }
}

/// A bar for each run, all equally long, of the shares of the mean rank's time.
void draw_shares(Html& html, const Report& report, std::span<const TimePart> parts) {
  PictureRows rows(html, "trace-figure");
  for (const std::size_t run : shown_runs(report)) {
    const ReportedTrace& trace = report.traces[run];
    const LaneResult& lane = trace.lanes[report.base];
    std::string words = trace_words(trace) + ": " + (lane.deadlock ? "deadlock" : seconds_words(lane.makespan));
    if (lane.ideal_makespan && !lane.deadlock)
      words += ", parallel efficiency " + percent_text(analysis::efficiencies(lane).parallel) + " %";
    if (trace.classification) words += "; " + class_and_help(*trace.classification, trace.advice);
    const RankTimes mean = lane.deadlock ? RankTimes{} : replay::mean(lane);
    std::string spoken = words;
    for (const TimePart& part : parts)
      if (mean.*part.field > 0) spoken += fmt::format(", {} {} %", part.name, share_words(mean.*part.field / mean.end));
    rows.open(words, spoken, lane.deadlock ? 1 : 24);
    double x = 0;
    for (const TimePart& part : parts) {
      const double share = mean.end > 0 ? 100 * (mean.*part.field) / mean.end : 0;
      if (!(share > 0)) continue;
      html.empty(
          "rect",
          {{"class", part.style}, {"x", coordinate(x) + "%"}, {"width", coordinate(share) + "%"}, {"height", "20"}});
      write_share(html, x, share, 14, fmt::format("{:.1f} %", share));
      x += share;
    }
    rows.close();
  }
}

void share_table(Html& html, const Report& report, std::span<const TimePart> parts) {
  std::vector<TableColumn> columns{"run"};
  for (const TimePart& part : parts)
    columns.emplace_back(std::string(part.name) + " %");
  PageTable table(html, "trace-share-table", "Shares of the mean rank's time", columns);
  const std::vector<std::size_t> shown = shown_runs(report);
  for (std::size_t run = 0; run < report.traces.size(); ++run) {
    const ReportedTrace& trace = report.traces[run];
    const LaneResult& lane = trace.lanes[report.base];
    const RankTimes mean = lane.deadlock ? RankTimes{} : replay::mean(lane);
    std::vector<TableCell> cells{trace_words(trace)};
    for (const TimePart& part : parts) {
      const double share = mean.end > 0 ? mean.*part.field / mean.end : 0;
      cells.emplace_back(share_words(share), share);
    }
    table.row(cells, {}, holds(shown, run));
  }
}

} // namespace

void trace_section(Html& html, const Report& report) {
  if (report.traces.size() < 2) return;
  std::vector<LaneResult> lanes;
  for (const ReportedTrace& trace : report.traces)
    lanes.push_back(trace.lanes[report.base]);
  const std::vector<TimePart> parts = parts_of(lanes);
  open_section(html, "traces", "The runs");
  trace_table(html, report);
  answer_table_of_runs(html, report);
  figure(
      html, "trace-figure",
      fmt::format("Where the time of {} goes on {}, by program and number of ranks; all bars have the same length.",
                  report.traces.size() == shown_runs(report).size() ? "each run" : "some of the runs",
                  report.machines[report.base].name),
      [&] {
        legend(html, parts);
        draw_shares(html, report, parts);
      },
      [&] { share_table(html, report, parts); });
  html.close();
}

} // namespace timeless::tools
