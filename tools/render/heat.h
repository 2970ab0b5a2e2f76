#pragma once

#include "tools/cli/text_style.h"

#include <optional>
#include <string>
#include <vector>

namespace timeless::tools {

/// Figures over two factors, to be shown by figure and shade.
struct HeatMap {
  std::string columns_name; ///< "bandwidth"
  std::string rows_name;    ///< "latency"; empty for a single row
  std::vector<std::string> columns;
  std::vector<std::string> rows;
  /// By row, then column; nothing where there is none. A figure above 0 is shaded by its logarithm, the largest
  /// darkest.
  std::vector<std::optional<double>> values;
};

/// Returns a line for each row below one with the columns' names: each figure with two decimals and its shade, as long
/// as these fit into `width` columns, else the shades alone, and where these do not fit, in blocks below each other.
std::string heat_text(const HeatMap& map, const TextStyle& style, std::size_t width);

} // namespace timeless::tools
