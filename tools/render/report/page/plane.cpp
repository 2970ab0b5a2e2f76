// What bounds the program over the plane of bandwidth and latency.
#include "tools/render/report/page/parts.h"
#include "tools/render/report/page/sections.h"
#include "tools/render/report/page/text_layout.h"
#include "tools/render/report/words.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace timeless::tools {

namespace {

/// A class as a map shows it: a letter, small for "-sensitive", and a colour; of mixed ones, what helps, too.
struct Shown {
  std::string letter;
  std::string style;
  std::string words;
};

Shown shown(const ClassPlane::Cell& cell) {
  const std::string& name = cell.name;
  static const std::map<std::string, std::pair<char, const char*>, std::less<>> classes{
      {"computation", {'C', "k-computation"}},     {"imbalance", {'I', "k-imbalance"}},
      {"bandwidth", {'B', "k-bandwidth"}},         {"latency", {'L', "k-latency"}},
      {"communication", {'N', "k-communication"}}, {"mixed", {'M', "k-mixed"}}};
  constexpr std::string_view ending = "-sensitive";
  const bool weaker = name.ends_with(ending);
  const std::string bound = weaker ? name.substr(0, name.size() - ending.size()) : name;
  const auto found = classes.find(bound);
  if (found == classes.end()) return {"x", "k-deadlock", name};
  const char letter = weaker ? static_cast<char>(std::tolower(found->second.first)) : found->second.first;
  if (bound != "mixed") return {std::string(1, letter), found->second.second, name};
  const std::string helps = analysis::name(cell.helps);
  return {fmt::format("M{}", helps.front()), found->second.second, "mixed; what helps: " + helps};
}

/// Where a factor stands on an axis of rising factors, in cells from its beginning.
double place(const std::vector<double>& axis, double factor) {
  return std::log2(factor / axis.front()) + 0.5;
}

constexpr std::size_t most_marks = 40; ///< of the machines that are on the map, and in its table

bool on_the_map(const ClassPlane& plane, const ClassPlane::Mark& mark) {
  const auto inside = [](const std::vector<double>& axis, double factor) {
    return factor > 0 && std::isfinite(factor) && place(axis, factor) >= 0 &&
           place(axis, factor) <= static_cast<double>(axis.size());
  };
  return inside(plane.bandwidths, mark.bandwidth) && inside(plane.latencies, mark.latency);
}

/// Where one machine is, or several are: networks by their names, platforms by their numbers in the table.
struct Place {
  double column = 0;
  double line = 0;
  std::string words;
  bool platform = true; ///< nothing else is there
};

std::vector<Place> places_of(const ClassPlane& plane) {
  constexpr double near = 0.25; // cells
  std::vector<Place> places;
  for (std::size_t i = 0; i < std::min(most_marks, plane.marks.size()); ++i) {
    const ClassPlane::Mark& mark = plane.marks[i];
    if (!on_the_map(plane, mark)) continue;
    const double column = place(plane.bandwidths, mark.bandwidth);
    const double line = place(plane.latencies, mark.latency);
    const std::string words = mark.platform ? std::to_string(i + 1) : mark.name;
    const auto there = std::ranges::find_if(places, [&](const Place& one) {
      return std::abs(one.column - column) < near && std::abs(one.line - line) < near;
    });
    if (there == places.end())
      places.push_back({.column = column, .line = line, .words = words, .platform = mark.platform});
    else {
      there->words += ", " + words;
      there->platform = there->platform && mark.platform;
    }
  }
  return places;
}

/// The texts on the map, at the widths of one kind of screens.
struct MapTexts {
  const char* style = "";
  TextLayout::Range widths;
  std::vector<PictureText> names = {};   ///< of the marks
  std::vector<PictureText> letters = {}; ///< of the cells
};

/// Latencies fall from below to above, so that better networks are at the top on the right.
class Map {
public:
  Map(Html& html, const Report& report)
      : html_(html), report_(report), plane_(*report.plane), columns_(plane_.bandwidths.size()),
        rows_(plane_.latencies.size()), marks_(places_of(plane_)) {
    for (MapTexts& texts : texts_)
      place_texts(texts);
  }

