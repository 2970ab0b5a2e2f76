#pragma once

#include "tools/render/report/page/html.h"

#include "analysis/statistics/quantiles.h"
#include "analysis/trust.h"
#include "replay/result/result.h"
#include "tools/replaying/prediction.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// What sections of the page are made of.
namespace timeless::tools {

/// A counter of RankTimes as pictures show it.
struct TimePart {
  const char* name;  ///< for readers
  const char* style; ///< the class of what is filled with its colour and pattern
  double replay::RankTimes::*field;
};
/// Returns all counters; those that are 0 everywhere on the machines of a report need not be shown.
std::span<const TimePart> time_parts();
std::vector<TimePart> parts_of(std::span<const replay::LaneResult> lanes);

/// A cell of a table: what a reader sees, and what a column is sorted by.
struct TableCell {
  TableCell(std::string text_) : text(std::move(text_)) {} // NOLINT: cells are written as texts
  TableCell(const char* text_) : text(text_) {}            // NOLINT
  TableCell(std::string text_, double value_, std::string style_ = {})
      : text(std::move(text_)), value(value_), style(std::move(style_)) {}

  std::string text;
  std::optional<double> value;
  std::string style;        ///< a class; empty: none
  std::string picture = {}; ///< HTML that stands before the text; empty: none
  /// What stands in the tables' CSV in place of the cell, by TableColumn::csv; empty: the cell's value or text.
  std::vector<std::string> csv = {};
};

/// A column of a table: the words above it, and the columns that it is in CSV.
struct TableColumn {
  TableColumn(std::string text_, std::vector<std::string> csv_ = {}) // NOLINT: columns are written as texts
      : text(std::move(text_)), csv(std::move(csv_)) {}
  TableColumn(const char* text_, std::vector<std::string> csv_ = {}) // NOLINT
      : TableColumn(std::string(text_), std::move(csv_)) {}

  std::string text;
  std::vector<std::string> csv; ///< empty: one of the same name
};

/// Returns a number with all its digits; nothing for what is none.
std::string csv_number(double value);

/// Returns a column, or a cell, for an interval of times, in CSV its two ends: "time least" and "time most" of `what`
/// "time".
TableColumn interval_column(const std::string& text, const std::string& what);
TableCell interval_cell(const std::optional<analysis::Interval>& interval);

/// Returns such for whether a change pays: in CSV besides whether it holds for the recorded part of the run only.
TableColumn answer_column(const std::string& text = "answer");
/// By which such cells are sorted where the answer is no; what depends stands between no and yes.
inline constexpr double ruled_out_rank = 0;
TableCell answer_cell(const analysis::Change& change, const ComputeBasis& compute);
/// Returns such for what it saves, in CSV with the ends of its interval.
TableColumn saves_column(const std::string& text = "saves");
TableCell saves_cell(const analysis::Change& change);
/// Returns such for how sure that is, `shown` as it stands on the page; in CSV the word, and the reasons with " | "
/// between them.
TableColumn confidence_column(const std::string& text = "confidence");
TableCell confidence_cell(const analysis::Trust& trust, const std::string& shown);

/// Writes the share that a piece of a bar is into its middle; all in per cent of the picture's width, `y` in pixels.
/// Pieces that have no room for it, on a phone more of them, go without.
void write_share(Html& html, double x, double width, double y, const std::string& share);

/// Returns a row of small bars, at most some dozen, as high as their values, and what it says to those who do not see
/// it.
std::string spark_picture(std::span<const double> values, const std::string& words);

/// What a table does where the screen is too narrow for its columns.
enum class TableLayout : std::uint8_t {
  scrolls,
  stacks, ///< each cell of a row on a line of its own, behind its column's name
};

/// A table that scripts let readers sort; the first cell of a row is its head. Of many rows, and where the page has
/// many elements, it shows those that come first; the rest stands in the data.
class PageTable {
public:
  PageTable(Html& html, const std::string& id, const std::string& caption, const std::vector<TableColumn>& columns,
            TableLayout layout = TableLayout::scrolls);
  PageTable(const PageTable&) = delete;
  PageTable& operator=(const PageTable&) = delete;
  /// Adds a row, of a machine that readers may choose; one that is not `shown` stands in the data alone.
  void row(const std::vector<TableCell>& cells, const std::string& machine = {}, bool shown = true);
  ~PageTable();

private:
  std::vector<std::string> csv_of(const std::vector<TableCell>& cells) const;

  Html& html_;
  std::string id_;
  std::vector<std::string> labels_; ///< of cells, where they stack; else empty
  std::size_t rows_ = 0;            ///< that are shown
  std::vector<std::vector<std::string>> hidden_;
};

/// Adds a picture with the sentence that states its finding, and a table of the same numbers that can be opened.
void figure(Html& html, const std::string& id, const std::string& caption, const std::function<void()>& picture,
            const std::function<void()>& table);

/// Rows of a picture, each below the words that say what it shows. Tab goes to one of them, and from there arrows to
/// the others.
class PictureRows {
public:
  /// Begins them, in the figure of that id.
  PictureRows(Html& html, const std::string& figure);
  PictureRows(const PictureRows&) = delete;
  PictureRows& operator=(const PictureRows&) = delete;
  /// Opens a row: its words, what is said of it to those who do not see it, the height of what is drawn, in pixels, and
  /// which machine it chooses, if any.
  void open(const std::string& words, const std::string& spoken, double height, const std::string& machine = {});
  void close();
  ~PictureRows();

private:
  Html& html_;
  bool first_ = true;
};

/// Adds what colours stand for.
void legend(Html& html, std::span<const TimePart> parts);

/// Adds a list of labels and what is said of each.
void facts(Html& html, const std::vector<std::pair<std::string, std::string>>& list);

/// Opens a section with a heading; close() ends it.
void open_section(Html& html, const std::string& id, const std::string& heading);

/// Opens a nested svg whose corners are (0,0) and (100,100), for paths that follow the width of the page.
void open_plot(Html& html, double left, double top, double width, double height);

/// Returns where an axis ends that holds a positive value: 1, 1.2, 1.6, 2, 3, 4, 6 or 8 times a power of ten.
double axis_end(double value);
/// Returns seconds as an axis has them, in few digits: "150 ms".
std::string tick_words(double seconds);
/// Draws 0, the middle and the end of an axis of times that rises from the bottom of a plot, on its left.
void time_axis(Html& html, double left, double top, double height, double end);

} // namespace timeless::tools
