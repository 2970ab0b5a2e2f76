#include "tools/cli/table.h"

#include "base/escaping.h"
#include "base/parsing.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <numeric>
#include <string_view>
#include <utility>

namespace timeless::tools {

std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80; }));
}

namespace {

constexpr std::size_t gap = 2; // blanks before each column

bool is_number(const std::string& cell) {
  return !cell.empty() && (std::isdigit(static_cast<unsigned char>(cell.front())) != 0 || cell.front() == '-');
}

std::vector<std::string> in_lines(std::vector<std::string> texts) {
  std::ranges::transform(texts, texts.begin(), [](const std::string& text) { return escaped(text); });
  return texts;
}

/// A cell in lines of at most so many columns, but for words that are longer.
std::vector<std::string> broken(const std::string& cell, std::size_t width) {
  if (columns_of(cell) <= width) return {cell};
  std::vector<std::string> lines(1);
  for (const std::string_view word : split(cell, ' ')) {
    if (!lines.back().empty() && columns_of(lines.back()) + 1 + columns_of(word) > width) lines.emplace_back();
    lines.back() += (lines.back().empty() ? "" : " ") + std::string(word);
  }
  return lines;
}

std::size_t sum(const std::vector<std::size_t>& widths) {
  return std::accumulate(widths.begin(), widths.end(), gap * widths.size());
}

/// The columns of each table that has room, the first in all of them.
std::vector<std::vector<std::size_t>> divided(const std::vector<std::size_t>& widths, std::size_t room) {
  std::vector<std::vector<std::size_t>> tables{{0}};
  std::size_t used = gap + widths[0];
  for (std::size_t column = 1; column < widths.size(); ++column) {
    if (tables.back().size() > 1 && used + gap + widths[column] > room) {
      tables.push_back({0});
      used = gap + widths[0];
    }
    tables.back().push_back(column);
    used += gap + widths[column];
  }
  return tables;
}

} // namespace

std::optional<std::size_t> output_columns() {
  if (const char* const asked = std::getenv("COLUMNS")) {
    const std::string_view text(asked);
    std::size_t columns = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), columns);
    if (problem == std::errc{} && end == text.data() + text.size() && columns > 0) return columns;
  }
  winsize size{};
  if (::isatty(STDOUT_FILENO) != 0 && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    return size.ws_col;
  return std::nullopt;
}

Table::Table(std::vector<std::string> header) : rows_{{.cells = in_lines(std::move(header))}} {}

void Table::add(std::vector<std::string> row) {
  row.resize(rows_.front().cells.size());
  rows_.push_back({.cells = in_lines(std::move(row))});
}

void Table::add_below(const std::string& lines) {
  rows_.back().below += lines;
}

std::size_t Table::longest_word(std::size_t column, bool right) const {
  std::size_t longest = 0;
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    const std::string& cell = rows_[row].cells[column];
    if (right && row > 0) // a number and its unit
      longest = std::max(longest, columns_of(cell));
    else
      for (const std::string_view word : split(cell, ' '))
        longest = std::max(longest, columns_of(word));
  }
  return longest;
}

std::size_t Table::longest_end(std::size_t column) const {
  std::size_t longest = 0;
  for (const Row& row : rows_) {
    const std::string& cell = row.cells[column];
    const std::size_t to = cell.find(" to ");
    const std::size_t begin = to == cell.npos ? 0 : to + 1;
    longest = std::max({longest, begin, columns_of(cell.substr(begin))});
  }
  return longest;
}

std::vector<std::size_t> Table::widths(const std::vector<bool>& right) const {
  std::vector<std::size_t> widths(right.size());
  for (const Row& row : rows_)
    for (std::size_t column = 0; column < widths.size(); ++column)
      widths[column] = std::max(widths[column], columns_of(row.cells[column]));
  const std::optional<std::size_t> room = output_columns();
  if (!room || sum(widths) <= *room) return widths;
  std::vector<std::size_t> least(widths.size());
  for (std::size_t column = 0; column < widths.size(); ++column)
    least[column] = longest_word(column, right[column]);
  while (sum(widths) > *room) {
    const auto spare = [&](std::size_t column) { return widths[column] > least[column] ? widths[column] : 0; };
    std::size_t widest = 0;
    for (std::size_t column = 1; column < widths.size(); ++column)
      if (spare(column) > spare(widest)) widest = column;
    if (spare(widest) == 0) break;
    --widths[widest];
  }
  for (std::size_t column = 1; column < widths.size(); ++column)
    if (right[column] && sum({widths[0], widths[column]}) > *room)
      widths[column] = std::min(widths[column], longest_end(column));
  return widths;
}

std::string Table::lines(const Row& row, const std::vector<std::size_t>& columns,
                         const std::vector<std::size_t>& widths, const std::vector<bool>& right) const {
  std::vector<std::vector<std::string>> cells;
  std::size_t height = 1;
  for (const std::size_t column : columns)
    height = std::max(height, cells.emplace_back(broken(row.cells[column], widths[column])).size());
  std::string text;
  for (std::size_t i = 0; i < height; ++i) {
    std::string line;
    for (std::size_t place = 0; place < columns.size(); ++place) {
      const std::string part = i < cells[place].size() ? cells[place][i] : "";
      const std::size_t width = widths[columns[place]];
      const std::string blanks(width - std::min(width, columns_of(part)), ' ');
      line += std::string(gap, ' ') + (right[columns[place]] ? blanks + part : part + blanks);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string Table::text() const {
  const std::size_t columns = rows_.front().cells.size();
  std::vector<bool> right(columns);
  for (std::size_t column = 1; column < columns; ++column)
    right[column] = rows_.size() > 1 && is_number(rows_[1].cells[column]);
  const std::vector<std::size_t> all = widths(right);
  const std::size_t room = output_columns().value_or(sum(all));
  std::string text;
  for (const std::vector<std::size_t>& some : divided(all, room)) {
    const bool first = text.empty();
    if (!first) text += "\n";
    for (const Row& row : rows_)
      text += lines(row, some, all, right) + (first ? row.below : "");
  }
  return text;
}

} // namespace timeless::tools