  void draw() {
    html_.open("svg",
               {{"id", "map"},
                {"class", "chart plane"},
                {"width", "100%"},
                {"height", coordinate(top + row * static_cast<double>(rows_) + 44)},
                {"role", "img"},
                {"tabindex", "0"},
                {"data-left", coordinate(left)},
                {"data-width", coordinate(100 - left)},
                {"data-top", coordinate(top)},
                {"data-row", coordinate(row)},
                {"aria-label", "Map of classes over bandwidth and latency; the numbers stand in the table below"}});
    html_.leaf("text", {{"x", "0"}, {"y", "12"}, {"class", "title"}}, "latency");
    for (std::size_t j = 0; j < rows_; ++j)
      draw_row(j);
    borders();
    for (std::size_t i = 0; i < columns_; ++i)
      html_.leaf("text",
                 {{"class", "tick middle"},
                  {"x", coordinate(x(static_cast<double>(i) + 0.5)) + "%"},
                  {"y", coordinate(top + row * static_cast<double>(rows_) + 16)}},
                 factor_words(plane_.bandwidths[i]));
    html_.leaf("text",
               {{"x", "100%"}, {"y", coordinate(top + row * static_cast<double>(rows_) + 36)}, {"class", "title end"}},
               "bandwidth");
    for (const Place& place : marks_)
      html_.empty("circle", {{"class", place.platform ? "mark platform" : "mark"},
                             {"cx", coordinate(x(place.column)) + "%"},
                             {"cy", coordinate(y(place.line))},
                             {"r", "4"}});
    draw_texts("letter", &MapTexts::letters);
    draw_texts("mark", &MapTexts::names);
    html_.close();
  }

private:
  static constexpr double left = 12; // %
  static constexpr double top = 20;  // px
  static constexpr double row = 28;

  double x(double column) const { return left + (100 - left) * column / static_cast<double>(columns_); }
  /// Of an edge between rows, counted from the largest latency below.
  double y(double latency) const { return top + row * latency; }

  void draw_row(std::size_t j) {
    const double from = y(static_cast<double>(j));
    html_.leaf("text",
               {{"class", "tick end"}, {"x", coordinate(left - 1) + "%"}, {"y", coordinate(from + row / 2 + 4)}},
               factor_words(plane_.latencies[j]));
    for (std::size_t i = 0; i < columns_; ++i) {
      const Shown cell = shown(plane_.at(i, j));
      html_.empty("rect", {{"class", cell.style},
                           {"x", coordinate(x(static_cast<double>(i))) + "%"},
                           {"y", coordinate(from)},
                           {"width", coordinate((100 - left) / static_cast<double>(columns_)) + "%"},
                           {"height", coordinate(row)}});
    }
  }

  /// A cell's letter: in the middle, or where marks and their names leave room in the cell, best first.
  std::vector<PictureText> letter_places(std::size_t i, std::size_t j) const {
    const std::string letter = shown(plane_.at(i, j)).letter;
    const double column = static_cast<double>(i);
    const double middle = y(static_cast<double>(j)) + row / 2;
    std::vector<PictureText> places;
    for (const double up : {0.0, -6.0, 6.0}) {
      places.push_back({letter, x(column + 0.5), 0, middle + up, "middle"});
      places.push_back({letter, x(column), 4, middle + up, ""});
      places.push_back({letter, x(column + 1), -4, middle + up, "end"});
    }
    return places;
  }

  /// Calls a function with the column and the row of each cell.
  void each_cell(const auto& use) const {
    for (std::size_t j = 0; j < rows_; ++j)
      for (std::size_t i = 0; i < columns_; ++i)
        use(i, j);
  }

