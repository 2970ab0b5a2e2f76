// Where the time of each rank goes on the first machine.
#include "tools/render/report/page/parts.h"
#include "tools/render/report/page/sections.h"
#include "tools/render/report/words.h"

#include <algorithm>
#include <set>

namespace timeless::tools {

namespace {

using replay::RankTimes;

/// Ranks put together as far as a screen can show them.
struct Column {
  std::size_t first = 0;
  std::size_t last = 0;
  RankTimes mean;
  double longest = 0; ///< of the ends
};

std::vector<Column> rank_columns(const std::vector<RankTimes>& ranks) {
  constexpr std::size_t most = 400;
  const std::size_t count = std::min(ranks.size(), most);
  std::vector<Column> columns(count);
  for (std::size_t i = 0; i < count; ++i) {
    Column& column = columns[i];
    column.first = i * ranks.size() / count;
    column.last = (i + 1) * ranks.size() / count - 1;
    const auto size = static_cast<double>(column.last - column.first + 1);
    for (std::size_t rank = column.first; rank <= column.last; ++rank) {
      for (const TimePart& part : time_parts())
        column.mean.*part.field += ranks[rank].*part.field / size;
      column.longest = std::max(column.longest, ranks[rank].end);
    }
  }
  return columns;
}

/// The area between two heights of every column.
std::string steps(const std::vector<double>& below, const std::vector<double>& above, double end) {
  const double width = 100 / static_cast<double>(below.size());
  const auto y = [&](double seconds) { return coordinate(100 - 100 * seconds / end); };
  std::string path = "M0 " + y(above.front());
  for (std::size_t i = 0; i < above.size(); ++i)
    path += fmt::format("V{}H{}", y(above[i]), coordinate(width * static_cast<double>(i + 1)));
  for (std::size_t i = below.size(); i-- > 0;)
    path += fmt::format("V{}H{}", y(below[i]), coordinate(width * static_cast<double>(i)));
  return path + "Z";
}

void draw_ranks(Html& html, const std::vector<RankTimes>& ranks, std::span<const TimePart> parts) {
  constexpr double left = 12;
  constexpr double top = 8;
  constexpr double height = 180;
  const std::vector<Column> columns = rank_columns(ranks);
  double longest = 0;
  for (const Column& column : columns)
    longest = std::max(longest, column.longest);
  if (!(longest > 0)) return;
  const double end = axis_end(longest);
  html.open("svg", {{"class", "chart stepped"},
                    {"width", "100%"},
                    {"height", "214"},
                    {"role", "img"},
                    {"tabindex", "0"},
                    {"data-ranks", std::to_string(ranks.size())},
                    {"data-left", coordinate(left)},
                    {"data-width", coordinate(100 - left)},
                    {"aria-label", "Time by rank"}});
  open_plot(html, left, top, 100 - left, height);
  std::vector<double> below(columns.size());
  for (const TimePart& part : parts) {
    std::vector<double> above = below;
    for (std::size_t i = 0; i < columns.size(); ++i)
      above[i] += columns[i].mean.*part.field;
    html.empty("path", {{"class", part.style}, {"d", steps(below, above, end)}});
    below = std::move(above);
  }
  html.close();
  time_axis(html, left, top, height, end);
  html.leaf("text", {{"class", "tick"}, {"x", coordinate(left) + "%"}, {"y", coordinate(top + height + 18)}}, "rank 0");
  html.leaf("text", {{"class", "tick end"}, {"x", "100%"}, {"y", coordinate(top + height + 18)}},
            "rank " + std::to_string(ranks.size() - 1));
  html.close();
}

/// The ranks that a reader asks for first: the extremes of each counter, with what they are the extreme of.
std::vector<std::pair<std::size_t, std::string>> extremes(const std::vector<RankTimes>& ranks,
                                                          std::span<const TimePart> parts) {
  std::vector<std::pair<std::size_t, std::string>> found;
  const auto add = [&](auto place, const std::string& what) {
    const auto rank = static_cast<std::size_t>(place - ranks.begin());
    const auto known = std::ranges::find(found, rank, &std::pair<std::size_t, std::string>::first);
    if (known == found.end())
      found.emplace_back(rank, what);
    else
      known->second += ", " + what;
  };
  const auto add_both = [&](double RankTimes::*field, const std::string& what) {
    const auto [least, most] = std::ranges::minmax_element(ranks, {}, field);
    if ((*least).*field == (*most).*field) return;
    add(most, "most " + what);
    add(least, "least " + what);
  };
  add_both(&RankTimes::end, "time");
  for (const TimePart& part : parts)
    add_both(part.field, part.name);
  return found;
}

void rank_table(Html& html, const Report& report, std::span<const TimePart> parts) {
  constexpr std::size_t all = 64; // more are told by their extremes, and by the script
  const std::vector<RankTimes>& ranks = report.base_lane().ranks;
  const auto named = extremes(ranks, parts);
  std::vector<std::pair<std::size_t, std::string>> listed;
  if (ranks.size() <= all)
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      const auto extreme = std::ranges::find(named, rank, &std::pair<std::size_t, std::string>::first);
      listed.emplace_back(rank, extreme == named.end() ? "" : extreme->second);
    }
  else
    listed = named;
  std::vector<TableColumn> columns{"rank", "node", "end"};
  for (const TimePart& part : parts)
    columns.emplace_back(part.name);
  columns.emplace_back("extreme");
  PageTable table(html, "rank-table",
                  ranks.size() <= all ? "All ranks" : fmt::format("The extremes of {} ranks", ranks.size()), columns);
  const std::vector<std::string>& nodes = report.prediction.bases[report.base].nodes;
  for (const auto& [rank, extreme] : listed) {
    std::vector<TableCell> cells{{std::to_string(rank), static_cast<double>(rank)},
                                 rank < nodes.size() ? nodes[rank] : "-",
                                 {seconds_words(ranks[rank].end), ranks[rank].end}};
    for (const TimePart& part : parts)
      cells.emplace_back(seconds_words(ranks[rank].*part.field), ranks[rank].*part.field);
    cells.emplace_back(extreme);
    table.row(cells);
  }
}

} // namespace

void rank_section(Html& html, const Report& report) {
  const std::vector<RankTimes>& ranks = report.base_lane().ranks;
  const std::vector<TimePart> parts = parts_of(std::span(&report.base_lane(), 1));
  open_section(html, "ranks", "Ranks on " + report.machines[report.base].name);
  if (!ranks.empty()) {
    figure(
        html, "rank-figure", ranks_finding(report),
        [&] {
          legend(html, parts);
          draw_ranks(html, ranks, parts);
        },
        nullptr);
    html.open("div", {{"id", "rank-tools"}}).close(); // the script puts a search there
    rank_table(html, report, parts);
  }
  html.close();
}

} // namespace timeless::tools
