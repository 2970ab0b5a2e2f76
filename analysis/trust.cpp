#include "analysis/trust.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ranges>
#include <string_view>
#include <utility>

namespace timeless::analysis {

const char* name(Confidence confidence) {
  static constexpr const char* names[] = {"low", "medium", "high"};
  return names[static_cast<std::size_t>(confidence)];
}

namespace {

constexpr std::string_view within_a_node = "measured within a node";

} // namespace

bool is_guess(std::string_view trust) {
  static constexpr std::array<std::string_view, 4> known{"measured", "published", "vendor", "given"};
  return std::ranges::find(known, trust) == known.end();
}

std::string trust_words(std::string_view trust) {
  if (trust == "vendor") return "the vendor's";
  if (trust == "not said") return "of a source that is not said";
  return std::string(trust) + (trust == within_a_node ? ", not between nodes" : "");
}

namespace {

bool is_of_network(ChangeKind kind) {
  return !is_of_processors(kind) && kind != ChangeKind::balance;
}

/// Whether so many times the saving, and a part as small of it, would be the same answer.
bool is_clear(const Saving& saving, double threshold, double factor = far_off) {
  return saving.least / factor >= threshold || factor * saving.most < threshold;
}

/// Times that are so far from what is predicted contradict it.
constexpr double contradicts = 0.1;

/// So much of the critical path matters: contention would have to multiply what is less to change an answer.
constexpr double much_of_the_path = 0.1;

/// Shares of what is computed below this do not make rates borrowed.
constexpr double hardly_any = 0.1;

/// What is known of the rate of the processors, as a sentence goes on; empty where the program's own was measured.
std::string source_of_rate(const Grounds& grounds) {
  if (grounds.rate_borrowed >= 1)
    return "assumed: the rates are of another program or build, with none of this run's kernels";
  if (grounds.rate_borrowed > hardly_any)
    return fmt::format("assumed for {:.0f} % of the computation: the rates are not of those kernels",
                       100 * grounds.rate_borrowed);
  if (grounds.rate_assumed) return "assumed";
  return grounds.rate_given ? "given as one number for all kernels" : "";
}

/// Why the rate of the processors is not known, as a sentence goes on.
std::string range_of_rate(const Grounds& grounds, const std::string& source) {
  if (!source.empty()) return ", which is " + source;
  return grounds.rate_derived ? ", which is derived from what a machine's operations cost"
                              : ", at which launches differ";
}

/// "the figures of e10g are published, those of e100g assumed"; empty where all are measured.
std::string source_of_figures(const std::vector<FiguresOf>& figures) {
  if (std::ranges::all_of(figures, [](const FiguresOf& one) { return one.trust == "measured"; })) return {};
  const auto words = [](const FiguresOf& one) { return trust_words(one.trust); };
  const bool alike =
      std::ranges::all_of(figures, [&](const FiguresOf& one) { return one.trust == figures.front().trust; });
  std::string text = "the figures of " + figures.front().machine + (alike ? "" : " are " + words(figures.front()));
  for (const FiguresOf& one : figures | std::views::drop(1))
    text += alike ? " and " + one.machine : fmt::format(", those of {} {}", one.machine, words(one));
  return alike ? text + " are " + words(figures.front()) : text;
}

bool are_guesses(const std::vector<FiguresOf>& figures) {
  return std::ranges::any_of(figures, [](const FiguresOf& one) { return is_guess(one.trust); });
}

/// Trust, reason by reason.
class Doubts {
public:
  Doubts(const Grounds& grounds, const Change& change, double threshold)
      : grounds_(grounds), change_(change), threshold_(threshold), from_(source_of_rate(grounds)),
        doubtful_(is_clear(change.saving, threshold) ? Confidence::medium : Confidence::low) {}

