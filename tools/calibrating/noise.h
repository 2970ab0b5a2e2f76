#pragma once

#include "analysis/statistics/quietness.h"

#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

/// How quiet the host was that started a calibration: what `timeless doctor` measures, kept with the measurements.
namespace timeless::tools {

/// How quiet a machine was.
struct Noise {
  analysis::Quietness loop; ///< of a loop of fixed work, on all processors at once
  std::string host;         ///< that started the measurements
};

/// Measures it here, and warns where the machine is too noisy for `purpose` ("calibrated"). Takes a quarter of a
/// second.
Noise noise_here(std::string_view purpose = "calibrated");

/// Returns the value of `# noise: ` in a raw file.
std::string noise_text(const Noise& noise);
/// Returns what such a value says; nothing where it is none.
std::optional<Noise> read_noise(std::string_view text);

/// Returns {"spread": 0.012, "worst": 0.08, "host": "a"} as provenance has it: shares of the loop's median.
nlohmann::ordered_json to_json(const Noise& noise);
/// Returns a sentence where the machine was too noisy to be `purpose`, else nothing.
std::string noise_warning(const Noise& noise, std::string_view purpose = "calibrated");

/// Writes it beside recordings of launches. Throws as write_file() does.
void keep_noise(const Noise& noise, const std::filesystem::path& directory);
/// Returns what keep_noise() wrote there; nothing where there is none.
std::optional<Noise> kept_noise(const std::filesystem::path& directory);

} // namespace timeless::tools
