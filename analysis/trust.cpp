#include "analysis/trust.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace timeless::analysis {

const char* name(Confidence confidence) {
  static constexpr const char* names[] = {"low", "medium", "high"};
  return names[static_cast<std::size_t>(confidence)];
}

namespace {

/// Other changes say what a part is worth, and nobody sells them.
bool is_to_be_had(ChangeKind kind) {
  return kind == ChangeKind::machine || kind == ChangeKind::processors;
}

} // namespace

Trust trust(const Grounds& grounds, std::span<const Change> changes) {
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
  if (!grounds.rate_fits) limit(Confidence::low, "the measured rates are in doubt for this run: the notes say why");
  const auto undecided = [&](bool to_be_had) {
    return std::ranges::any_of(changes, [&](const Change& change) {
      return change.worth == Worth::undecided && is_to_be_had(change.kind) == to_be_had;
    });
  };
  if (undecided(true))
    limit(Confidence::low, "whether another machine or faster processors pay depends on the rate of the processors");
  else if (undecided(false))
    limit(Confidence::medium, "what a part of the network or even work saves depends on the rate of the processors; "
                              "whether another machine or faster processors pay does not");
  else if (grounds.rate_assumed || grounds.rate_given)
    limit(Confidence::medium,
          fmt::format("how fast the processors compute is {}{}",
                      grounds.rate_assumed ? "assumed" : "given as one number for all kernels",
                      grounds.rate_changes_times ? "; at all rates of the range every answer below is the same, the "
                                                   "time is not"
                                                 : ""));
  if (!grounds.exact) limit(Confidence::medium, "the volumes of computation are not exact: another recording differs");
  if (grounds.left_out) limit(Confidence::medium, "something in the trace is not modelled");
  if (!grounds.contention_known && grounds.communication >= matters)
    limit(Confidence::medium, "messages that share links slow each other down: the model leaves that out");
  if (!grounds.compared && !grounds.rate_assumed && !grounds.rate_given)
    limit(Confidence::medium, "no launch has been compared with this prediction: timeless validate does that");
  return found;
}

} // namespace timeless::analysis
