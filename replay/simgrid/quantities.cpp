#include "replay/simgrid/quantities.h"

#include "base/escaping.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace timeless::replay {

namespace {

struct Scale {
  std::string_view text;
  double factor;
};

constexpr std::array decimal{Scale{"", 1},     Scale{"k", 1e3},  Scale{"M", 1e6},  Scale{"G", 1e9}, Scale{"T", 1e12},
                             Scale{"P", 1e15}, Scale{"E", 1e18}, Scale{"Z", 1e21}, Scale{"Y", 1e24}};
constexpr std::array prefix_words{Scale{"", 1},       Scale{"kilo", 1e3},  Scale{"mega", 1e6},
                                  Scale{"giga", 1e9}, Scale{"tera", 1e12}, Scale{"peta", 1e15},
                                  Scale{"exa", 1e18}, Scale{"zeta", 1e21}, Scale{"yotta", 1e24}};
constexpr std::array binary{Scale{"Ki", 0x1p10}, Scale{"Mi", 0x1p20}, Scale{"Gi", 0x1p30},
                            Scale{"Ti", 0x1p40}, Scale{"Pi", 0x1p50}, Scale{"Ei", 0x1p60}};
constexpr std::array times{Scale{"w", 604800}, Scale{"d", 86400}, Scale{"h", 3600},  Scale{"m", 60},    Scale{"s", 1},
                           Scale{"ms", 1e-3},  Scale{"us", 1e-6}, Scale{"ns", 1e-9}, Scale{"ps", 1e-12}};

template <std::size_t N>
std::optional<double> scale(const std::array<Scale, N>& scales, std::string_view prefix) {
  for (const Scale& one : scales)
    if (one.text == prefix) return one.factor;
  return {};
}

std::optional<double> speed_factor(std::string_view unit) {
  if (unit.ends_with("flops")) return scale(prefix_words, unit.substr(0, unit.size() - 5));
  if (unit.ends_with("f")) return scale(decimal, unit.substr(0, unit.size() - 1));
  return {};
}

std::optional<double> bandwidth_factor(std::string_view unit) {
  constexpr std::string_view tail = "ps";
  if (!unit.ends_with(tail) || unit.size() < 3) return {};
  const char what = unit[unit.size() - 3];
  const std::string_view prefix = unit.substr(0, unit.size() - 3);
  if (what != 'B' && what != 'b') return {};
  std::optional<double> factor = scale(decimal, prefix);
  if (!factor) factor = scale(binary, prefix);
  if (factor && what == 'b') *factor /= 8;
  return factor;
}

std::optional<double> factor_of(Quantity quantity, std::string_view unit) {
  switch (quantity) {
  case Quantity::speed:
    return speed_factor(unit);
  case Quantity::bandwidth:
    return bandwidth_factor(unit);
  case Quantity::time:
    return scale(times, unit);
  }
  return {};
}

/// Returns the number a text begins with, and the rest.
std::optional<std::pair<double, std::string_view>> number_of(std::string_view text) {
  while (text.starts_with(' '))
    text.remove_prefix(1);
  double value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || !std::isfinite(value)) return {};
  return std::pair(value, std::string_view(end, static_cast<std::size_t>(text.data() + text.size() - end)));
}

/// Returns what people write who mean one of SimGrid's units.
std::string_view meant(std::string_view unit) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 20> common{{
      {"GB/s", "GBps"},   {"MB/s", "MBps"},  {"Gb/s", "Gbps"}, {"Mb/s", "Mbps"}, {"Gbit/s", "Gbps"},
      {"GBit/s", "Gbps"}, {"GB", "GBps"},    {"MB", "MBps"},   {"Gb", "Gbps"},   {"GiB/s", "GiBps"},
      {"KBps", "kBps"},   {"Kbps", "kbps"},  {"GHz", "Gf"},    {"MHz", "Mf"},    {"Gflops", "Gf"},
      {"GFlops", "Gf"},   {"Gflop/s", "Gf"}, {"usec", "us"},   {"sec", "s"},     {"GF", "Gf"},
  }};
  const auto found = std::ranges::find(common, unit, &std::pair<std::string_view, std::string_view>::first);
  return found == common.end() ? std::string_view() : found->second;
}

} // namespace

std::optional<Reading> read_quantity(Quantity quantity, std::string_view text) {
  const auto number = number_of(text);
  if (!number) return {};
  const auto [value, unit] = *number;
  if (unit.empty()) return Reading{.value = value};
  const std::optional<double> factor = factor_of(quantity, unit);
  if (!factor || !std::isfinite(value * *factor)) return {};
  return Reading{.value = value * *factor, .unit = std::string(unit)};
}

std::string explain_quantity(Quantity quantity, std::string_view text) {
  const std::string like = ": write one like " + std::string(units_of(quantity));
  const auto number = number_of(text);
  if (!number) return in_quotes(text) + " is no number with a unit" + like;
  const std::string_view unit = number->second;
  const std::string_view instead = meant(unit);
  if (!instead.empty() && factor_of(quantity, instead))
    return "SimGrid knows no unit " + in_quotes(unit) + ": write " +
           std::string(text.substr(0, text.size() - unit.size())) + std::string(instead);
  for (const Quantity other : {Quantity::speed, Quantity::bandwidth, Quantity::time})
    if (factor_of(other, unit)) return in_quotes(text) + " has the unit of something else" + like;
  return "SimGrid knows no unit " + in_quotes(unit) + like;
}

std::string_view units_of(Quantity quantity) {
  switch (quantity) {
  case Quantity::speed:
    return "2.5Gf or 2.5E9f";
  case Quantity::bandwidth:
    return "12.5GBps (bytes) or 100Gbps (bits)";
  case Quantity::time:
    return "1.5us, 300ns or 0.1ms";
  }
  return "";
}

std::string_view bare_unit(Quantity quantity) {
  switch (quantity) {
  case Quantity::speed:
    return "f";
  case Quantity::bandwidth:
    return "Bps";
  case Quantity::time:
    return "s";
  }
  return "";
}

std::optional<Quantity> quantity_of(std::string_view attribute) {
  if (attribute == "speed") return Quantity::speed;
  for (const std::string_view name :
       {"bw", "bb_bw", "loopback_bw", "limiter_link", "bandwidth", "bw_in", "bw_out", "read_bw", "write_bw"})
    if (attribute == name) return Quantity::bandwidth;
  for (const std::string_view name : {"lat", "bb_lat", "loopback_lat", "latency"})
    if (attribute == name) return Quantity::time;
  return {};
}

std::vector<std::string_view> numbers_of(const pugi::xml_node& node, const pugi::xml_attribute& attribute) {
  std::string_view text = attribute.value();
  const auto quantity = quantity_of(attribute.name());
  const bool several =
      quantity == Quantity::speed || (quantity == Quantity::bandwidth && std::string_view(node.name()) == "link");
  std::vector<std::string_view> numbers;
  while (true) {
    const std::size_t end = several ? text.find(',') : std::string_view::npos;
    std::string_view one = text.substr(0, end);
    while (several && one.starts_with(' '))
      one.remove_prefix(1);
    numbers.push_back(one);
    if (end == std::string_view::npos) return numbers;
    text.remove_prefix(end + 1);
  }
}

} // namespace timeless::replay
