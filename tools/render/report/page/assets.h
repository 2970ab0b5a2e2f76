#pragma once

#include <string_view>

namespace timeless::tools {

/// A file that every report holds; embed.cmake makes it from report.css and report.js.
struct PageAsset {
  std::string_view bytes;
  std::string_view sha256; ///< of the bytes, hexadecimal
};

extern const PageAsset page_style;
extern const PageAsset page_script;

} // namespace timeless::tools
