#include "replay/smpi/full_periods.h"

#include <algorithm>
#include <functional>

namespace timeless::replay::smpi {

void join_closest(std::vector<Period>& periods, std::size_t most) {
  if (periods.size() <= most || most == 0) return;
  std::vector<double> gaps;
  for (std::size_t i = 1; i < periods.size(); ++i)
    gaps.push_back(periods[i].begin - periods[i - 1].end);
  // The most - 1 longest of them stay.
  std::ranges::nth_element(gaps, gaps.begin() + static_cast<std::ptrdiff_t>(most - 1), std::ranges::greater{});
  const double joined = gaps[most - 1];
  std::vector<Period> left;
  for (const Period& period : periods)
    if (left.empty() || period.begin - left.back().end > joined)
      left.push_back(period);
    else
      left.back().end = period.end;
  periods = std::move(left);
}

void GrowingPeriods::add(double begin, double end) {
  if (!periods_.empty() && begin <= periods_.back().end) {
    periods_.back().end = end;
    return;
  }
  constexpr std::size_t most = 1024;
  if (periods_.size() == most) join_closest(periods_, most / 2);
  periods_.push_back({begin, end});
}

std::vector<Period> GrowingPeriods::at_most(std::size_t most) const {
  std::vector<Period> some = periods_;
  join_closest(some, most);
  return some;
}

} // namespace timeless::replay::smpi
