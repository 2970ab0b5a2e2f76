// Where processors are lost, by machine and by number of ranks.
#include "analysis/efficiencies.h"
#include "tools/render/figures.h"
#include "tools/render/report/page/parts.h"
#include "tools/render/report/page/sections.h"
#include "tools/render/report/shown.h"
#include "tools/render/report/words.h"

namespace timeless::tools {

namespace {

/// A grade by the usual limits of POP: 80 % is good, below 60 % is where to look.
std::string grade(const std::optional<double>& efficiency) {
  if (!efficiency) return {};
  return *efficiency >= 0.8 ? "good" : *efficiency >= 0.6 ? "fair" : "poor";
}

TableCell cell(const std::optional<double>& efficiency) {
  if (!efficiency) return {"-"};
  return {share_words(*efficiency), *efficiency, grade(efficiency)};
}

} // namespace

void efficiency_section(Html& html, const Report& report) {
  open_section(html, "efficiencies", "Efficiencies");
  const analysis::Efficiencies own = analysis::efficiencies(report.base_lane());
  html.leaf("p", {{"class", "finding"}},
            fmt::format("Of the processors' time on {}, {} % is spent computing. What loses the rest: work that is not "
                        "even (load balance {} %), waiting for each other's results (serialisation {} %), and messages "
                        "(transfer {} %).",
                        report.machines[report.base].name, percent_text(own.parallel), percent_text(own.load_balance),
                        percent_text(own.serialisation), percent_text(own.transfer)));
  {
    PageTable table(html, "efficiency-table", "Efficiencies in per cent, by number of ranks and machine",
                    {"run", "ranks", "machine", "time", "parallel", "load balance", "communication", "serialisation",
                     "transfer", "trace"});
    constexpr std::size_t most_rows = 40;
    const bool few = report.traces.size() * report.machines.size() <= most_rows;
    const std::vector<std::size_t> shown = shown_machines(report);
    const std::vector<std::size_t> shown_of_runs = shown_runs(report);
    for (std::size_t run = 0; run < report.traces.size(); ++run)
      for (std::size_t i = 0; i < report.machines.size(); ++i) {
        const ReportedTrace& trace = report.traces[run];
        const replay::LaneResult& lane = trace.lanes[i];
        std::vector<TableCell> cells{
            trace.program, {std::to_string(trace.ranks), static_cast<double>(trace.ranks)}, report.machines[i].name};
        if (lane.deadlock || !lane.ideal_makespan) {
          cells.emplace_back(lane.deadlock ? "deadlock" : seconds_words(lane.makespan));
          cells.resize(9, TableCell("-"));
        } else {
          const analysis::Efficiencies found = analysis::efficiencies(lane);
          cells.emplace_back(seconds_words(lane.makespan), lane.makespan);
          for (const auto& each :
               {found.parallel, found.load_balance, found.communication, found.serialisation, found.transfer})
            cells.push_back(cell(each));
        }
        cells.emplace_back(trace.trace);
        // Of many: this run on each machine, and each run on the machine that this is about.
        const bool telling =
            few || (run == report.about && holds(shown, i)) || (i == report.base && holds(shown_of_runs, run));
        table.row(cells, report.machines[i].name, telling);
      }
  }
  html.leaf("p", {{"class", "note"}},
            "parallel = load balance x communication, communication = serialisation x transfer. "
            "From 80 % on: good; below 60 %: where to look first.");
  html.close();
}

} // namespace timeless::tools
