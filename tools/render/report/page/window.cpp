// What ranks do around the longest step of the critical path.
#include "tools/render/report/page/parts.h"
#include "tools/render/report/page/sections.h"
#include "tools/render/report/words.h"

#include <algorithm>
#include <array>

namespace timeless::tools {

namespace {

constexpr std::array styles{"", "p-compute", "p-wait", "p-latency", "p-bandwidth", "p-overhead"};

void draw_window(Html& html, const PathWindow& window) {
  constexpr double left = 12;
  constexpr double row = 22;
  const double height = row * static_cast<double>(window.rows.size());
  const double length = window.end - window.begin;
  const double line = 100 / static_cast<double>(window.rows.size());
  const auto x = [&](double time) { return coordinate(std::clamp(100 * (time - window.begin) / length, 0.0, 100.0)); };
  const auto middle = [&](trace::Rank rank) {
    const auto place = std::ranges::find(window.rows, rank, &PathWindow::Row::rank);
    return coordinate(line * (static_cast<double>(place - window.rows.begin()) + 0.5));
  };
  html.open("svg", {{"class", "chart gantt stepped"},
                    {"width", "100%"},
                    {"height", coordinate(height + 30)},
                    {"role", "img"},
                    {"tabindex", "0"},
                    {"data-table", "path-table"},
                    {"data-left", coordinate(left)},
                    {"data-width", coordinate(100 - left)},
                    {"data-begin", csv_number(window.begin)},
                    {"data-end", csv_number(window.end)},
                    {"aria-label", "What ranks do, by time, with the critical path"}});
  for (std::size_t i = 0; i < window.rows.size(); ++i)
    html.leaf("text",
              {{"class", "tick end"},
               {"x", coordinate(left - 1) + "%"},
               {"y", coordinate(row * static_cast<double>(i) + row / 2 + 4)}},
              "rank " + std::to_string(window.rows[i].rank));
  open_plot(html, left, 0, 100 - left, height);
  for (std::size_t kind = 1; kind < styles.size(); ++kind) {
    std::string path;
    for (std::size_t i = 0; i < window.rows.size(); ++i)
      for (const PathWindow::Span& span : window.rows[i].spans)
        if (static_cast<std::size_t>(span.doing) == kind)
          path += fmt::format("M{} {}H{}V{}H{}Z", x(span.begin), coordinate(line * (static_cast<double>(i) + 0.15)),
                              x(span.end), coordinate(line * (static_cast<double>(i) + 0.85)), x(span.begin));
    if (!path.empty()) html.empty("path", {{"class", styles[kind]}, {"d", path}});
  }
  std::string path;
  for (const replay::PathSegment& segment : window.path) {
    const trace::Rank from = segment.from == trace::no_rank ? segment.rank : segment.from;
    path += fmt::format("M{} {}L{} {}", x(segment.begin), middle(from), x(segment.end), middle(segment.rank));
  }
  html.empty("path", {{"class", "path"}, {"d", path}}).close();
  html.leaf("text", {{"class", "tick"}, {"x", coordinate(left) + "%"}, {"y", coordinate(height + 18)}},
            seconds_words(window.begin));
  html.leaf("text", {{"class", "tick end"}, {"x", "100%"}, {"y", coordinate(height + 18)}}, seconds_words(window.end));
  html.close();
}

const char* kind_words(replay::PathSegment::Kind kind) {
  using Kind = replay::PathSegment::Kind;
  switch (kind) {
  case Kind::local:
    return "own work";
  case Kind::message:
    return "message";
  case Kind::collective:
    return "collective";
  case Kind::forgotten:
    return "not kept";
  case Kind::not_started:
    break;
  }
  return "not started";
}

void path_table(Html& html, const PathWindow& window) {
  PageTable table(html, "path-table", "Pieces of the critical path in this window",
                  {"from", "to", "rank", "what", "computation", "latency", "bandwidth"});
  for (const replay::PathSegment& segment : window.path)
    table.row({{seconds_words(segment.begin), segment.begin},
               {seconds_words(segment.end), segment.end},
               segment.from == trace::no_rank ? std::to_string(segment.rank)
                                              : fmt::format("{} to {}", segment.from, segment.rank),
               kind_words(segment.kind),
               {seconds_words(segment.compute), segment.compute},
               {seconds_words(segment.latency), segment.latency},
               {seconds_words(segment.bandwidth), segment.bandwidth}});
}

std::string path_finding(const Report& report) {
  const analysis::CriticalPath& path = *report.prediction.critical_path;
  const auto share = [&](double seconds) { return share_words(path.makespan > 0 ? seconds / path.makespan : 0); };
  return fmt::format(
      "The critical path on {} is {} % computation, {} % latency, {} % bytes on their way; it goes through {} "
      "messages and {} collectives. Speeding up anything that is not on it changes nothing.",
      report.machines[report.base].name, share(path.compute), share(path.latency), share(path.bandwidth), path.messages,
      path.collectives);
}

} // namespace

void window_section(Html& html, const Report& report) {
  if (!report.prediction.critical_path) return;
  open_section(html, "path", "The critical path");
  html.leaf("p", {{"class", "finding"}}, path_finding(report));
  if (report.window)
    figure(
        html, "path-figure",
        fmt::format("Around the longest message or collective on it: {} to {}. The line is the path.",
                    seconds_words(report.window->begin), seconds_words(report.window->end)),
        [&] {
          std::vector<TimePart> parts;
          for (const TimePart& part : time_parts())
            if (std::ranges::find(styles, std::string_view(part.style)) != styles.end()) parts.push_back(part);
          legend(html, parts);
          draw_window(html, *report.window);
        },
        [&] { path_table(html, *report.window); });
  html.close();
}

} // namespace timeless::tools
