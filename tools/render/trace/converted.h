#pragma once

#include "gather/merge/conversion.h"
#include "trace/formats/common/format.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

/// What `timeless convert` has made (schema timeless.convert/1).
namespace timeless::tools {

/// An archive.
struct ConvertedArchive {
  std::string trace;
  std::string output;
  bool rounded = false; ///< volumes were to be rounded
  const gather::Conversion& conversion;
};

nlohmann::ordered_json to_json(const ConvertedArchive& answer);
std::string to_text(const ConvertedArchive& answer);

/// Files of another format.
struct ExportedTrace {
  std::string trace;
  std::string output;
  std::string format;
  const trace::Run& run;
  const trace::formats::ExportReport& report;
};

nlohmann::ordered_json to_json(const ExportedTrace& answer);
std::string to_text(const ExportedTrace& answer);

/// Returns the formats that there are, a line each.
std::string formats_text();

} // namespace timeless::tools
