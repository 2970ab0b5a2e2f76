#include "tools/render/platforms/description.h"

#include "tools/cli/console.h"
#include "tools/platforms/catalogue.h"

#include "base/units.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace timeless::tools::platforms {

namespace {

using replay::PiecewiseSetting;
using replay::Platform;
using replay::SmpiSettings;

std::string bandwidth_text(double bytes_per_second) {
  return std::isfinite(bytes_per_second) ? human_count(bytes_per_second) + "B/s" : "unlimited";
}

/// Returns the bandwidth of the route or distance in an answer; infinite where JSON has no number for it.
std::string bandwidth_text(const nlohmann::ordered_json& way, const char* key) {
  return way[key].is_number() ? bandwidth_text(way[key].get<double>()) : "unlimited";
}

std::string seconds_text(double seconds) {
  return seconds == 0 ? "0" : human_seconds(seconds);
}

/// Returns "0:1;1420:2" as SimGrid took it.
std::string pieces_text(const PiecewiseSetting& setting, bool overhead) {
  std::string text;
  for (const PiecewiseSetting::Piece& piece : setting.pieces()) {
    text += fmt::format("{}{:.10g}:{:g}", text.empty() ? "" : ";", piece.above, piece.fixed);
    if (overhead) text += fmt::format(":{:g}", piece.per_byte);
  }
  return text.empty() ? "none" : text;
}

/// Returns the factor of the largest messages: the last piece's.
double largest_factor(const PiecewiseSetting& factor) {
  return factor.pieces().empty() ? 1 : factor.pieces().back().fixed;
}

/// Adds what a lone message gets of a way, and what bounds it.
void add_bandwidth(nlohmann::ordered_json& json, const replay::Route& route, const SmpiSettings& settings) {
  const double bandwidth = replay::lone_bandwidth(route, settings.tcp_window);
  const double factor = largest_factor(settings.bandwidth_factor);
  json["bandwidth_bytes_per_second"] = bandwidth;
  json["bound"] = bandwidth < route.bandwidth ? "window" : std::isinf(bandwidth) ? "nothing" : "links";
  json["links_bytes_per_second"] = route.bandwidth;
  json["large_message_factor"] = factor;
  json["large_message_bytes_per_second"] = bandwidth * factor;
}

nlohmann::ordered_json route_json(const Platform& platform, std::size_t from, std::size_t to) {
  const replay::Route route = platform.route(from, to);
  nlohmann::ordered_json json{
      {"from", platform.hosts()[from].name}, {"to", platform.hosts()[to].name}, {"latency_seconds", route.latency}};
  add_bandwidth(json, route, platform.settings());
  json["loopback"] = route.loopback;
  return json;
}

nlohmann::ordered_json distance_json(const Platform& platform, const Distance& kind) {
  nlohmann::ordered_json json{{"within_host", kind.loopback}, {"latency_seconds", kind.latency}};
  add_bandwidth(json, {.latency = kind.latency, .bandwidth = kind.bandwidth}, platform.settings());
  json["pairs"] = kind.pairs;
  json["from"] = platform.hosts()[kind.from].name;
  json["to"] = platform.hosts()[kind.to].name;
  return json;
}

nlohmann::ordered_json settings_json(const SmpiSettings& settings) {
  return {{"asynchronous_below_bytes", settings.asynchronous_below},
          {"detached_below_bytes", settings.detached_below},
          {"latency_factor", pieces_text(settings.latency_factor, false)},
          {"bandwidth_factor", pieces_text(settings.bandwidth_factor, false)},
          {"send_overhead", pieces_text(settings.send_overhead, true)},
          {"isend_overhead", pieces_text(settings.isend_overhead, true)},
          {"receive_overhead", pieces_text(settings.receive_overhead, true)},
          {"tcp_window_bytes", settings.tcp_window},
          {"cross_traffic", settings.cross_traffic}};
}

/// Returns what bounds a way's bandwidth.
std::string bound_text(const nlohmann::ordered_json& way) {
  const auto& bound = way["bound"];
  return bound == "window" ? "TCP's window" : bound == "links" ? "its links" : "nothing";
}

std::string distances_text(const nlohmann::ordered_json& answer) {
  std::string text;
  constexpr std::size_t most_lines = 40;
  Table table({"way", "latency", "bandwidth", "bound by", "large messages", "pairs", "for example"});
  std::size_t lines = 0;
  for (const auto& kind : answer["distances"]) {
    if (++lines > most_lines) break;
    table.add({kind["within_host"].get<bool>() ? "within a host" : "between hosts",
               seconds_text(kind["latency_seconds"]), bandwidth_text(kind, "bandwidth_bytes_per_second"),
               bound_text(kind), bandwidth_text(kind, "large_message_bytes_per_second"),
               std::to_string(kind["pairs"].get<std::uint64_t>()),
               kind["from"].get<std::string>() + " to " + kind["to"].get<std::string>()});
  }
  text += "\n" + table.text();
  if (answer["distances"].size() > most_lines)
    text += text_line("  and {} more kinds of ways: --json has all", answer["distances"].size() - most_lines);
  if (answer.contains("pairs_without_a_way"))
    text += text_line("  pairs with no way between them: {}", answer["pairs_without_a_way"].get<std::uint64_t>());
  if (answer["distances_from_hosts"] != answer["hosts"])
    text += text_fact(2, "", "(the ways from {} of the {} hosts to all)",
                      answer["distances_from_hosts"].get<std::size_t>(), answer["hosts"].get<std::size_t>());
  return text;
}

std::string settings_text(const nlohmann::ordered_json& smpi) {
  std::string text;
  text += "\n";
  text += text_fact(15, "SMPI", "below {} bytes a message sets off when it is sent; below {} its sender goes on",
                    smpi["asynchronous_below_bytes"].get<std::uint64_t>(),
                    smpi["detached_below_bytes"].get<std::uint64_t>());
  for (const auto& [key, words] :
       std::initializer_list<std::pair<const char*, const char*>>{{"latency_factor", "smpi/lat-factor"},
                                                                  {"bandwidth_factor", "smpi/bw-factor"},
                                                                  {"send_overhead", "smpi/os"},
                                                                  {"isend_overhead", "smpi/ois"},
                                                                  {"receive_overhead", "smpi/or"}})
    text += text_fact(15, "", "{} {}", words, smpi[key].get<std::string>());
  const double window = smpi["tcp_window_bytes"].get<double>();
  if (window == 0)
    text += text_fact(15, "", "network/TCP-gamma 0: latency does not limit how fast a message goes");
  else
    text += text_fact(15, "",
                      "network/TCP-gamma {:.10g} bytes: no message over links goes faster than these over twice its "
                      "latency",
                      window);
  return text;
}

/// Returns "way  a to b: 10.000 ms, 209.72 MB/s by TCP's window (its links: 1.25 GB/s), large messages 197.28 MB/s".
std::string way_text(const nlohmann::ordered_json& route) {
  std::string text;
  const bool window = route["bound"] == "window";
  text += text_fact(15, "way", "{} to {}: {}, {} by {}{}, large messages {}{}", route["from"].get<std::string>(),
                    route["to"].get<std::string>(), seconds_text(route["latency_seconds"]),
                    bandwidth_text(route, "bandwidth_bytes_per_second"), bound_text(route),
                    window ? " (its links: " + bandwidth_text(route, "links_bytes_per_second") + ")" : "",
                    bandwidth_text(route, "large_message_bytes_per_second"),
                    route["loopback"].get<bool>() ? ", over its loopback" : "");
  return text;
}

} // namespace

