#include "trace/model/memory_events.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace timeless::trace {

namespace {

constexpr std::size_t thresholds = 27;
constexpr std::uint64_t sampled = 16; // lines for one whose distance is found: thresholds are multiples

/// Returns thresholds from 32 KiB of lines in half octaves.
constexpr std::array<std::uint64_t, thresholds> thresholds_in_lines() {
  std::array<std::uint64_t, thresholds> lines{};
  std::uint64_t octave = 512 / sampled;
  for (std::size_t i = 0; i < thresholds; ++i) {
    lines[i] = sampled * (i % 2 == 0 ? octave : octave * 181 / 128); // the square root of 2
    if (i % 2 == 1) octave *= 2;
  }
  return lines;
}

constexpr std::array<std::uint64_t, thresholds> of_classes = thresholds_in_lines();

std::vector<std::string> names() {
  std::vector<std::string> all{"INSTRUCTIONS", "LOADS", "STORES", "DIVISIONS", "WAIT_CYCLES", "BRANCH_MISSES"};
  for (const char* order : {"SEQ_LINES_", "RND_LINES_", "CHAIN_LINES_"}) {
    all.push_back(std::string(order) + "0");
    for (const std::uint64_t lines : of_classes)
      all.push_back(order + std::to_string(lines));
    all.push_back(std::string(order) + "NEW");
  }
  return all;
}

/// Returns, of a class of distances, the share that is `lines` or more.
double share_beyond(std::size_t distance_class, double lines) {
  if (distance_class == 0) return 0;
  const auto low = static_cast<double>(of_classes[distance_class - 1]);
  const double high = distance_class < thresholds ? static_cast<double>(of_classes[distance_class]) : 2 * low;
  return std::clamp(std::log(high / lines) / std::log(high / low), 0.0, 1.0);
}

std::span<const double> classes_of(std::span<const double> events, std::size_t order) {
  return events.subspan(memory_first_class + order * distance_classes(), distance_classes());
}

} // namespace

std::span<const std::uint64_t> distance_thresholds() {
  return of_classes;
}

std::size_t distance_classes() {
  return thresholds + 2;
}

const std::vector<std::string>& memory_events() {
  static const std::vector<std::string> all = names();
  return all;
}

double lines_beyond(std::span<const double> events, FetchOrder order, double bytes) {
  const std::span<const double> classes = classes_of(events, static_cast<std::size_t>(order));
  double sum = 0;
  for (std::size_t one = 0; one + 1 < classes.size(); ++one)
    sum += classes[one] * share_beyond(one, bytes / memory_line_bytes);
  return sum;
}

double new_lines(std::span<const double> events) {
  double sum = 0;
  for (std::size_t order = 0; order < 3; ++order)
    sum += classes_of(events, order).back();
  return sum;
}

} // namespace timeless::trace
