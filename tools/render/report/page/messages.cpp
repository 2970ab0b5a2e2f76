// Messages: sizes, who sends whom, and calls.
#include "tools/render/figures.h"
#include "tools/render/report/page/parts.h"
#include "tools/render/report/page/sections.h"
#include "tools/render/report/words.h"

#include "base/units.h"

#include <algorithm>
#include <cctype>
#include <functional>

namespace timeless::tools {

namespace {

using analysis::SizeClass;
using analysis::TrafficBlocks;

std::string size_words(const SizeClass& one) {
  return one.least == one.most ? bytes_text(one.most) : bytes_text(one.least) + " to " + bytes_text(one.most);
}

/// Where the histogram by size stands: per cent of the width, and pixels.
struct SizePlot {
  static constexpr double left = 12;
  static constexpr double top = 22;
  static constexpr double height = 140;
};

void draw_eager_limit(Html& html, const std::vector<SizeClass>& sizes, trace::Bytes limit) {
  const auto above = std::ranges::find_if(sizes, [&](const SizeClass& one) { return one.most > limit; });
  const double x = SizePlot::left + (100 - SizePlot::left) * static_cast<double>(above - sizes.begin()) /
                                        static_cast<double>(sizes.size());
  html.empty("line", {{"class", "threshold"},
                      {"x1", coordinate(x) + "%"},
                      {"x2", coordinate(x) + "%"},
                      {"y1", coordinate(SizePlot::top)},
                      {"y2", coordinate(SizePlot::top + SizePlot::height)}});
  html.leaf("text",
            {{"class", x > 60 ? "tick end" : "tick"}, {"x", coordinate(x) + "%"}, {"y", coordinate(SizePlot::top - 6)}},
            "eager limit " + bytes_text(limit));
}

/// Two histograms in one: the share of the messages, and that of their bytes, by size.
void draw_sizes(Html& html, const Report& report) {
  const std::vector<SizeClass>& sizes = report.messages.sizes;
  const double width = 100 / static_cast<double>(sizes.size());
  const auto outline = [&](auto share) {
    std::string path = "M0 100";
    for (std::size_t i = 0; i < sizes.size(); ++i)
      path += fmt::format("V{}H{}", coordinate(100 - 100 * share(sizes[i])),
                          coordinate(width * static_cast<double>(i + 1)));
    return path + "V100";
  };
  const auto messages = static_cast<double>(std::max<std::uint64_t>(report.summary.messages, 1));
  const auto bytes = static_cast<double>(std::max<std::uint64_t>(report.summary.message_bytes, 1));
  html.open("svg", {{"class", "chart stepped"},
                    {"width", "100%"},
                    {"height", "196"},
                    {"role", "img"},
                    {"tabindex", "0"},
                    {"data-table", "size-table"},
                    {"data-left", coordinate(SizePlot::left)},
                    {"data-width", coordinate(100 - SizePlot::left)},
                    {"data-columns", "1"},
                    {"aria-label", "Messages by size"}});
  open_plot(html, SizePlot::left, SizePlot::top, 100 - SizePlot::left, SizePlot::height);
  html.empty("path", {{"class", "p-compute"}, {"d", outline([&](const SizeClass& one) {
                                                      return static_cast<double>(one.messages) / messages;
                                                    }) + "Z"}});
  html.empty("path", {{"class", "line"},
                      {"d", outline([&](const SizeClass& one) { return static_cast<double>(one.bytes) / bytes; })}});
  html.close();
  for (const double share : {0.0, 0.5, 1.0})
    html.leaf("text",
              {{"class", "tick end"},
               {"x", coordinate(SizePlot::left - 1) + "%"},
               {"y", coordinate(SizePlot::top + SizePlot::height * (1 - share) + 4)}},
              fmt::format("{:g} %", 100 * share));
  html.leaf("text",
            {{"class", "tick"},
             {"x", coordinate(SizePlot::left) + "%"},
             {"y", coordinate(SizePlot::top + SizePlot::height + 18)}},
            size_words(sizes.front()));
  html.leaf("text", {{"class", "tick end"}, {"x", "100%"}, {"y", coordinate(SizePlot::top + SizePlot::height + 18)}},
            size_words(sizes.back()));
  if (const auto& limit = report.messages.eager_limit) draw_eager_limit(html, sizes, *limit);
  html.close();
}

void size_table(Html& html, const Report& report) {
  PageTable table(html, "size-table", "Point-to-point messages by size",
                  {"size", "messages", "bytes", "messages %", "bytes %"});
  for (const SizeClass& one : report.messages.sizes) {
    const double messages = static_cast<double>(one.messages);
    const double bytes = static_cast<double>(one.bytes);
    table.row({{size_words(one), static_cast<double>(one.most)},
               {count_text(one.messages), messages},
               {bytes_text(one.bytes), bytes},
               {percent_text(messages, static_cast<double>(report.summary.messages)), messages},
               {percent_text(bytes, static_cast<double>(report.summary.message_bytes)), bytes}});
  }
}

std::string block_words(const TrafficBlocks& matrix, std::uint32_t block, trace::Rank ranks) {
  const auto first = static_cast<trace::Rank>(block) * matrix.ranks_per_block;
  const trace::Rank last = std::min(ranks, first + matrix.ranks_per_block) - 1;
  return first == last ? std::to_string(first) : fmt::format("{} to {}", first, last);
}

std::string node_words(const ReportedMessages& messages, std::uint32_t block) {
  const auto per_block = static_cast<std::size_t>(messages.node_matrix->ranks_per_block);
  const std::size_t first = block * per_block;
  const std::size_t last = std::min(messages.nodes.size(), first + per_block) - 1;
  return first == last ? messages.nodes[first] : messages.nodes[first] + " to " + messages.nodes[last];
}

void node_table(Html& html, const Report& report) {
  constexpr std::size_t most = 15;
  std::vector<TrafficBlocks::Cell> cells = report.messages.node_matrix->cells;
  std::ranges::stable_sort(cells, std::greater{}, [](const TrafficBlocks::Cell& cell) { return cell.figures.bytes; });
  PageTable table(html, "node-table",
                  fmt::format("The {} heaviest pairs of nodes on {}", std::min(most, cells.size()),
                              report.machines[report.base].name),
                  {"from", "to", "messages", "bytes"});
  for (std::size_t i = 0; i < std::min(most, cells.size()); ++i)
    table.row({node_words(report.messages, cells[i].source),
               node_words(report.messages, cells[i].destination),
               {count_text(cells[i].figures.messages), static_cast<double>(cells[i].figures.messages)},
               {bytes_text(cells[i].figures.bytes), static_cast<double>(cells[i].figures.bytes)}});
}

/// The strengths of colour that the script gives from the fewest bytes to the most.
void matrix_legend(Html& html) {
  constexpr int steps = 5;
  constexpr double least = 0.15;
  html.open("ul", {{"class", "legend"}}).open("li").text("few bytes ");
  html.open("svg", {{"width", coordinate(14 * steps)}, {"height", "14"}, {"aria-hidden", "true"}});
  for (int i = 0; i < steps; ++i)
    html.empty("rect", {{"class", "cell"},
                        {"x", coordinate(14 * i)},
                        {"width", "14"},
                        {"height", "14"},
                        {"fill-opacity", coordinate(least + (1 - least) * i / (steps - 1))}});
  html.close().text(" many bytes: the stronger the colour, the more, on a logarithmic scale").close().close();
}

void matrix_figure(Html& html, const Report& report) {
  constexpr std::size_t most = 15;
  const TrafficBlocks& matrix = report.messages.matrix;
  std::vector<TrafficBlocks::Cell> cells = matrix.cells;
  std::ranges::stable_sort(cells, std::greater{}, [](const TrafficBlocks::Cell& cell) { return cell.figures.bytes; });
  const trace::Rank ranks = report.run().size;
  figure(
      html, "matrix-figure",
      matrix.ranks_per_block == 1
          ? fmt::format("Who sends whom: {} pairs of ranks exchange messages.", matrix.cells.size())
          : fmt::format("Who sends whom, {} consecutive ranks together: {} of {} pairs of blocks exchange messages.",
                        matrix.ranks_per_block, matrix.cells.size(), std::uint64_t{matrix.blocks} * matrix.blocks),
      [&] {
        html.open("div", {{"id", "matrix-tools"}}).close(); // the script lets choose ranks or nodes there
        html.open("canvas",
                  {{"id", "matrix"},
                   {"width", "512"},
                   {"height", "512"},
                   {"role", "img"},
                   {"aria-label",
                    "Matrix of bytes from rank (row) to rank (column); the heaviest pairs stand in the table below"},
                   {"tabindex", "0"}})
            .close();
        matrix_legend(html);
        html.leaf("p", {{"class", "note"}}, "Rows send, columns receive. The picture needs scripts.");
      },
      [&] {
        if (report.messages.node_matrix) node_table(html, report);
        PageTable table(html, "matrix-table", fmt::format("The {} heaviest pairs", std::min(most, cells.size())),
                        {"from", "to", "messages", "bytes"});
        for (std::size_t i = 0; i < std::min(most, cells.size()); ++i)
          table.row({block_words(matrix, cells[i].source, ranks),
                     block_words(matrix, cells[i].destination, ranks),
                     {count_text(cells[i].figures.messages), static_cast<double>(cells[i].figures.messages)},
                     {bytes_text(cells[i].figures.bytes), static_cast<double>(cells[i].figures.bytes)}});
      });
}

void call_table(Html& html, const Report& report) {
  std::vector<std::pair<std::string, analysis::CallSummary>> calls(report.summary.calls.begin(),
                                                                   report.summary.calls.end());
  std::ranges::stable_sort(calls, std::greater{}, [](const auto& call) { return call.second.bytes; });
  PageTable table(html, "call-table", "MPI calls, collectives among them",
                  {"call", "count", "bytes sent or given", "bytes received"});
  for (const auto& [call, figures] : calls)
    if (std::isupper(static_cast<unsigned char>(call.front())) != 0) // else it is computation or a mark of threads
      table.row({"MPI_" + call,
                 {count_text(figures.count), static_cast<double>(figures.count)},
                 {bytes_text(figures.bytes), static_cast<double>(figures.bytes)},
                 {bytes_text(figures.bytes_received), static_cast<double>(figures.bytes_received)}});
}

} // namespace

void message_section(Html& html, const Report& report) {
  open_section(html, "messages", "Messages");
  if (report.messages.sizes.empty())
    html.leaf("p", {{"class", "finding"}}, messages_finding(report));
  else
    figure(
        html, "size-figure",
        messages_finding(report) + " Areas are the share of the messages, the line that of the bytes.",
        [&] { draw_sizes(html, report); }, [&] { size_table(html, report); });
  if (!report.messages.matrix.cells.empty()) matrix_figure(html, report);
  if (!report.summary.calls.empty()) call_table(html, report);
  html.close();
}

} // namespace timeless::tools
