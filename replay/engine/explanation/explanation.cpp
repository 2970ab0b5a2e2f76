#include "replay/engine/explanation/explanation.h"

namespace timeless::replay {

Explanation::Explanation(const ReplayOptions& options, Clocks& clocks, const trace::Run& run,
                         std::span<const std::string> lanes, RankRange share) {
  if (options.attribute != AttributeBy::nothing) attributor.emplace(options, clocks, share.size());
  if (options.observer != nullptr) {
    observation.emplace(*options.observer, run, lanes, share.size());
    for (std::uint32_t number = 0; number < share.size(); ++number)
      if (const double start = clocks[number].start; start > 0)
        observation->start(number, share.begin + static_cast<trace::Rank>(number), start);
  }
  if (options.critical_path) paths.emplace(clocks, share.size(), options);
}

void Explanation::make_room(std::size_t ranks, double start) {
  if (attributor) attributor->make_room(ranks);
  if (observation) observation->make_room(ranks, start);
  if (paths) paths->make_room(ranks);
}

} // namespace timeless::replay
