#include "gather/tree/arity.h"

#include "gather/tree/tree.h"

#include <algorithm>
#include <iterator>
#include <limits>

namespace timeless::gather {

namespace {

constexpr double message_bytes = 1 << 20;

double rate_from(int senders, const Speeds& speeds) {
  const auto& known = speeds.into_first;
  const auto above = std::ranges::lower_bound(known, senders, {}, &std::pair<int, double>::first);
  if (above == known.end()) return known.back().second;
  if (above->first == senders || above == known.begin()) return above->second;
  const auto& [few, slow] = *std::prev(above);
  const auto& [many, fast] = *above;
  return slow + (fast - slow) * (senders - few) / (many - few);
}

} // namespace

double gathering_time(int processes, int arity, double bytes, const Speeds& speeds) {
  const int levels = tree_steps(processes, arity);
  const double pace = std::min(speeds.disk, rate_from(arity, speeds));
  return bytes / pace + levels * (speeds.latency + message_bytes / rate_from(1, speeds)) +
         2 * levels * arity * speeds.latency;
}

int best_arity(int processes, double bytes, const Speeds& speeds) {
  constexpr int most = 64;
  constexpr double as_good = 1.02;
  double least = std::numeric_limits<double>::infinity();
  const int last = std::clamp(processes - 1, 1, most);
  for (int arity = 1; arity <= last; ++arity)
    least = std::min(least, gathering_time(processes, arity, bytes, speeds));
  int arity = 1;
  while (arity < last && gathering_time(processes, arity, bytes, speeds) > as_good * least)
    ++arity;
  return arity;
}

} // namespace timeless::gather
