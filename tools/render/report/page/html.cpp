#include "tools/render/report/page/html.h"

#include "base/escaping.h"
#include "tools/render/csv.h"

#include <cmath>
#include <cstddef>

namespace timeless::tools {

namespace {

/// Bytes of the letter of UTF-8 that begins here; 0 where none does.
std::size_t letter(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  const std::size_t length = first < 0x80   ? 1
                             : first < 0xc2 ? 0
                             : first < 0xe0 ? 2
                             : first < 0xf0 ? 3
                             : first < 0xf5 ? 4
                                            : 0;
  if (length == 0 || length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0U) != 0x80) return 0;
  if (length == 3 && ((first == 0xe0 && byte(1) < 0xa0) || (first == 0xed && byte(1) >= 0xa0))) return 0;
  if (length == 4 && ((first == 0xf0 && byte(1) < 0x90) || (first == 0xf4 && byte(1) >= 0x90))) return 0;
  return length;
}

} // namespace

std::string html_text(std::string_view text) {
  const std::string visible = escaped(text);
  std::string html;
  for (std::size_t i = 0; i < visible.size();) {
    const std::size_t length = letter(std::string_view(visible).substr(i));
    const std::string_view one = std::string_view(visible).substr(i, length);
    if (length == 0)
      html += "\uFFFD";
    else if (one == "&")
      html += "&amp;";
    else if (one == "<")
      html += "&lt;";
    else if (one == ">")
      html += "&gt;";
    else if (one == "\"")
      html += "&quot;";
    else if (one == "'")
      html += "&#39;";
    else
      html += one;
    i += length == 0 ? 1 : length;
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
    row += (i == 0 ? "" : ",") + csv_text(escaped(cells[i]));
  return row;
}

void Html::start(std::string_view element, std::span<const Attribute> attributes) {
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

Html& Html::raw(std::string_view bytes) {
  html_ += bytes;
  return *this;
}

} // namespace timeless::tools