  void place_texts(MapTexts& texts) const {
    TextLayout layout(texts.widths);
    std::vector<PictureText> middles;
    each_cell([&](std::size_t i, std::size_t j) { middles.push_back(letter_places(i, j).front()); });
    std::vector<NamedMark> named;
    for (const bool platform : {false, true}) // what the report is about must have its names
      for (const Place& one : marks_)
        if (one.platform == platform) named.push_back({x(one.column), y(one.line), one.words});
    texts.names = place_names(layout, named, middles);
    each_cell([&](std::size_t i, std::size_t j) {
      const std::vector<PictureText> places = letter_places(i, j);
      const auto free = std::ranges::find(places, 0U, [&](const PictureText& one) { return layout.covered(one); });
      if (free == places.end()) return; // its colour still tells the class
      layout.add(*free);
      texts.letters.push_back(*free);
    });
  }

  /// The texts of all kinds of screens: those that stand at one place on all of them once.
  void draw_texts(const std::string& style, std::vector<PictureText> MapTexts::*which) {
    const auto in = [](const std::vector<PictureText>& all, const PictureText& one) {
      return std::ranges::find(all, one) != all.end();
    };
    for (std::size_t kind = 0; kind < texts_.size(); ++kind)
      for (const PictureText& one : texts_[kind].*which) {
        const bool both = in(texts_[1 - kind].*which, one);
        if (both && kind > 0) continue;
        const std::string screens = both ? "" : std::string(" ") + texts_[kind].style;
        html_.leaf("text",
                   {{"class", style + screens + (one.anchor.empty() ? "" : " ") + std::string(one.anchor)},
                    {"x", coordinate(one.x) + "%"},
                    {"dx", coordinate(one.dx)},
                    {"y", coordinate(one.y)},
                    {"dy", "0.36em"}}, // from the letters' middle to the line that they stand on
                   one.words);
      }
  }

  /// Lines where the class changes: the thresholds.
  void borders() {
    const auto differ = [&](std::size_t i, std::size_t j, std::size_t k, std::size_t l) {
      return plane_.at(i, j).name != plane_.at(k, l).name;
    };
    std::string path;
    const auto fx = [&](std::size_t i) {
      return coordinate(100 * static_cast<double>(i) / static_cast<double>(columns_));
    };
    const auto fy = [&](std::size_t j) {
      return coordinate(100 * static_cast<double>(j) / static_cast<double>(rows_));
    };
    for (std::size_t j = 0; j < rows_; ++j)
      for (std::size_t i = 0; i < columns_; ++i) {
        if (i + 1 < columns_ && differ(i, j, i + 1, j)) path += fmt::format("M{} {}V{}", fx(i + 1), fy(j), fy(j + 1));
        if (j + 1 < rows_ && differ(i, j, i, j + 1)) path += fmt::format("M{} {}H{}", fx(i), fy(j + 1), fx(i + 1));
      }
    if (path.empty()) return;
    open_plot(html_, left, top, 100 - left, row * static_cast<double>(rows_));
    html_.empty("path", {{"class", "border"}, {"d", path}}).close();
  }

