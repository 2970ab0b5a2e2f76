#include "tools/calibrating/noise.h"

#include "base/escaping.h"
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

std::string noise_warning(const Noise& noise) {
  return analysis::too_noisy(noise.loop, noise.host);
}

} // namespace timeless::tools
