#pragma once

#include "analysis/advice.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace timeless::analysis {

/// How far an answer may be trusted.
enum class Confidence : std::uint8_t { low, medium, high };
const char* name(Confidence confidence);

/// Where the figures of a machine come from.
struct FiguresOf {
  std::string machine;
  std::string trust;  ///< "measured", "measured within a node", "published", "vendor", "assumed", "given", "not said",
                      ///< or what a file says in words of its own
  bool noisy = false; ///< its host was, when they were measured
  /// How long messages that pass each other take at most, over what is predicted.
  double passing = 1;
};

/// Returns whether nobody is known to have measured figures of this trust, nor published them: those between nodes,
/// where ranks are on several.
bool is_guess(std::string_view trust);
/// Returns the trust as "these figures are ..." goes on.
std::string trust_words(std::string_view trust);

/// What answers rest on.
struct Grounds {
  bool complete = true;            ///< the trace
  bool computes = true;            ///< computation was recorded
  bool rate_assumed = false;       ///< nobody has measured how fast the processors compute this program
  bool rate_given = false;         ///< as one number for all that is computed
  bool rate_derived = false;       ///< from what a machine's operations cost
  double rate_borrowed = 0;        ///< share of what is computed whose rate was measured of other kernels
  bool rate_changes_times = false; ///< times are known for several rates
  bool rate_fits = true;           ///< where rates were measured: by visits of such sizes, undisturbed
  bool rate_noisy = false;         ///< the host was, when they were
  bool exact = true;               ///< volumes
  double communication = 0;        ///< share of the critical path in latency and bytes
  bool contention_known = false;   ///< on the base machine: SMPI replayed the run there
  double contention = 0;           ///< the time there in SMPI over that in the model, less 1
  bool left_out = false;           ///< something of the trace is not modelled
  bool compared = true;            ///< with launches of the program (timeless validate)
  bool compared_in_noise = false;  ///< their host was too noisy for that
  double validation_error = 0;     ///< error of the makespan, where launches show that it is none of chance
  /// Of the machines that an answer about a network compares: the one that it is about first.
  std::vector<FiguresOf> figures = {};
  /// Of another machine: what processors spend on messages there and on the base machine rests on these bases; empty
  /// where it is one basis.
  std::string bases = {};
  double bases_differ = 0; ///< those times, as a share of the base machine's
};

/// What can be doubted of an answer, by what is to be done about it first: without the rest of the trace nothing helps,
/// and a rate that is measured narrows the savings by which other doubts are weighed.
enum class Doubt : std::uint8_t {
  incomplete,     ///< the trace
  no_computation, ///< in the trace
  rate,           ///< nobody has measured how fast the processors compute this program
  contradicted,   ///< by launches
  misfit,         ///< rates were measured of other sizes, or with launches that differ
  figures,        ///< of a machine's network: nobody has measured them
  bases,          ///< of machines that are compared are different
  inexact,        ///< volumes
  left_out,       ///< of the model
  contention,     ///< is not in the model
  not_compared,   ///< with launches
};

/// Why the confidence in an answer is limited.
struct Reason {
  Doubt doubt;
  Confidence limit;  ///< confidence is at most so high
  std::string words; ///< a sentence
  bool operator==(const Reason&) const = default;
};

/// How far to trust an answer, and why no further.
struct Trust {
  Confidence confidence = Confidence::high;
  std::vector<Reason> reasons; ///< empty where nothing is to be said against it

  /// Returns the reasons in the order of Doubt.
  std::vector<Reason> by_urgency() const;
  /// Returns the sentences of all reasons.
  std::vector<std::string> words() const;
};

/// Predictions that launches contradict by this factor, either way, say nothing of what a change saves.
inline constexpr double far_off = 2;

/// Returns how far to trust whether a change saves at least `threshold`. What casts doubt on the time lowers it less
/// where half or twice the saving would be the same answer: so much changes a rate of the processors that is off by a
/// factor of two. Where launches contradict the time by more than that, no saving is so clear.
Trust trust(const Grounds& grounds, const Change& change, double threshold);

/// Returns how far to trust what an advice names, and where it names nothing, that none of the changes is worth it that
/// somebody can have whole.
Trust trust(const Grounds& grounds, const Advice& advice);

/// Returns the trust in an answer that rests on several: the least of theirs, for the reasons of all.
Trust least(std::span<const Trust> all);

} // namespace timeless::analysis
