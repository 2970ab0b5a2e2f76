#include "tools/replaying/reservations.h"

#include "tools/machines/platform_head.h"

#include "analysis/statistics/quietness.h"
#include "base/files/text_file.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace timeless::tools {

namespace {

using nlohmann::json;

/// What one measurement says; whatever else stands there is left out, since readers of figures do not judge it.
struct Reservations {
  std::vector<std::string> noisy;
  std::string not_reached; ///< sentences, one after the other

  void add_noise(const json& noise) {
    if (noise.is_array())
      for (const json& one : noise)
        add_noise(one);
    if (!noise.is_object() || !noise.contains("spread") || !noise.contains("worst")) return;
    if (!noise["spread"].is_number() || !noise["worst"].is_number()) return;
    const bool named = noise.contains("host") && noise["host"].is_string();
    const std::string host = named ? noise["host"].get<std::string>() : "the host";
    std::string sentence = analysis::too_noisy({.spread = noise["spread"], .worst = noise["worst"]}, host);
    if (!sentence.empty()) noisy.push_back(std::move(sentence));
  }

  void add_not_reached(const std::string& sentence) { not_reached += (not_reached.empty() ? "" : "; ") + sentence; }

  void add(const json& measurement) {
    if (!measurement.is_object()) return;
    if (measurement.contains("noise")) add_noise(measurement["noise"]);
    if (!measurement.contains("not_reached") || !measurement["not_reached"].is_array()) return;
    for (const json& sentence : measurement["not_reached"])
      if (sentence.is_string()) add_not_reached(sentence.get<std::string>());
  }

  std::vector<std::string> sentences(const std::string& name) const {
    std::vector<std::string> all;
    for (const std::string& sentence : noisy)
      all.push_back(fmt::format("{}: {}", name, sentence));
    if (!not_reached.empty()) all.push_back(fmt::format("{}: not reached when it was measured: {}", name, not_reached));
    return all;
  }
};

std::vector<std::string> of_json(const std::filesystem::path& file) {
  constexpr std::size_t most_bytes = std::size_t{1} << 26U; // of calibrations
  const json content = json::parse(read_text(file, most_bytes).value_or(""), nullptr, false);
  if (!content.is_object()) return {};
  std::vector<std::string> all;
  const auto add = [&](const json& measurement, const std::string& name) {
    Reservations found;
    found.add(measurement);
    for (std::string& sentence : found.sentences(name))
      all.push_back(std::move(sentence));
  };
  for (const char* const key : {"provenance", "measurement"})
    if (content.contains(key)) add(content[key], file.string());
  if (!content.contains("instances") || !content["instances"].is_array()) return all;
  for (const json& instance : content["instances"]) {
    const bool named = instance.is_object() && instance.contains("name") && instance["name"].is_string();
    add(instance, named ? fmt::format("{} ({})", file.string(), instance["name"].get<std::string>()) : file.string());
  }
  return all;
}

} // namespace

std::vector<std::string> reservations(const std::filesystem::path& file) {
  if (file.extension() != ".xml") return of_json(file);
  const platforms::Head head = platforms::head_of(file);
  Reservations found;
  for (const platforms::HeadNoise& noise : head.noise)
    found.add_noise({{"spread", noise.spread}, {"worst", noise.worst}, {"host", noise.host}});
  for (const std::string& sentence : head.not_reached)
    found.add_not_reached(sentence);
  return found.sentences(file.string());
}

} // namespace timeless::tools