  Trust weigh() {
    doubt_trace();
    doubt_rate();
    if (change_.simulated) doubt_saving(*change_.simulated);
    if (!change_.simulated && std::abs(grounds_.contention) >= contradicts) doubt_model();
    if (is_of_network(change_.kind)) doubt_network();
    if (grounds_.left_out) limit(Doubt::left_out, Confidence::medium, "something in the trace is not modelled");
    if (!grounds_.compared && from_.empty())
      limit(Doubt::not_compared, Confidence::medium,
            "no launch has been compared with this prediction: timeless validate does that");
    else if (grounds_.compared_in_noise)
      limit(Doubt::not_compared, Confidence::medium,
            "the host of the launches that were compared was too noisy for that: they say little");
    return std::move(trust_);
  }

private:
  /// Limits to `doubtful_`, and says so where that is low: the same doubt is less in other answers.
  void limit_by_saving(Doubt doubt, const std::string& words) {
    const bool low = doubtful_ == Confidence::low;
    limit(doubt, doubtful_, words + (low ? "; half or twice the saving would turn the answer" : ""));
  }

  void limit(Doubt doubt, Confidence confidence, std::string words) {
    trust_.confidence = std::min(trust_.confidence, confidence);
    trust_.reasons.push_back({doubt, confidence, std::move(words)});
  }

  void doubt_trace() {
    if (!grounds_.complete)
      limit(Doubt::incomplete, Confidence::low,
            "the trace is incomplete: the answer holds for the recorded part of the run only");
    if (!grounds_.computes)
      limit(Doubt::no_computation, Confidence::low, "the trace holds no computation: only communication is predicted");
    if (!grounds_.exact)
      limit(Doubt::inexact, Confidence::medium, "the volumes of computation are not exact: another recording differs");
  }

  void doubt_rate() {
    if (change_.worth == Worth::undecided && !change_.contradicted)
      limit(from_.empty() && !grounds_.rate_derived ? Doubt::misfit : Doubt::rate, Confidence::low,
            "the answer depends on the rate of the processors" + range_of_rate(grounds_, from_));
    else if (!from_.empty())
      doubt_source_of_rate();
    if (std::abs(grounds_.validation_error) >= contradicts) doubt_time();
    if (!grounds_.rate_fits)
      limit_by_saving(Doubt::misfit, "the measured rates are in doubt for this run: the notes say why");
    if (grounds_.rate_noisy)
      limit_by_saving(Doubt::misfit, "the rates were measured on a host that was too noisy: the notes say how much");
  }

  /// SMPI, where messages share links, finds another time than the model, which all savings are from.
  void doubt_model() {
    constexpr double much = 0.25;
    const std::string words =
        fmt::format("with messages that share links, in SMPI, the run takes {:.1f} % {} than in "
                    "the model, which all savings are from",
                    100 * std::abs(grounds_.contention), grounds_.contention > 0 ? "longer" : "less");
    if (std::abs(grounds_.contention) >= much)
      limit(Doubt::contention, Confidence::low, words);
    else
      limit_by_saving(Doubt::contention, words);
  }

  /// Another machine saves something else where messages share links: another answer, or no more than another figure.
  void doubt_saving(double simulated) {
    const bool within = simulated >= change_.saving.least && simulated <= change_.saving.most;
    if (within && !change_.contradicted) return;
    limit(Doubt::contention, change_.contradicted ? Confidence::low : Confidence::medium,
          fmt::format("with messages that share links, in SMPI, it {} {:.1f} %{}", simulated < 0 ? "takes" : "saves",
                      100 * std::abs(simulated), simulated < 0 ? " longer" : " of the time"));
  }

  /// Launches took another time.
  void doubt_time() {
    const double over = 1 + grounds_.validation_error; // predicted, over measured
    const std::string words = fmt::format("launches contradict the prediction: its makespan was {:+.1f} % off",
                                          100 * grounds_.validation_error);
    if (over >= far_off)
      limit(Doubt::contradicted, Confidence::low, fmt::format("{}, {:.3g} times what they took", words, over));
    else if (over * far_off <= 1)
      limit(Doubt::contradicted, Confidence::low, fmt::format("{}, they took {:.3g} times as long", words, 1 / over));
    else
      limit_by_saving(Doubt::contradicted, words);
  }

