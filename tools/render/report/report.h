#pragma once

#include "tools/reporting/report.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace timeless::tools {

/// Returns all figures of a report (schema timeless.report/1). The page holds the same document.
nlohmann::ordered_json to_json(const Report& report);
/// Writes the essence for a terminal: verdict, bars, sparklines. `unicode` false: with characters of ASCII.
std::string to_text(const Report& report, bool unicode);
/// Writes the essence for a pull request or a wiki.
std::string to_markdown(const Report& report);
/// Writes the rows of all the page's tables as comma-separated values, each behind its table's name.
std::string to_csv(const Report& report);
/// Writes one HTML file that needs nothing beside it.
std::string to_page(const Report& report);

} // namespace timeless::tools