nlohmann::ordered_json to_json(const PlatformDescription& description) {
  const Platform& platform = description.platform;
  const Head head = head_of(platform.file());
  nlohmann::ordered_json json{
      {"action", "show"},    {"file", platform.file().string()}, {"description", head.description},
      {"trust", head.trust}, {"overheads", head.overheads},      {"hosts", platform.hosts().size()}};
  json["kinds"] = nlohmann::ordered_json::array();
  for (const HostKind& kind : kinds_of(platform))
    json["kinds"].push_back(
        {{"hosts", kind.hosts}, {"cores", kind.cores}, {"speed", kind.speed}, {"first", kind.first}});
  if (description.between) {
    const auto [from, to] = *description.between;
    json["between"] = {route_json(platform, from, to), route_json(platform, to, from)};
  }
  const Distances distances = distances_of(platform);
  json["distances_from_hosts"] = distances.sources;
  json["distances"] = nlohmann::ordered_json::array();
  for (const Distance& kind : distances.kinds)
    json["distances"].push_back(distance_json(platform, kind));
  if (distances.unconnected > 0) json["pairs_without_a_way"] = distances.unconnected;
  json["smpi"] = settings_json(platform.settings());
  json["notes"] = platform.notes();
  return json;
}

std::string to_text(const PlatformDescription& description) {
  const nlohmann::ordered_json answer = to_json(description);
  std::string text;
  text += text_line("{}", answer["file"].get<std::string>());
  if (const std::string about = answer["description"]; !about.empty()) text += text_fact(15, "", "{}", about);
  if (const std::string trust = answer["trust"]; !trust.empty()) text += text_fact(15, "trust", "{}", trust);
  if (const std::string basis = answer["overheads"]; !basis.empty()) text += text_fact(15, "overheads", "{}", basis);
  for (const auto& kind : answer["kinds"])
    text += text_fact(15, &kind == &answer["kinds"].front() ? "hosts" : "", "{} of {} core{}, {} a core (from {})",
                      kind["hosts"].get<std::size_t>(), kind["cores"].get<int>(), kind["cores"] == 1 ? "" : "s",
                      human_count(kind["speed"]) + " flop/s", kind["first"].get<std::string>());
  if (answer.contains("between"))
    for (const auto& route : answer["between"])
      text += way_text(route);
  text += distances_text(answer) + settings_text(answer["smpi"]);
  for (const auto& note : answer["notes"])
    text += text_fact(15, "NOTE", "{}", note.get<std::string>());
  return text;
}

} // namespace timeless::tools::platforms