  void doubt_source_of_rate() {
    const std::string words =
        fmt::format("how fast the processors compute is {}{}", from_,
                    grounds_.rate_changes_times ? "; at all rates of the range the answer is the same" : "");
    if (grounds_.rate_borrowed > hardly_any)
      limit_by_saving(Doubt::rate, words);
    else
      limit(Doubt::rate, Confidence::medium, words);
  }

  void doubt_network() {
    if (std::string words = source_of_figures(grounds_.figures); are_guesses(grounds_.figures))
      limit_by_saving(Doubt::figures, words);
    else if (!words.empty())
      limit(Doubt::figures, Confidence::medium, std::move(words));
    for (const FiguresOf& one : grounds_.figures)
      doubt_measurement(one);
    if (change_.kind == ChangeKind::machine) doubt_bases();
    if (grounds_.communication < much_of_the_path) return;
    if (change_.simulated) return;
    if (!grounds_.contention_known)
      limit(Doubt::contention, Confidence::medium,
            "messages that share links slow each other down: the model leaves that out");
    else if (change_.kind == ChangeKind::machine && grounds_.figures.size() > 1)
      limit(Doubt::contention, Confidence::medium,
            fmt::format("how far messages that share links slow each other down was simulated on {} alone",
                        grounds_.figures.front().machine));
  }

  /// What was measured in noise, or of a network that carries less both ways at once.
  void doubt_measurement(const FiguresOf& one) {
    if (one.noisy)
      limit_by_saving(Doubt::figures,
                      fmt::format("the host was too noisy when the figures of {} were measured", one.machine));
    if (grounds_.communication * (one.passing - 1) >= much_of_the_path)
      limit(Doubt::left_out,
            is_clear(change_.saving, threshold_, std::max(far_off, one.passing)) ? Confidence::medium : Confidence::low,
            fmt::format("large messages that pass each other take up to {:.3g} times as long on {}: the model leaves "
                        "that out",
                        one.passing, one.machine));
  }

  /// Times that one machine counts and the other does not, beside the saving that is said to be the network's.
  void doubt_bases() {
    if (grounds_.bases.empty() || grounds_.bases_differ <= std::abs(change_.saving.expected) / 2) return;
    limit(Doubt::bases, Confidence::low,
          fmt::format("what processors spend on messages rests on different bases, {}, and differs by {:.1f} % of the "
                      "time, beside a saving of {:.1f} %",
                      grounds_.bases, 100 * grounds_.bases_differ, 100 * change_.saving.expected));
  }

  const Grounds& grounds_;
  const Change& change_;
  double threshold_;
  std::string from_;
  Confidence doubtful_; ///< where the times are in doubt
  Trust trust_;
};

} // namespace

std::vector<Reason> Trust::by_urgency() const {
  std::vector<Reason> sorted = reasons;
  std::ranges::stable_sort(sorted, {}, &Reason::doubt);
  return sorted;
}

std::vector<std::string> Trust::words() const {
  std::vector<std::string> all;
  for (const Reason& reason : reasons)
    all.push_back(reason.words);
  return all;
}

Trust trust(const Grounds& grounds, const Change& change, double threshold) {
  return Doubts(grounds, change, threshold).weigh();
}

Trust trust(const Grounds& grounds, const Advice& advice) {
  const ChangeKind named = advice.what();
  std::vector<Trust> of_changes;
  for (Change change : advice.changes) {
    if (named == ChangeKind::none ? is_limit(change.kind) : change.kind != named) continue;
    if (!advice.decided()) change.worth = Worth::undecided;
    of_changes.push_back(trust(grounds, change, advice.threshold));
  }
  return least(of_changes);
}

Trust least(std::span<const Trust> all) {
  Trust found;
  for (const Trust& one : all) {
    found.confidence = std::min(found.confidence, one.confidence);
    for (const Reason& reason : one.reasons)
      if (std::ranges::find(found.reasons, reason) == found.reasons.end()) found.reasons.push_back(reason);
  }
  return found;
}

} // namespace timeless::analysis
