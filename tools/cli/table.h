#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace timeless::tools {

/// Returns the columns that standard output has: what COLUMNS says, else the terminal's; nothing in a pipe or a file,
/// where rows of tables stay whole and lines of text have 120.
std::optional<std::size_t> output_columns();

/// Returns the columns that a text of UTF-8 takes, one for each of its letters.
std::size_t columns_of(std::string_view text);

/// A table printed with aligned columns: text left, numbers right. Where output_columns() are too few, cells of words
/// are broken at blanks, then columns that have no room stand in a second table below, beside the first column again.
class Table {
public:
  explicit Table(std::vector<std::string> header);
  /// Adds a row. Cells are printed escaped, as is the header.
  void add(std::vector<std::string> row);
  /// Adds what stands below the row last added, whole lines, printed as they are.
  void add_below(const std::string& lines);
  std::string text() const;

private:
  struct Row {
    std::vector<std::string> cells;
    std::string below = {};
  };

  std::vector<std::size_t> widths(const std::vector<bool>& right) const;
  /// Returns the width of a column of intervals with their second end below the first.
  std::size_t longest_end(std::size_t column) const;
  std::size_t longest_word(std::size_t column, bool right) const;
  std::string lines(const Row& row, const std::vector<std::size_t>& columns, const std::vector<std::size_t>& widths,
                    const std::vector<bool>& right) const;

  std::vector<Row> rows_; ///< the header is the first
};

} // namespace timeless::tools
