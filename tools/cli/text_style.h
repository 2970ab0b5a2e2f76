#pragma once

namespace timeless::tools {

/// What may be printed beside letters and digits.
struct TextStyle {
  bool unicode = false; ///< block characters; else ASCII alone
  bool colour = false;  ///< ANSI escape sequences
};

/// Returns the style of standard output: Unicode where the locale's characters are UTF-8; colours on a terminal that
/// has them, unless NO_COLOR is set (no-color.org).
TextStyle output_style();

} // namespace timeless::tools
