#include "analysis/upgrade.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace timeless::analysis {

const char* name(Worth worth) {
  switch (worth) {
  case Worth::pays:
    return "pays";
  case Worth::ruled_out:
    return "ruled out";
  case Worth::undecided:
    break;
  }
  return "undecided";
}

const char* name(Confidence confidence) {
  switch (confidence) {
  case Confidence::low:
    return "low";
  case Confidence::medium:
    return "medium";
  case Confidence::high:
    break;
  }
  return "high";
}

Saving saving(const std::vector<double>& without, const std::vector<double>& with) {
  Saving found;
  bool first = true;
  for (std::size_t i = 0; i < std::min(without.size(), with.size()); ++i) {
    if (!(without[i] > 0) || !std::isfinite(without[i]) || !std::isfinite(with[i])) continue;
    const double saved = 1 - with[i] / without[i];
    if (i == 0) found.expected = saved;
    found.least = first ? saved : std::min(found.least, saved);
    found.most = first ? saved : std::max(found.most, saved);
    first = false;
  }
  return found;
}

Worth worth(const Saving& saving, double threshold) {
  if (saving.least >= threshold) return Worth::pays;
  return saving.most < threshold ? Worth::ruled_out : Worth::undecided;
}

Trust trust(const Grounds& grounds, const std::vector<Change>& changes) {
  constexpr double contradicts = 0.1;
  constexpr double matters = 0.1; // of the path: below, contention would have to multiply it to change an answer
  Trust found;
  const auto limit = [&](Confidence confidence, std::string reason) {
    found.confidence = std::min(found.confidence, confidence);
    found.reasons.push_back(std::move(reason));
  };
  if (std::abs(grounds.contradiction) >= contradicts)
    limit(Confidence::low, fmt::format("launches contradict the prediction: its makespan was {:+.1f} % off",
                                       100 * grounds.contradiction));
  if (!grounds.complete) limit(Confidence::low, "the trace is incomplete: what is missing is not predicted");
  if (!grounds.computes) limit(Confidence::low, "the trace holds no computation: only communication is predicted");
  if (!grounds.rate_fits)
    limit(Confidence::low, "the measured rates are not of what this run computes: the notes say how far they are");
  const auto undecided = [](const Change& change) { return change.worth == Worth::undecided; };
  if (std::ranges::any_of(changes, undecided))
    limit(Confidence::low, "some answers change within the range of rates that the processors may have");
  else if (grounds.rate_assumed)
    limit(Confidence::medium, grounds.rate_changes_times
                                  ? "how fast the processors compute is assumed; from half to twice that rate every "
                                    "answer below is the same, the time is not"
                                  : "how fast the processors compute is assumed");
  if (!grounds.exact) limit(Confidence::medium, "the volumes of computation are not exact: another recording differs");
  if (grounds.left_out) limit(Confidence::medium, "something in the trace is not modelled");
  if (!grounds.contention_known && grounds.communication >= matters)
    limit(Confidence::medium, "messages that share links slow each other down: the model leaves that out");
  if (!grounds.compared && !grounds.rate_assumed)
    limit(Confidence::medium, "no launch has been compared with this prediction: timeless validate does that");
  return found;
}

} // namespace timeless::analysis
