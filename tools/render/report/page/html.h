#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace timeless::tools {

/// Writes text as it stands in HTML, in an attribute too: as escaped() shows it.
std::string html_text(std::string_view text);

/// Writes a number of percent or pixels, as an attribute has it; 0 for what is none.
std::string coordinate(double value);

/// Returns cells as a row of comma-separated values, without its end.
std::string csv_cells(std::span<const std::string> cells);

/// HTML that is written from top to bottom. Elements that were opened are closed in their order, and all that comes
/// from a trace goes through html_text(), so the page holds as many elements as were asked for, whatever names say.
class Html {
public:
  using Attribute = std::pair<std::string_view, std::string>;
  using Attributes = std::initializer_list<Attribute>;

  Html& open(std::string_view element, Attributes attributes = {});
  Html& open(std::string_view element, std::span<const Attribute> attributes);
  /// Adds an element without an end, such as img or rect.
  Html& empty(std::string_view element, Attributes attributes = {});
  Html& text(std::string_view text);
  Html& close();
  /// Adds an element that holds nothing but text.
  Html& leaf(std::string_view element, std::string_view words) { return open(element).text(words).close(); }
  Html& leaf(std::string_view element, Attributes attributes, std::string_view words) {
    return open(element, attributes).text(words).close();
  }
  /// Adds what is HTML already, or none of it: style and script.
  Html& raw(std::string_view bytes);

  /// Adds a row of a table to csv(): what its cells show, and their values as numbers.
  void csv_row(std::span<const std::string> cells);

  /// Adds such a row that no table shows: scripts save it with the table of that id.
  void csv_row_of_data(const std::string& table, std::span<const std::string> cells);

  /// Returns how many elements there are.
  std::size_t elements() const { return elements_; }
  /// Returns by table the rows that it does not show, as csv() has them.
  const std::map<std::string, std::string>& data_rows() const { return data_rows_; }
  const std::string& html() const { return html_; }
  /// Returns the rows of all tables as comma-separated values.
  const std::string& csv() const { return csv_; }

private:
  void start(std::string_view element, std::span<const Attribute> attributes);

  std::string html_;
  std::string csv_;
  std::map<std::string, std::string> data_rows_;
  std::size_t elements_ = 0;
  std::vector<std::string> opened_;
};

} // namespace timeless::tools
