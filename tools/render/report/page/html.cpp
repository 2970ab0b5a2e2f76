#include "tools/render/report/page/html.h"

#include "base/escaping.h"
#include "tools/render/csv.h"

#include <cmath>
#include <cstddef>

namespace timeless::tools {

std::string html_text(std::string_view text) {
  const std::string visible = escaped(text);
  std::string html;
  for (const char c : visible) {
    if (c == '&')
      html += "&amp;";
    else if (c == '<')
      html += "&lt;";
    else if (c == '>')
      html += "&gt;";
    else if (c == '"')
      html += "&quot;";
    else if (c == '\'')
      html += "&#39;";
    else
      html += c;
  }
  return html;
}

std::string coordinate(double value) {
  if (!std::isfinite(value)) return "0";
  std::string text = fmt::format("{:.2f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string csv_cells(std::span<const std::string> cells) {
  std::string row;
  for (std::size_t i = 0; i < cells.size(); ++i)
    row += (i == 0 ? "" : ",") + csv_text(cells[i]);
  return row;
}

void Html::start(std::string_view element, std::span<const Attribute> attributes) {
  ++elements_;
  html_ += '<';
  html_ += element;
  for (const auto& [name, value] : attributes) {
    html_ += ' ';
    html_ += name;
    html_ += "=\"" + html_text(value) + '"';
  }
}

Html& Html::open(std::string_view element, Attributes attributes) {
  return open(element, std::span(attributes.begin(), attributes.size()));
}

Html& Html::open(std::string_view element, std::span<const Attribute> attributes) {
  start(element, attributes);
  html_ += '>';
  opened_.emplace_back(element);
  return *this;
}

Html& Html::empty(std::string_view element, Attributes attributes) {
  start(element, std::span(attributes.begin(), attributes.size()));
  html_ += "/>";
  return *this;
}

Html& Html::text(std::string_view text) {
  html_ += html_text(text);
  return *this;
}

Html& Html::close() {
  html_ += "</" + opened_.back() + ">";
  opened_.pop_back();
  return *this;
}

void Html::csv_row(std::span<const std::string> cells) {
  csv_ += csv_cells(cells) + "\n";
}

void Html::csv_row_of_data(const std::string& table, std::span<const std::string> cells) {
  csv_row(cells);
  data_rows_[table] += csv_cells(cells) + "\n";
}

Html& Html::raw(std::string_view bytes) {
  html_ += bytes;
  return *this;
}

} // namespace timeless::tools
