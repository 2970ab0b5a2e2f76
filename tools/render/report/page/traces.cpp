// The runs that a report was given, where they are several: each with its verdict, and where the time of each goes.
#include "analysis/efficiencies.h"
#include "tools/render/figures.h"
#include "tools/render/report/page/parts.h"
#include "tools/render/report/page/sections.h"
#include "tools/render/report/words.h"
#include "tools/reporting/upgrades.h"

#include <algorithm>

namespace timeless::tools {

namespace {

using replay::LaneResult;
using replay::RankTimes;

/// What runs are asked, by rising place in the tables of their answers.
std::vector<std::string> questions(const Report& report) {
  std::vector<std::string> all;
  for (const RunRow& row : run_rows(report))
    if (!row.what.empty() && std::ranges::find(all, row.what) == all.end()) all.push_back(row.what);
  return all;
}

/// The columns of CSV that a question is.
TableColumn question_column(const std::string& question) {
  TableColumn column(question);
  for (const TableColumn& one : {answer_column(), saves_column(), confidence_column()})
    for (const std::string& name : one.csv)
      column.csv.push_back(question + ": " + name);
  return column;
}

/// What a run answers to a question: "yes: 11.6 % (6.4 to 19.6 %); confidence low".
TableCell run_answer_cell(const ReportedTrace& trace, const std::string& question, const Report& report) {
  for (const auto& [change, trust] : trace.weighed.answers)
    if (change_words(change) == question) {
      const TableCell answer = answer_cell(change, trace.compute);
      const TableCell saves = saves_cell(change);
      TableCell cell(fmt::format("{}: {}; confidence {}", answer.text, saves.text, name(trust.confidence)),
                     change.saving.expected);
      for (const TableCell& one : {answer, saves, confidence_cell(trust, "")})
        cell.csv.insert(cell.csv.end(), one.csv.begin(), one.csv.end());
      return cell;
    }
  const auto& dead = trace.weighed.deadlocks;
  const auto there = std::ranges::find_if(
      dead, [&](const ReportedDeadlock& one) { return in_place_of_base(report, one.machine) == question; });
  const std::string why = there != dead.end() ? deadlock_answer(*there) : no_answers_words(trace, report);
  TableCell cell(why.empty() ? "-" : why);
  cell.csv.resize(question_column(question).csv.size());
  cell.csv.front() = why;
  return cell;
}

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
  const std::string& machine = report.machines[report.base].name;
  const std::vector<std::string> asked = questions(report);
  std::vector<TableColumn> columns{"run", "ranks", "time"};
  for (const std::string& question : asked)
    columns.push_back(question_column(question));
  columns.emplace_back("bound by, and what helps", std::vector<std::string>{"class", "bound by, and what helps"});
  columns.emplace_back("trace");
  PageTable table(html, "trace-table", "Each run with its answers and its verdict on " + machine, columns,
                  TableLayout::stacks);
  for (std::size_t i = 0; i < report.traces.size(); ++i) {
    const ReportedTrace& trace = report.traces[i];
    const LaneResult& lane = trace.lanes[report.base];
    std::vector<TableCell> cells{trace_words(trace) + (i == report.about ? " (this page)" : ""),
                                 {std::to_string(trace.ranks), static_cast<double>(trace.ranks)},
                                 lane.deadlock ? TableCell("deadlock")
                                               : TableCell(seconds_words(lane.makespan), lane.makespan)};
    for (const std::string& question : asked)
      cells.push_back(run_answer_cell(trace, question, report));
    cells.push_back(bound_cell(trace, report));
    cells.emplace_back(trace.trace);
    table.row(cells);
  }
}

/// A bar for each run, all equally long, of the shares of the mean rank's time.
void draw_shares(Html& html, const Report& report, std::span<const TimePart> parts) {
  PictureRows rows(html, "trace-figure");
  for (const ReportedTrace& trace : report.traces) {
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
  for (const ReportedTrace& trace : report.traces) {
    const LaneResult& lane = trace.lanes[report.base];
    const RankTimes mean = lane.deadlock ? RankTimes{} : replay::mean(lane);
    std::vector<TableCell> cells{trace_words(trace)};
    for (const TimePart& part : parts) {
      const double share = mean.end > 0 ? mean.*part.field / mean.end : 0;
      cells.emplace_back(share_words(share), share);
    }
    table.row(cells);
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
  figure(
      html, "trace-figure",
      fmt::format(
          "Where the time of each run goes on {}, by program and number of ranks; all bars have the same length.",
          report.machines[report.base].name),
      [&] {
        legend(html, parts);
        draw_shares(html, report, parts);
      },
      [&] { share_table(html, report, parts); });
  html.close();
}

} // namespace timeless::tools
