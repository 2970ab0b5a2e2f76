#include "tools/render/report/page/parts.h"
#include "tools/render/report/words.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace timeless::tools {

using replay::RankTimes;

std::span<const TimePart> time_parts() {
  static constexpr std::array parts{TimePart{"compute", "p-compute", &RankTimes::compute},
                                    TimePart{"copy", "p-copy", &RankTimes::memory_copy},
                                    TimePart{"overhead", "p-overhead", &RankTimes::overhead},
                                    TimePart{"wait", "p-wait", &RankTimes::wait},
                                    TimePart{"latency", "p-latency", &RankTimes::latency},
                                    TimePart{"bandwidth", "p-bandwidth", &RankTimes::bandwidth},
                                    TimePart{"files", "p-files", &RankTimes::files},
                                    TimePart{"not started", "p-start", &RankTimes::start}};
  return parts;
}

std::vector<TimePart> parts_of(std::span<const replay::LaneResult> lanes) {
  std::vector<TimePart> found;
  for (const TimePart& part : time_parts())
    if (std::ranges::any_of(lanes, [&](const replay::LaneResult& lane) {
          return std::ranges::any_of(lane.ranks, [&](const RankTimes& rank) { return rank.*part.field > 0; });
        }))
      found.push_back(part);
  return found;
}

namespace {

/// A page of more elements adds no rows to tables: what follows them, and the buttons that scripts put into their
/// heads, have room in 5,000.
constexpr std::size_t most_elements_before_rows = 4000;

/// Returns whether a cell shows its value: others, such as "yes", are only sorted by it.
bool shows_figure(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return !text.empty() && text.front() >= '0' && text.front() <= '9';
}

} // namespace

PageTable::PageTable(Html& html, const std::string& id, const std::string& caption,
                     const std::vector<TableColumn>& columns, TableLayout layout)
    : html_(html), id_(id) {
  html.open("div", {{"class", "scroll"}, {"tabindex", "0"}, {"role", "group"}, {"aria-label", caption}});
  if (layout == TableLayout::stacks) {
    for (const TableColumn& column : columns)
      labels_.push_back(column.text);
    html.open("table", {{"id", id}, {"class", "stacks"}});
  } else {
    html.open("table", {{"id", id}});
  }
  html.leaf("caption", caption).open("thead").open("tr");
  std::vector<std::string> head{id};
  for (const TableColumn& column : columns) {
    std::vector<Html::Attribute> attributes{{"scope", "col"}};
    if (column.csv.empty())
      head.push_back(column.text.ends_with(" %") ? column.text.substr(0, column.text.size() - 1) + "share"
                                                 : column.text);
    else
      attributes.emplace_back("data-csv", csv_cells(column.csv));
    head.insert(head.end(), column.csv.begin(), column.csv.end());
    html.open("th", attributes).text(column.text).close();
  }
  html.close().close().open("tbody");
  html.csv_row(head);
}

std::vector<std::string> PageTable::csv_of(const std::vector<TableCell>& cells) const {
  std::vector<std::string> values{id_};
  for (const TableCell& cell : cells) {
    if (cell.csv.empty()) values.push_back(shows_figure(cell.text) && cell.value ? csv_number(*cell.value) : cell.text);
    values.insert(values.end(), cell.csv.begin(), cell.csv.end());
  }
  return values;
}

void PageTable::row(const std::vector<TableCell>& cells, const std::string& machine, bool shown) {
  constexpr std::size_t most_rows = 64;
  if (!shown || rows_ == most_rows || html_.elements() > most_elements_before_rows) {
    hidden_.push_back(csv_of(cells));
    return;
  }
  ++rows_;
  if (machine.empty())
    html_.open("tr");
  else
    html_.open("tr", {{"data-machine", machine}});
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const TableCell& cell = cells[i];
    std::vector<Html::Attribute> attributes;
    const std::string style = std::string(cell.value && i > 0 ? "number" : "") +
                              (cell.value && i > 0 && !cell.style.empty() ? " " + cell.style : "");
    if (i == 0) attributes.emplace_back("scope", "row");
    if (!style.empty()) attributes.emplace_back("class", style);
    if (cell.value) attributes.emplace_back("data-v", fmt::format("{:.17g}", *cell.value));
    if (!cell.csv.empty()) attributes.emplace_back("data-csv", csv_cells(cell.csv));
    if (i > 0 && i < labels_.size()) attributes.emplace_back("data-label", labels_[i]);
    html_.open(i == 0 ? "th" : "td", attributes);
    if (!cell.picture.empty()) html_.raw(cell.picture).text(" ");
    html_.text(cell.text).close();
  }
  html_.csv_row(csv_of(cells));
  html_.close();
}

PageTable::~PageTable() {
  html_.close().close().close();
  for (const std::vector<std::string>& values : hidden_)
    html_.csv_row_of_data(id_, values);
  if (!hidden_.empty())
    html_.leaf("p", {{"class", "note"}}, hidden_words(hidden_.size()) + ", as has what is saved from here.");
}

void write_share(Html& html, double x, double width, double y, const std::string& share) {
  constexpr double least = 7;
  constexpr double least_on_phones = 16;
  if (width < least) return;
  html.leaf("text",
            {{"class", width < least_on_phones ? "inside small" : "inside"},
             {"x", coordinate(x + width / 2) + "%"},
             {"y", coordinate(y)}},
            share);
}

