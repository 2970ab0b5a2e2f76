#include "replay/network/file_system.h"

#include "base/error.h"
#include "base/units.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <optional>

namespace timeless::replay {

namespace {

struct Unit {
  std::string_view name;
  double size;
};

constexpr std::array time_units{Unit{"s", 1}, Unit{"ms", 1e-3}, Unit{"us", 1e-6}, Unit{"ns", 1e-9}};
constexpr std::array rate_units{Unit{"B/s", 1}, Unit{"kB/s", 1e3}, Unit{"MB/s", 1e6}, Unit{"GB/s", 1e9},
                                Unit{"TB/s", 1e12}};

[[noreturn]] void fail(std::string_view text, std::string what) {
  throw Error(Failure::usage, std::move(what), std::string(text),
              "write latency=100us,bandwidth=1GB/s,aggregate=10GB/s, or some of these");
}

double byte_time(std::string_view text, std::string_view whole) {
  const std::optional<double> read = rate_in(text);
  if (!read) fail(whole, fmt::format("'{}' is no bandwidth", text));
  const double rate = *read;
  if (!(rate > 0) || !std::isfinite(1 / rate)) fail(whole, "a bandwidth must be more than 0");
  return 1 / rate;
}

double latency(std::string_view text, std::string_view whole) {
  const std::optional<double> read = seconds_in(text);
  if (!read) fail(whole, fmt::format("'{}' is no time", text));
  return *read;
}

std::string rate_text(double byte_time) {
  const double rate = 1 / byte_time;
  // A reciprocal may fall short of the next unit by its rounding.
  const auto unit = std::find_if(rate_units.rbegin(), rate_units.rend() - 1,
                                 [&](const Unit& one) { return rate * (1 + 1e-12) >= one.size; });
  return fmt::format("{:g} {}", rate / unit->size, unit->name);
}

std::string time_text(double seconds) {
  const auto unit =
      std::find_if(time_units.begin(), time_units.end() - 1, [&](const Unit& one) { return seconds >= one.size; });
  return fmt::format("{:g} {}", seconds / unit->size, unit->name);
}

} // namespace

FileSystem parse_file_system(std::string_view text) {
  FileSystem file_system{.assumed = false};
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string_view part = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos) fail(text, fmt::format("'{}' says nothing of a file system", part));
    const std::string_view name = part.substr(0, equals);
    const std::string_view value = part.substr(equals + 1);
    if (name == "latency")
      file_system.latency = latency(value, text);
    else if (name == "bandwidth")
      file_system.byte_time = byte_time(value, text);
    else if (name == "aggregate")
      file_system.aggregate_byte_time = value == "none" ? 0 : byte_time(value, text);
    else
      fail(text, fmt::format("a file system has no '{}'", name));
  }
  return file_system;
}

std::string describe(const FileSystem& file_system) {
  std::string text =
      fmt::format("{}, {} per process", time_text(file_system.latency), rate_text(file_system.byte_time));
  if (file_system.aggregate_byte_time > 0)
    text += fmt::format(", {} in all", rate_text(file_system.aggregate_byte_time));
  return text;
}

double moving_seconds(const FileSystem& file_system, trace::Bytes own, trace::Bytes all) {
  return std::max(static_cast<double>(own) * file_system.byte_time,
                  static_cast<double>(all) * file_system.aggregate_byte_time);
}

} // namespace timeless::replay
