#include "tools/replaying/reservations.h"

#include "tools/machines/platform_head.h"

#include "analysis/statistics/quietness.h"
#include "base/files/text_file.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>

namespace timeless::tools {

namespace {

using nlohmann::json;

/// What one measurement says; whatever else stands there is left out, since readers of figures do not judge it.
struct Measurement {
  std::vector<std::string> noisy;
  std::vector<std::string> not_modelled; ///< what was measured and no replay has; sentences
  std::string not_reached;               ///< sentences, one after the other
  double passing = 1;                    ///< as in Reservations

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

  void add_both_ways(const json& both, const char* where) {
    constexpr double apart = 1.8; // of one way, and the directions have little to do with each other
    if (!both.is_object() || !both.contains("over_one_way") || !both["over_one_way"].is_number()) return;
    const double over = both["over_one_way"];
    if (!(over > 0) || over >= apart) return;
    passing = std::max(passing, 2 / over);
    not_modelled.push_back(fmt::format("both directions at once had {:.2f} times what one has {} when it was measured, "
                                       "and replays give each what one has: large messages that pass each other take "
                                       "up to {:.2f} times as long as predicted",
                                       over, where, 2 / over));
  }

  void add_limits(const json& link, const char* where) {
    const auto limit = [&](const char* key) -> std::optional<std::uint64_t> {
      const json& found = link.is_object() ? link.value(key, json()) : json();
      const bool known = found.is_object() && found.contains("eager") && found["eager"].is_number_unsigned();
      return known ? std::optional(found["eager"].get<std::uint64_t>()) : std::nullopt;
    };
    const auto send = limit("eager_limit_of_send_bytes");
    const auto isend = limit("eager_limit_of_isend_bytes");
    if (!send || !isend || *send == *isend) return;
    not_modelled.push_back(fmt::format("MPI_Isend waits for its receive above {} bytes {}, MPI_Send above {}, which "
                                       "replays take for both",
                                       *isend, where, *send));
  }

  void add_not_reached(const std::string& sentence) { not_reached += (not_reached.empty() ? "" : "; ") + sentence; }

  void add(const json& measurement) {
    if (!measurement.is_object()) return;
    if (measurement.contains("noise")) add_noise(measurement["noise"]);
    add_both_ways(measurement.value("both_ways_between_nodes", json()), "between nodes");
    add_both_ways(measurement.value("both_ways_within_node", json()), "within a node");
    add_limits(measurement.value("between_nodes", json()), "between nodes");
    add_limits(measurement.value("within_node", json()), "within a node");
    if (!measurement.contains("not_reached") || !measurement["not_reached"].is_array()) return;
    for (const json& sentence : measurement["not_reached"])
      if (sentence.is_string()) add_not_reached(sentence.get<std::string>());
  }

  void say(Reservations& all, const std::string& name) const {
    for (const auto* list : {&noisy, &not_modelled})
      for (const std::string& sentence : *list)
        all.sentences.push_back(fmt::format("{}: {}", name, sentence));
    if (!not_reached.empty())
      all.sentences.push_back(fmt::format("{}: not reached when it was measured: {}", name, not_reached));
    all.noisy = all.noisy || !noisy.empty();
    all.passing = std::max(all.passing, passing);
  }
};

Reservations of_json(const std::filesystem::path& file) {
  constexpr std::size_t most_bytes = std::size_t{1} << 26U; // of calibrations
  const json content = json::parse(read_text(file, most_bytes).value_or(""), nullptr, false);
  if (!content.is_object()) return {};
  Reservations all;
  const auto add = [&](const json& measurement, const std::string& name) {
    Measurement found;
    found.add(measurement);
    found.say(all, name);
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

Reservations reservations(const std::filesystem::path& file) {
  if (file.extension() != ".xml") return of_json(file);
  const platforms::Head head = platforms::head_of(file);
  Measurement found;
  for (const platforms::HeadNoise& noise : head.noise)
    found.add_noise({{"spread", noise.spread}, {"worst", noise.worst}, {"host", noise.host}});
  for (const std::string& sentence : head.not_reached)
    found.add_not_reached(sentence);
  Reservations all;
  found.say(all, file.string());
  return all;
}

analysis::FiguresOf machine_figures(const std::string& machine, const std::string& trust,
                                    const std::filesystem::path& file) {
  const Reservations against = file.empty() ? Reservations() : reservations(file);
  return {.machine = machine, .trust = trust, .noisy = against.noisy, .passing = against.passing};
}

} // namespace timeless::tools