std::string spark_picture(std::span<const double> values, const std::string& words) {
  constexpr double most_width = 96;
  const double most = values.empty() ? 0 : std::ranges::max(values);
  if (!(most > 0)) return {};
  const double width = std::min(most_width / static_cast<double>(values.size()), 8.0);
  std::string path;
  for (std::size_t i = 0; i < values.size(); ++i)
    path += fmt::format("M{} 20V{}H{}V20Z", coordinate(width * static_cast<double>(i)),
                        coordinate(20 - 20 * values[i] / most), coordinate(width * (static_cast<double>(i) + 0.85)));
  Html html;
  html.open("svg", {{"class", "spark"},
                    {"width", coordinate(width * static_cast<double>(values.size()))},
                    {"height", "20"},
                    {"viewBox", fmt::format("0 0 {} 20", coordinate(width * static_cast<double>(values.size())))},
                    {"preserveAspectRatio", "none"},
                    {"role", "img"},
                    {"aria-label", words}});
  html.empty("path", {{"class", "p-compute"}, {"d", path}}).close();
  return html.html();
}

void figure(Html& html, const std::string& id, const std::string& caption, const std::function<void()>& picture,
            const std::function<void()>& table) {
  html.open("figure", {{"id", id}, {"aria-labelledby", id + "-caption"}});
  html.leaf("figcaption", {{"id", id + "-caption"}}, caption);
  picture();
  if (table) {
    html.open("details").leaf("summary", "The numbers of this picture");
    table();
    html.close();
  }
  html.close();
}

PictureRows::PictureRows(Html& html, const std::string& figure) : html_(html) {
  html.open("div", {{"class", "roving"}, {"role", "group"}, {"aria-labelledby", figure + "-caption"}});
}

void PictureRows::open(const std::string& words, const std::string& spoken, double height, const std::string& machine) {
  std::vector<Html::Attribute> attributes{
      {"class", "item"}, {"role", "img"}, {"tabindex", first_ ? "0" : "-1"}, {"aria-label", spoken}};
  if (!machine.empty()) attributes.emplace_back("data-machine", machine);
  first_ = false;
  html_.open("div", attributes).leaf("p", words);
  html_.open("svg", {{"class", "chart bars"}, {"width", "100%"}, {"height", coordinate(height)}});
}

void PictureRows::close() {
  html_.close().close();
}

PictureRows::~PictureRows() {
  html_.close();
}

void legend(Html& html, std::span<const TimePart> parts) {
  html.open("ul", {{"class", "legend"}});
  for (const TimePart& part : parts) {
    html.open("li").open("svg", {{"width", "14"}, {"height", "14"}, {"aria-hidden", "true"}});
    html.empty("rect", {{"class", part.style}, {"width", "14"}, {"height", "14"}}).close();
    html.text(std::string(" ") + part.name).close();
  }
  html.close();
}

void facts(Html& html, const std::vector<std::pair<std::string, std::string>>& list) {
  constexpr std::size_t most = 16; // of one label
  std::size_t alike = 0;
  html.open("dl");
  for (std::size_t i = 0; i < list.size(); ++i) {
    alike = i > 0 && list[i].first == list[i - 1].first ? alike + 1 : 0;
    if (alike == 0) html.leaf("dt", list[i].first);
    if (alike < most) html.leaf("dd", list[i].second);
    const bool last = i + 1 == list.size() || list[i + 1].first != list[i].first;
    if (last && alike >= most) html.leaf("dd", fmt::format("and {} more: --json has them.", alike + 1 - most));
  }
  html.close();
}

void open_section(Html& html, const std::string& id, const std::string& heading) {
  html.open("section", {{"id", id}, {"aria-labelledby", id + "-heading"}});
  html.leaf("h2", {{"id", id + "-heading"}}, heading);
}

void open_plot(Html& html, double left, double top, double width, double height) {
  html.open("svg", {{"x", coordinate(left) + "%"},
                    {"y", coordinate(top)},
                    {"width", coordinate(width) + "%"},
                    {"height", coordinate(height)},
                    {"viewBox", "0 0 100 100"},
                    {"preserveAspectRatio", "none"},
                    {"class", "plot"}});
}

double axis_end(double value) {
  const double power = std::pow(10, std::floor(std::log10(value)));
  for (const double digits : {1.0, 1.2, 1.6, 2.0, 3.0, 4.0, 6.0, 8.0})
    if (digits * power >= value) return digits * power;
  return 10 * power;
}

std::string tick_words(double seconds) {
  for (const auto& [unit, size] : {std::pair{"s", 1.0}, {"ms", 1e-3}, {"us", 1e-6}})
    if (seconds >= size) return fmt::format("{:.3g} {}", seconds / size, unit);
  return seconds == 0 ? "0" : fmt::format("{:.3g} ns", seconds * 1e9);
}

void time_axis(Html& html, double left, double top, double height, double end) {
  for (const double share : {0.0, 0.5, 1.0})
    html.leaf(
        "text",
        {{"class", "tick end"}, {"x", coordinate(left - 1) + "%"}, {"y", coordinate(top + height * (1 - share) + 4)}},
        tick_words(share * end));
}

} // namespace timeless::tools
