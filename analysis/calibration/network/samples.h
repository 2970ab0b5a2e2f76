#pragma once

#include "ping/raw.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace timeless::analysis {

/// What lies between the two ranks of a ping.
enum class LinkKind : std::uint8_t { within_node, between_nodes };

/// Returns "within a node" or "between nodes".
const char* words_of(LinkKind kind);

/// What the repetitions of one order gave.
struct Sample {
  std::size_t launch = 0;
  std::uint32_t ranks = 0;   ///< of the launch
  std::uint32_t at_once = 1; ///< messages, each from another rank
  std::uint64_t bytes = 0;
  std::uint32_t messages = 1;
  double gap = 0;
  double start = 0;   ///< of the first repetition, seconds
  double seconds = 0; ///< the median over repetitions; where several ranks measure, of the longest of their times
  std::optional<double> spread; ///< relative_spread() of three repetitions or more
};

/// All samples of one experiment over one kind of link, in the order they were taken.
struct Series {
  std::vector<Sample> samples;
  std::size_t warm_up = 0; ///< how many samples were left out at the beginnings of launches
  bool first_repetition_dropped = false;
  bool drifts = false; ///< what is left still rises or falls with time
  double spread = 0;   ///< the median of the samples' spreads
};

/// Experiments of one rank alone count as within a node.
using SeriesKey = std::pair<LinkKind, ping::Experiment>;

/// Returns the series of raw measurements.
///
/// The first repetitions of orders are left out where they take longer than the others more often than chance would
/// have it (a sign test, once in a hundred) and by more than a twentieth. Of each launch, tenths from the beginning on
/// are left out, up to half of it, until what is left does not drift.
std::map<SeriesKey, Series> series_of(const ping::Raw& raw);

} // namespace timeless::analysis