  Html& html_;
  const Report& report_;
  const ClassPlane& plane_;
  std::size_t columns_;
  std::size_t rows_;
  std::vector<Place> marks_;
  // Without the margins of the page, from telephones up to its greatest width; report.css shows the one or the other.
  std::array<MapTexts, 2> texts_{
      MapTexts{.style = "wide", .widths = {.least = 600, .most = 1120, .left = left, .font_size = 13}},
      MapTexts{.style = "narrow", .widths = {.least = 290, .most = 620, .left = left, .font_size = 11}}};
};

std::string plane_finding(const Report& report) {
  const ClassPlane& plane = *report.plane;
  std::map<std::string, std::size_t> count;
  for (const ClassPlane::Cell& cell : plane.cells)
    ++count[cell.name];
  const auto& own = report.machines[report.base].classification;
  const std::string& base = report.machines[report.base].name;
  if (!own) return fmt::format("What bounds the program, by bandwidth and latency; near {} it deadlocks.", base);
  return fmt::format("What bounds the program, by bandwidth and latency. On {} its class is {}, as on {} of the {} "
                     "networks of this map, and what helps is {}; lines are drawn where the class changes.",
                     base, name(*own), count[name(*own)], plane.cells.size(), helps_words(report, report.base));
}

/// The class of the cell that a machine is in.
std::string class_at(const ClassPlane& plane, const ClassPlane::Mark& mark) {
  if (!on_the_map(plane, mark)) return "off the map";
  const auto cell = [](const std::vector<double>& axis, double factor) {
    return std::min(static_cast<std::size_t>(place(axis, factor)), axis.size() - 1);
  };
  return plane.at(cell(plane.bandwidths, mark.bandwidth), cell(plane.latencies, mark.latency)).name;
}

/// "5 cielito, 6 cloud".
std::string numbered_platforms(const ClassPlane& plane) {
  std::string words;
  for (std::size_t i = 0; i < std::min(most_marks, plane.marks.size()); ++i)
    if (plane.marks[i].platform && on_the_map(plane, plane.marks[i]))
      words += fmt::format("{}{} {}", words.empty() ? "" : ", ", i + 1, plane.marks[i].name);
  return words;
}

void mark_table(Html& html, const Report& report) {
  const ClassPlane& plane = *report.plane;
  const auto& base = report.machines[report.base].figures;
  if (!base || plane.marks.size() < 2) return;
  PageTable table(html, "mark-table", "Machines on the map: networks by name, platforms by number",
                  {"number", "machine", "kind", "latency", "bandwidth, Gb/s", "class of the nearest square"});
  for (std::size_t i = 0; i < plane.marks.size(); ++i) {
    const ClassPlane::Mark& mark = plane.marks[i];
    const double latency = mark.latency * base->latency;
    const double gigabits = 8 * mark.bandwidth * base->bandwidth / 1e9;
    table.row({{std::to_string(i + 1), static_cast<double>(i + 1)},
               mark.name,
               mark.platform ? "platform" : "network",
               {seconds_words(latency), latency},
               {fmt::format("{:.4g}", gigabits), gigabits},
               class_at(plane, mark)},
              {}, i < most_marks);
  }
}

void class_legend(Html& html, const ClassPlane& plane) {
  html.open("ul", {{"class", "legend"}});
  std::map<std::string, Shown> by_words;
  for (const ClassPlane::Cell& cell : plane.cells)
    by_words.emplace(shown(cell).words, shown(cell));
  for (const auto& [words, one] : by_words) {
    html.open("li").open("svg", {{"width", "14"}, {"height", "14"}, {"aria-hidden", "true"}});
    html.empty("rect", {{"class", one.style}, {"width", "14"}, {"height", "14"}}).close();
    html.text(" " + one.letter + " " + words).close();
  }
  html.close();
}

void plane_table(Html& html, const ClassPlane& plane) {
  std::vector<TableColumn> columns{"latency \\ bandwidth"};
  for (const double factor : plane.bandwidths)
    columns.emplace_back(factor_words(factor));
  PageTable table(html, "plane-table", "Class and time by latency and bandwidth, relative to the machine", columns);
  for (std::size_t j = 0; j < plane.latencies.size(); ++j) {
    std::vector<TableCell> cells{{factor_words(plane.latencies[j]), plane.latencies[j]}};
    for (std::size_t i = 0; i < plane.bandwidths.size(); ++i)
      cells.emplace_back(shown(plane.at(i, j)).letter + " " + seconds_words(plane.at(i, j).makespan),
                         plane.at(i, j).makespan);
    table.row(cells);
  }
}

} // namespace

void plane_section(Html& html, const Report& report) {
  if (!report.plane) return;
  figure(
      html, "plane-figure", plane_finding(report),
      [&] {
        class_legend(html, *report.plane);
        Map(html, report).draw();
        if (const std::string platforms = numbered_platforms(*report.plane); !platforms.empty())
          html.leaf("p", {{"class", "note"}},
                    "Factors are of " + report.machines[report.base].name +
                        ". Platforms that come with Timeless: " + platforms + ".");
      },
      [&] {
        mark_table(html, report);
        plane_table(html, *report.plane);
      });
}

} // namespace timeless::tools
