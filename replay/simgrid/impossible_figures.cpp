#include "replay/simgrid/impossible_figures.h"

#include "base/error.h"
#include "replay/simgrid/profile_figures.h"
#include "replay/simgrid/quantities.h"
#include "replay/simgrid/simgrid_factors.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <iterator>
#include <optional>

namespace timeless::replay {

namespace {

constexpr std::string_view quantity_name(Quantity quantity) {
  switch (quantity) {
  case Quantity::speed:
    return "speed";
  case Quantity::bandwidth:
    return "bandwidth";
  case Quantity::time:
    return "time";
  }
  return "";
}

struct Bounds {
  double least;
  double most;
};

/// Beyond these, sums and quotients of a replay's times would leave the numbers that there are, or SimGrid's solver
/// would stop: seen at 1e-3 bytes a second, and at 1e5 s of latency.
constexpr Bounds bounds_of(Quantity quantity) {
  if (quantity == Quantity::time) return {0, 1e3};
  return {quantity == Quantity::bandwidth ? 1 : 1e-9, 1e30};
}

std::string in_words(double value) {
  char number[32];
  std::snprintf(number, sizeof number, "%.10g", value);
  return number;
}

std::optional<ImpossibleFigure> judge_number(std::string_view text, Quantity quantity, const std::string& place) {
  const auto reading = read_quantity(quantity, text);
  if (!reading)
    return ImpossibleFigure{.what = place + "=\"" + std::string(text.substr(0, 60)) + "\"",
                            .advice = explain_quantity(quantity, text)};
  if (reading->value < 0)
    return ImpossibleFigure{.what = place + " is negative", .advice = "write " + std::string(units_of(quantity))};
  if (reading->value == 0 && quantity != Quantity::time)
    return ImpossibleFigure{.what = place + " is zero: nothing would ever end",
                            .advice = "write a " + std::string(quantity_name(quantity)) + " like " +
                                      std::string(units_of(quantity))};
  const auto [least, most] = bounds_of(quantity);
  if (reading->value < least || reading->value > most)
    return ImpossibleFigure{.what = place + "=\"" + std::string(text.substr(0, 60)) + "\" is on no machine",
                            .advice = "write a " + std::string(quantity_name(quantity)) + " from " + in_words(least) +
                                      std::string(bare_unit(quantity)) + " to " + in_words(most) +
                                      std::string(bare_unit(quantity))};
  return {};
}

/// A host has several speeds, a radio link several bandwidths.
void judge_attribute(const pugi::xml_node& node, const pugi::xml_attribute& attribute, std::size_t line,
                     std::vector<ImpossibleFigure>& found) {
  const auto quantity = quantity_of(attribute.name());
  if (!quantity || *attribute.value() == '\0') return;
  const std::string place = "<" + std::string(node.name()) + "> " + attribute.name();
  const int state = quantity == Quantity::speed ? node.attribute("pstate").as_int(0) : -1;
  int number = 0;
  for (const std::string_view one : numbers_of(node, attribute)) {
    const auto reading = read_quantity(*quantity, one);
    const bool off = state >= 0 && number++ != state && reading && reading->value == 0;
    if (off) continue;
    if (auto figure = judge_number(one, *quantity, place)) {
      figure->line = line;
      found.push_back(std::move(*figure));
    }
  }
}

/// SimGrid reads whole numbers up to the first character that is no digit.
void judge_count(const pugi::xml_node& node, const pugi::xml_attribute& attribute, std::size_t line,
                 std::vector<ImpossibleFigure>& found) {
  const std::string_view name = attribute.name();
  if (name != "core" && name != "pstate") return;
  std::string_view value = attribute.value();
  if (value.ends_with(".0")) value.remove_suffix(2); // as in SimGrid's DTD
  const auto count = whole_number<int>(value);
  const int least = name == "core" ? 1 : 0;
  if (count && *count >= least) return;
  found.push_back(
      {.line = line,
       .what = "<" + std::string(node.name()) + "> " + std::string(name) + "=\"" +
               std::string(attribute.value()).substr(0, 60) + "\" is no whole number from " + std::to_string(least) +
               " to 2147483647",
       .advice = name == "core" ? "write how many cores a host has" : "write the number of one of its speeds"});
}

/// Vivaldi coordinates are milliseconds between hosts.
void judge_coordinates(const pugi::xml_node& node, const pugi::xml_attribute& attribute, std::size_t line,
                       std::vector<ImpossibleFigure>& found) {
  constexpr double farthest = 1e6;
  if (std::string_view(attribute.name()) != "coordinates") return;
  std::string_view left = attribute.value();
  while (!left.empty()) {
    const std::size_t end = std::min(left.find(' '), left.size());
    const auto number = whole_number<double>(left.substr(0, end));
    left.remove_prefix(std::min(end + 1, left.size()));
    if (number && *number >= -farthest && *number <= farthest) continue;
    found.push_back({.line = line,
                     .what = "<" + std::string(node.name()) + "> coordinates=\"" +
                             std::string(attribute.value()).substr(0, 60) + "\" are no numbers from -1e6 to 1e6",
                     .advice = "write three numbers of milliseconds: \"25.5 -3 0.5\""});
    return;
  }
}

/// The values with which SimGrid works; outside of them its solver does not end, or finds that nothing may move.
struct Range {
  std::string_view setting;
  double least;
  double most;
  bool or_zero = false; ///< 0 is no figure but "none"
};

constexpr double unbounded = 1e18;
constexpr double longest = 1e3; // seconds
constexpr std::array ranges{
    Range{"bmf/max-iterations", 1, unbounded},
    Range{"bmf/precision", 1e-15, 1e-2},
    Range{"maxmin/precision", 1e-15, 1e-2},
    Range{"network/TCP-gamma", 1, unbounded, true},
    Range{"network/bandwidth-factor", 1e-9, 1e9},
    Range{"network/latency-factor", 0, 1e9},
    Range{"network/loopback-bw", 1e-9, unbounded},
    Range{"network/loopback-lat", 0, longest},
    Range{"network/weight-S", 0, 1e9},
    Range{"smpi/bw-factor", 1e-9, 1e9},
    Range{"smpi/init", 0, longest},
    Range{"smpi/iprobe", 0, longest},
    Range{"smpi/lat-factor", 0, 1e9},
    Range{"smpi/ois", 0, longest},
    Range{"smpi/or", 0, longest},
    Range{"smpi/os", 0, longest},
    Range{"smpi/test", 0, longest},
    Range{"smpi/wtime", 0, longest},
    Range{"smpi/async-small-thresh", 0, 0x7fffffff},
    Range{"smpi/send-is-detached-thresh", 0, 0x7fffffff},
    Range{"surf/precision", 1e-15, 1e-2},
};

constexpr std::array yes_or_no{"cpu/maxmin-selective-update",
                               "network/crosstraffic",
                               "network/maxmin-selective-update",
                               "smpi/errors-are-fatal",
                               "smpi/finalization-barrier",
                               "smpi/grow-injected-times",
                               "smpi/pedantic",
                               "smpi/simulate-computation"};
constexpr std::array boolean_words{"yes", "on", "true", "1", "no", "off", "false", "0"};

bool within(const Range& range, double value) {
  return (value >= range.least && value <= range.most) || (range.or_zero && value == 0); // nan is not
}

/// Returns false where SimGrid, which reads a size up to the first character that is no digit into an int, would read
/// another.
bool sizes_read_alike(std::string_view pieces) {
  while (!pieces.empty()) {
    const std::size_t end = std::min(pieces.find(';'), pieces.size());
    std::string_view piece = pieces.substr(0, end);
    pieces.remove_prefix(std::min(end + 1, pieces.size()));
    while (piece.starts_with(' '))
      piece.remove_prefix(1);
    const auto size = whole_number<int>(piece.substr(0, piece.find(':')));
    if (!piece.empty() && (!size || *size < 0)) return false;
  }
  return true;
}

/// Returns whether all numbers are within the range that a value like 0:1e-6:0;65536:2e-6:0 gives for messages. Nothing
/// where it is no such value; in a <config>, that and what is not above 0 is judged with the protocol's other settings.
std::optional<bool> pieces_within(const Range& range, const std::string& value, bool of_config) {
  try {
    return std::ranges::all_of(PiecewiseSetting::parse(value, range.setting).pieces(), [&](const auto& piece) {
      if (of_config && piece.fixed <= 0) return piece.per_byte <= range.most;
      return within(range, piece.fixed) && piece.per_byte <= range.most && (of_config || piece.per_byte >= 0);
    });
  } catch (const Error&) {
    return {};
  }
}

bool is_overhead(std::string_view setting) {
  return setting == "smpi/os" || setting == "smpi/ois" || setting == "smpi/or";
}

std::optional<ImpossibleFigure> judge_setting(const std::string& name, const std::string& value, bool of_config) {
  const std::string shown = name + "=\"" + value.substr(0, 60) + "\"";
  if (name == "maxmin/concurrency-limit") {
    const auto limit = whole_number<double>(value);
    if (limit && (*limit == -1 || *limit >= 1)) return {};
    return ImpossibleFigure{.what = shown + " lets no message move", .advice = "write -1, for no limit, or 1 or more"};
  }
  if (std::ranges::find(yes_or_no, name) != yes_or_no.end()) {
    if (std::ranges::find(boolean_words, value) != boolean_words.end()) return {};
    return ImpossibleFigure{.what = shown + " is neither yes nor no", .advice = "write yes or no"};
  }
  const auto range = std::ranges::find(ranges, std::string_view(name), &Range::setting);
  if (range == ranges.end()) return {};
  const auto single = whole_number<double>(value);
  const std::optional<bool> good = single ? within(*range, *single) : pieces_within(*range, value, of_config);
  // In a <config>, the form of message factors and overheads is judged where these are read.
  const bool of_messages = name.ends_with("-factor") || is_overhead(name);
  if (of_messages && good && !single && !sizes_read_alike(value))
    return ImpossibleFigure{.what = shown + " begins a piece at no size of a message",
                            .advice = "write sizes as whole numbers of bytes from 0 to 2147483647"};
  if (good.value_or(of_messages && of_config)) return {};
  return ImpossibleFigure{.what = shown + " is nothing that SimGrid can compute with",
                          .advice = std::string("write ") + (range->or_zero ? "0, or " : "") + "numbers from " +
                                    in_words(range->least) + " to " + in_words(range->most)};
}

} // namespace

std::vector<ImpossibleFigure> impossible_figures(const XmlFile& file) {
  std::vector<ImpossibleFigure> found;
  file.visit([&](const pugi::xml_node& node) {
    const std::size_t line = file.line_of(node);
    for (const pugi::xml_attribute& attribute : node.attributes()) {
      judge_attribute(node, attribute, line, found);
      judge_count(node, attribute, line, found);
      judge_coordinates(node, attribute, line, found);
    }
    if (std::string_view(node.name()) != "prop") return;
    const std::string name = present_name(node.attribute("id").value());
    // Hosts have their own overheads as properties; their other properties are anybody's.
    const bool of_config = std::string_view(node.parent().name()) == "config";
    if (!of_config && !is_overhead(name)) return;
    if (auto figure = judge_setting(name, node.attribute("value").value(), of_config)) {
      figure->line = line;
      found.push_back(std::move(*figure));
    }
  });
  std::ranges::move(impossible_profiles(file), std::back_inserter(found));
  std::ranges::stable_sort(found, {}, &ImpossibleFigure::line);
  return found;
}

std::string present_name(std::string_view setting) {
  std::string newer(setting);
  if (newer.starts_with("smpi/")) std::ranges::replace(newer, '_', '-');
  if (newer.ends_with("-thres")) newer += 'h';
  return newer;
}

} // namespace timeless::replay
