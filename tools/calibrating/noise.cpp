#include "tools/calibrating/noise.h"

#include "base/escaping.h"
#include "base/files/new_file.h"
#include "base/files/text_file.h"
#include "base/parsing.h"
#include "tools/calibrating/network_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace timeless::tools {

std::string noise_text(const Noise& noise) {
  return fmt::format("{:.4f} {:.4f} on {}", noise.loop.spread, noise.loop.worst, noise.host);
}

std::optional<Noise> read_noise(std::string_view text) {
  const std::size_t space = text.find(' ');
  const std::size_t on = text.find(" on ");
  if (on == std::string_view::npos || space >= on) return std::nullopt;
  const auto spread = whole_number<double>(text.substr(0, space));
  const auto worst = whole_number<double>(text.substr(space + 1, on - space - 1));
  if (!spread || !worst || !std::isfinite(*spread) || !std::isfinite(*worst)) return std::nullopt;
  return Noise{.loop = {.spread = *spread, .worst = *worst}, .host = escaped(text.substr(on + 4))};
}

nlohmann::ordered_json to_json(const Noise& noise) {
  return {{"spread", seven_digits(noise.loop.spread)}, {"worst", seven_digits(noise.loop.worst)}, {"host", noise.host}};
}

std::string noise_warning(const Noise& noise, std::string_view purpose) {
  return analysis::too_noisy(noise.loop, noise.host, purpose);
}

namespace {

std::filesystem::path noise_file(const std::filesystem::path& directory) {
  return directory / "noise";
}

} // namespace

void keep_noise(const Noise& noise, const std::filesystem::path& directory) {
  std::error_code failed;
  std::filesystem::create_directories(directory, failed); // what fails, launches will say
  if (!failed) write_file(noise_file(directory), noise_text(noise) + "\n", Existing::replace);
}

std::optional<Noise> kept_noise(const std::filesystem::path& directory) {
  constexpr std::size_t most_bytes = 1000;
  std::string text = read_text(noise_file(directory), most_bytes).value_or("");
  if (text.ends_with('\n')) text.pop_back();
  return read_noise(text);
}

} // namespace timeless::tools
