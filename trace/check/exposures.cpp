#include "trace/check/exposures.h"

namespace timeless::trace::checking {

void Exposures::add(const Pair& pair, int starts) {
  const auto [entry, fresh] = more_starts_.try_emplace(pair);
  entry->second += starts;
  if (entry->second == 0) more_starts_.erase(entry);
}

void Exposures::finish() {
  for (const auto& [pair, more] : more_starts_) {
    const auto [window, origin, target] = pair;
    if (left_.contains(origin) || left_.contains(target)) continue;
    const auto count = static_cast<std::uint64_t>(more > 0 ? more : -more);
    if (more > 0)
      findings_.add(Severity::inconsistent, origin, no_action,
                    "starts " + counted(count, "epoch") + " of access on " + words(window) + " that rank " +
                        std::to_string(target) + " never posts");
    else
      findings_.add(Severity::inconsistent, target, no_action,
                    "posts " + counted(count, "epoch") + " of exposure on " + words(window) + " that rank " +
                        std::to_string(origin) + " never starts");
  }
}

} // namespace timeless::trace::checking
