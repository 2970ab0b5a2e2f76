#pragma once

#include "analysis/statistics/quietness.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <string_view>

/// How quiet the host was that started a calibration: what `timeless doctor` measures, kept with the measurements.
namespace timeless::tools {

struct Noise {
  analysis::Quietness loop; ///< of a loop of fixed work, on all processors at once
  std::string host;         ///< that started the measurements
};

/// Measures it here, and warns where the machine is too noisy to be calibrated. Takes a quarter of a second.
Noise noise_here();

/// Returns the value of `# noise: ` in a raw file.
std::string noise_text(const Noise& noise);
/// Returns what such a value says; nothing where it is none.
std::optional<Noise> read_noise(std::string_view text);

/// Returns {"spread": 0.012, "worst": 0.08, "host": "a"} as provenance has it: shares of the loop's median.
nlohmann::ordered_json to_json(const Noise& noise);
/// Returns a sentence where the machine was too noisy, else nothing.
std::string noise_warning(const Noise& noise);

} // namespace timeless::tools
