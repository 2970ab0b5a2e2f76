#include "replay/engine/explanation/explanation.h"

namespace timeless::replay {

Explanation::Explanation(const ReplayOptions& options, Clocks& clocks, const trace::Run& run,
                         std::span<const std::string> lanes, RankRange local_ranks) {
  if (options.attribute != AttributeBy::nothing) attributor.emplace(options, clocks, local_ranks.size());
  if (options.observer != nullptr) {
    observation.emplace(*options.observer, run, lanes, local_ranks.size());
    for (std::uint32_t number = 0; number < local_ranks.size(); ++number)
      if (const double start = clocks[number].start; start > 0)
        observation->start(number, local_ranks.begin + static_cast<trace::Rank>(number), start);
  }
  if (options.critical_path) paths.emplace(clocks, local_ranks.size(), options);
}

void Explanation::make_room(std::size_t ranks, double start) {
  if (attributor) attributor->make_room(ranks);
  if (observation) observation->make_room(ranks, start);
  if (paths) paths->make_room(ranks);
}

} // namespace timeless::replay
