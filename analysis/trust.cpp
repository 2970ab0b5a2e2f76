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

bool is_of_network(ChangeKind kind) {
  return kind != ChangeKind::processors && kind != ChangeKind::balance;
}

/// Whether half or twice the saving would be the same answer.
bool is_clear(const Saving& saving, double threshold) {
  return saving.least / 2 >= threshold || 2 * saving.most < threshold;
}

/// What is known of the rate of the processors, as a sentence goes on; empty where the program's own was measured.
const char* source_of_rate(const Grounds& grounds) {
  if (grounds.rate_assumed) return "assumed";
  return grounds.rate_given ? "given as one number for all kernels" : "";
}

} // namespace

Trust trust(const Grounds& grounds, const Change& change, double threshold) {
  constexpr double contradicts = 0.1;
  constexpr double matters = 0.1; // of the path: below, contention would have to multiply it to change an answer
  const Confidence doubtful = is_clear(change.saving, threshold) ? Confidence::medium : Confidence::low;
  const std::string from = source_of_rate(grounds);
  Trust found;
  const auto limit = [&](Confidence confidence, std::string reason) {
    found.confidence = std::min(found.confidence, confidence);
    found.reasons.push_back(std::move(reason));
  };
  if (!grounds.complete)
    limit(Confidence::low, "the trace is incomplete: the answer holds for the recorded part of the run only");
  if (!grounds.computes) limit(Confidence::low, "the trace holds no computation: only communication is predicted");
  if (change.worth == Worth::undecided)
    limit(Confidence::low, "the answer depends on the rate of the processors" +
                               (from.empty() ? ", at which launches differ" : ", which is " + from));
  else if (!from.empty())
    limit(Confidence::medium,
          fmt::format("how fast the processors compute is {}{}", from,
                      grounds.rate_changes_times ? "; at all rates of the range the answer is the same" : ""));
  if (std::abs(grounds.contradiction) >= contradicts)
    limit(doubtful, fmt::format("launches contradict the prediction: its makespan was {:+.1f} % off",
                                100 * grounds.contradiction));
  if (!grounds.rate_fits) limit(doubtful, "the measured rates are in doubt for this run: the notes say why");
  if (!grounds.exact) limit(Confidence::medium, "the volumes of computation are not exact: another recording differs");
  if (grounds.left_out) limit(Confidence::medium, "something in the trace is not modelled");
  if (!grounds.contention_known && grounds.communication >= matters && is_of_network(change.kind))
    limit(Confidence::medium, "messages that share links slow each other down: the model leaves that out");
  if (!grounds.compared && from.empty())
    limit(Confidence::medium, "no launch has been compared with this prediction: timeless validate does that");
  return found;
}

Trust least(std::span<const Trust> all) {
  Trust found;
  for (const Trust& one : all) {
    found.confidence = std::min(found.confidence, one.confidence);
    for (const std::string& reason : one.reasons)
      if (std::ranges::find(found.reasons, reason) == found.reasons.end()) found.reasons.push_back(reason);
  }
  return found;
}

} // namespace timeless::analysis
