#include "analysis/scaling/time/part_observer.h"

namespace timeless::analysis {

void PartObserver::begin(const trace::Run& run) {
  *this = PartObserver();
  ranks_ = static_cast<double>(run.size);
}

void PartObserver::observe(const replay::ObservedAction& action) {
  threads_ = threads_ || action.thread != 0;
  sums_.*part_of(family(action.action.kind)) += action.end - action.start;
}

std::optional<TimeByPart> PartObserver::parts() const {
  if (threads_) return std::nullopt;
  return TimeByPart{.computation = sums_.computation / ranks_,
                    .memory = {},
                    .point_to_point = sums_.point_to_point / ranks_,
                    .collective = sums_.collective / ranks_,
                    .other = sums_.other / ranks_};
}

} // namespace timeless::analysis
