#include "analysis/calibration/network/samples.h"

#include "analysis/statistics/drift.h"
#include "analysis/statistics/quantiles.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace timeless::analysis {

namespace {

using ping::Experiment;
using ping::Measurement;
using ping::Order;

/// The repetitions of one order.
struct Repetitions {
  std::size_t launch = 0;
  Order order;
  double start = 0;
  std::map<std::uint32_t, double> seconds; ///< by repetition, the longest of all ranks
};

bool same(const Order& left, const Order& right) {
  return left.experiment == right.experiment && left.first == right.first && left.second == right.second &&
         left.bytes == right.bytes && left.messages == right.messages && left.gap == right.gap;
}

/// Lines of one order stand together, rank by rank.
std::vector<Repetitions> orders_of(const ping::Raw& raw) {
  std::vector<Repetitions> orders;
  std::set<std::pair<std::int32_t, std::uint32_t>> seen; // rank and repetition
  for (const ping::Raw::Line& line : raw.lines) {
    const Measurement& one = line.measurement;
    const bool next = orders.empty() || orders.back().launch != line.launch || !same(orders.back().order, one.order) ||
                      seen.contains({one.rank, one.repetition});
    if (next) {
      orders.push_back({.launch = line.launch, .order = one.order, .start = one.start, .seconds = {}});
      seen.clear();
    }
    seen.insert({one.rank, one.repetition});
    double& longest = orders.back().seconds[one.repetition];
    longest = std::max(longest, one.seconds);
  }
  return orders;
}

SeriesKey key_of(const ping::MeasurementContext& where, const Order& order) {
  if (order.experiment == Experiment::copy || order.experiment == Experiment::reduction)
    return {LinkKind::within_node, order.experiment};
  const bool collective = order.experiment >= Experiment::barrier;
  const auto node = [&](std::int32_t rank) { return where.nodes[static_cast<std::size_t>(rank)]; };
  const bool near = collective ? std::ranges::all_of(where.nodes, [&](int one) { return one == where.nodes.front(); })
                               : node(order.first) == node(order.second);
  return {near ? LinkKind::within_node : LinkKind::between_nodes, order.experiment};
}

/// Whether what is done first takes longer.
bool first_is_slower(const std::vector<const Repetitions*>& orders) {
  constexpr std::size_t least = 10;
  constexpr double once_in_a_hundred = 2.3263; // of a normal distribution, on one side
  constexpr double worth_it = 1.05;
  std::vector<double> ratios;
  for (const Repetitions* order : orders) {
    if (order->seconds.size() < 3) continue;
    std::vector<double> later;
    for (const auto& [repetition, seconds] : order->seconds)
      if (repetition != order->seconds.begin()->first) later.push_back(seconds);
    if (const double usual = median(later); usual > 0) ratios.push_back(order->seconds.begin()->second / usual);
  }
  if (ratios.size() < least) return false;
  const auto n = static_cast<double>(ratios.size());
  const auto slower = static_cast<double>(std::ranges::count_if(ratios, [](double one) { return one > 1; }));
  return (2 * slower - n) / std::sqrt(n) > once_in_a_hundred && median(ratios) > worth_it;
}

/// Returns how many messages an order sends at once: one for each pair of ranks of the two nodes, or from each rank of
/// the second.
std::uint32_t at_once(const ping::Order& order, const std::vector<int>& nodes) {
  const auto ranks_beside = [&](int rank) {
    return static_cast<std::uint32_t>(std::ranges::count(nodes, nodes[static_cast<std::size_t>(rank)]));
  };
  const std::uint32_t senders = ranks_beside(order.second);
  const bool apart = nodes[static_cast<std::size_t>(order.first)] != nodes[static_cast<std::size_t>(order.second)];
  if (!apart) return 1;
  switch (order.experiment) {
  case ping::Experiment::incast:
    return senders;
  case ping::Experiment::pairs:
  case ping::Experiment::exchanges:
    return std::min(senders, ranks_beside(order.first));
  default:
    return 1;
  }
}

Sample sample_of(const Repetitions& order, const std::vector<int>& nodes, bool without_first) {
  std::vector<double> seconds;
  for (const auto& [repetition, one] : order.seconds)
    seconds.push_back(one);
  if (without_first && seconds.size() > 1) seconds.erase(seconds.begin());
  Sample sample{.launch = order.launch,
                .ranks = static_cast<std::uint32_t>(nodes.size()),
                .at_once = at_once(order.order, nodes),
                .bytes = order.order.bytes,
                .messages = order.order.messages,
                .gap = order.order.gap,
                .start = order.start,
                .seconds = median(seconds),
                .spread = {}};
  if (seconds.size() >= 3) sample.spread = relative_spread(seconds);
  return sample;
}

/// What each sample is of the median of its neighbours by size, among those of its kind of train.
std::vector<double> against_neighbours(const std::vector<Sample>& samples) {
  constexpr std::size_t reach = 4; // on either side
  const auto kind = [](const Sample& one) { return std::pair(one.messages, one.messages > 1 && one.gap > 0); };
  std::vector<std::size_t> by_size(samples.size());
  for (std::size_t place = 0; place < by_size.size(); ++place)
    by_size[place] = place;
  std::ranges::stable_sort(by_size, {},
                           [&](std::size_t place) { return std::pair(kind(samples[place]), samples[place].bytes); });
  std::vector<double> ratios(samples.size(), 1);
  for (std::size_t place = 0; place < by_size.size(); ++place) {
    const std::size_t begin = place > reach ? place - reach : 0;
    const std::size_t end = std::min(place + reach + 1, by_size.size());
    std::vector<double> near;
    for (std::size_t other = begin; other < end; ++other)
      near.push_back(samples[by_size[other]].seconds);
    const double usual = median(near);
    if (usual > 0) ratios[by_size[place]] = samples[by_size[place]].seconds / usual;
  }
  return ratios;
}

/// A drift that is worth a word: its halves differ, too.
bool matters(std::span<const double> in_order) {
  constexpr double worth_it = 0.05;
  return drifts(in_order) &&
         std::abs(median(in_order.first(in_order.size() / 2)) / median(in_order.subspan(in_order.size() / 2)) - 1) >
             worth_it;
}

/// Leaves out what comes before a launch is stationary.
void drop_warm_up(Series& series) {
  constexpr std::size_t tenths = 10;
  constexpr std::size_t most_dropped = 5;
  const std::vector<double> ratios = against_neighbours(series.samples);
  std::vector<Sample> kept;
  for (std::size_t begin = 0; begin < series.samples.size();) {
    std::size_t end = begin;
    while (end < series.samples.size() && series.samples[end].launch == series.samples[begin].launch)
      ++end;
    const std::span<const double> all(ratios.data() + begin, end - begin);
    std::size_t dropped = 0;
    while (dropped < most_dropped && matters(all.subspan(dropped * all.size() / tenths)))
      ++dropped;
    const bool still = matters(all.subspan(dropped * all.size() / tenths));
    // What drifts all along has no warm-up.
    const std::size_t from = still ? begin : begin + dropped * all.size() / tenths;
    series.drifts = series.drifts || still;
    series.warm_up += from - begin;
    kept.insert(kept.end(), series.samples.begin() + static_cast<std::ptrdiff_t>(from),
                series.samples.begin() + static_cast<std::ptrdiff_t>(end));
    begin = end;
  }
  series.samples = std::move(kept);
}

} // namespace

const char* words_of(LinkKind kind) {
  return kind == LinkKind::within_node ? "within a node" : "between nodes";
}

std::map<SeriesKey, Series> series_of(const ping::Raw& raw) {
  const std::vector<Repetitions> orders = orders_of(raw);
  std::map<SeriesKey, std::vector<const Repetitions*>> by_key;
  for (const Repetitions& order : orders)
    by_key[key_of(raw.launches[order.launch], order.order)].push_back(&order);
  std::map<SeriesKey, Series> all;
  for (const auto& [key, of_key] : by_key) {
    Series& series = all[key];
    const bool delayed = key.second == Experiment::delayed_send || key.second == Experiment::delayed_isend;
    series.first_repetition_dropped = !delayed && first_is_slower(of_key);
    std::vector<double> spreads;
    for (const Repetitions* order : of_key) {
      series.samples.push_back(sample_of(*order, raw.launches[order->launch].nodes, series.first_repetition_dropped));
      if (series.samples.back().spread) spreads.push_back(*series.samples.back().spread);
    }
    if (!spreads.empty()) series.spread = median(spreads);
    if (!delayed) drop_warm_up(series);
  }
  return all;
}

} // namespace timeless::analysis
