#pragma once

#include <nlohmann/json_fwd.hpp>

#include <span>
#include <string>
#include <string_view>

namespace timeless::tools {

/// Comma-separated values as RFC 4180 has them, lines ended by a newline. Text with a comma or a quotation mark
/// stands in quotation marks; lists are their values with spaces between; what is missing is empty. A row is a line,
/// and terminals show it: the answers in JSON have every text to the letter.

/// Returns a text as a value, as escaped() shows it.
std::string csv_text(const std::string& bytes);

/// Returns the head: the names of the columns.
std::string csv_head(std::span<const std::string_view> columns);

/// Returns an object's row: of each column the value at that path, such as "from.line".
std::string csv_row(const nlohmann::ordered_json& object, std::span<const std::string_view> columns);

/// Returns all values of an answer, a row "path,value" each, as "rank_records.3.actions,120"; lists have their places,
/// from 0.
std::string csv_paths(const nlohmann::ordered_json& answer);

} // namespace timeless::tools
