#include "tools/render/csv.h"

#include "base/escaping.h"

#include <nlohmann/json.hpp>

namespace timeless::tools {

namespace {

using nlohmann::ordered_json;

std::string unquoted(const ordered_json& value) {
  if (value.is_null()) return "";
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return value.dump();
  std::string all;
  for (const ordered_json& one : value)
    all += (all.empty() ? "" : " ") + unquoted(one);
  return all;
}

std::string value_at(const ordered_json& object, std::string_view path) {
  const ordered_json* place = &object;
  while (true) {
    const std::size_t dot = path.find('.');
    const auto found = place->is_object() ? place->find(std::string(path.substr(0, dot))) : place->end();
    if (!place->is_object() || found == place->end()) return "";
    place = &*found;
    if (dot == std::string_view::npos) return csv_text(unquoted(*place));
    path.remove_prefix(dot + 1);
  }
}

void add_paths(const ordered_json& value, const std::string& path, std::string& text) {
  if (!value.is_structured()) {
    text += csv_text(path) + "," + csv_text(unquoted(value)) + "\n";
    return;
  }
  std::size_t place = 0;
  for (const auto& [key, part] : value.items()) {
    const std::string name = value.is_array() ? std::to_string(place++) : key;
    add_paths(part, path.empty() ? name : path + "." + name, text);
  }
}

} // namespace

std::string csv_text(const std::string& bytes) {
  const std::string text = escaped(bytes);
  if (text.find_first_of(",\"") == std::string::npos) return text;
  std::string all = "\"";
  for (const char c : text) {
    if (c == '"') all += '"';
    all += c;
  }
  return all + '"';
}

std::string csv_head(std::span<const std::string_view> columns) {
  std::string text;
  for (const std::string_view column : columns)
    text += (text.empty() ? "" : ",") + std::string(column);
  return text + "\n";
}

std::string csv_row(const ordered_json& object, std::span<const std::string_view> columns) {
  std::string text;
  for (std::size_t i = 0; i < columns.size(); ++i)
    text += (i == 0 ? "" : ",") + value_at(object, columns[i]);
  return text + "\n";
}

std::string csv_paths(const ordered_json& answer) {
  std::string text = "path,value\n";
  add_paths(answer, "", text);
  return text;
}

} // namespace timeless::tools
