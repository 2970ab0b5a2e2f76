#include "replay/engine/arrivals.h"

#include <algorithm>
#include <numeric>

namespace timeless::replay {

namespace {

// Beyond this many, sorting each lane beats exchanging neighbours in all lanes at once.
constexpr std::size_t most_exchanged = 16;

} // namespace

void Arrivals::reset(std::size_t count) {
  count_ = count;
  size_ = 0;
}

void Arrivals::add(const LaneRates& rates, const LaneTime& sent, const LaneTransfer& transfer, const double* now) {
  const std::size_t needed = 3 * (size_ + 1) * count_;
  if (values_.size() < needed) values_.resize(std::max(needed, 2 * values_.size()));
  if (arrival(count_, rates, sent, transfer, now, part(size_, 0), part(size_, 1), part(size_, 2))) ++size_;
}

void Arrivals::take(const LaneCounters& counters, double* now) {
  if (size_ <= most_exchanged)
    take_by_exchanges(counters, now);
  else
    take_by_lane(counters, now);
}

/// Exchanging neighbours only when the left one is later keeps equals in order; the largest end settles first.
void Arrivals::take_by_exchanges(const LaneCounters& counters, double* now) {
  bool exchanged = true;
  for (std::size_t unsettled = size_; exchanged && unsettled > 1; --unsettled) {
    exchanged = false;
    for (std::size_t right = 1; right < unsettled; ++right)
      exchanged |= order(count_, part(right - 1, 0), part(right - 1, 1), part(right - 1, 2), part(right, 0),
                         part(right, 1), part(right, 2));
  }
  for (std::size_t index = 0; index < size_; ++index)
    replay::take(count_, part(index, 0), part(index, 1), part(index, 2), counters, now);
}

void Arrivals::take_by_lane(const LaneCounters& counters, double* now) {
  order_.resize(size_);
  for (std::size_t lane = 0; lane < count_; ++lane) {
    std::iota(order_.begin(), order_.end(), 0U);
    std::ranges::stable_sort(order_, {}, [&](std::uint32_t index) { return part(index, 2)[lane]; });
    const LaneCounters own{counters.wait + lane, counters.first + lane, counters.second + lane};
    for (const std::uint32_t index : order_)
      replay::take(1, part(index, 0) + lane, part(index, 1) + lane, part(index, 2) + lane, own, now + lane);
  }
}

} // namespace timeless::replay
