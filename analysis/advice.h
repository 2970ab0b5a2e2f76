#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// What changes of a machine are worth, and which of them helps a program most.
namespace timeless::analysis {

/// A change of the machine a program runs on.
enum class ChangeKind : std::uint8_t {
  machine,        ///< another machine
  bandwidth,      ///< the same network with twice its bandwidth
  latency,        ///< with half its latency
  network,        ///< both
  free_network,   ///< communication takes no time: the limit of what any network can save
  processors,     ///< twice as fast
  processor_step, ///< faster by processor_step_speed
  balance,        ///< the same work, divided evenly among the ranks: what it saves at most
  none,
};
const char* name(ChangeKind kind);
/// Returns true of a change that no machine reaches, such as free communication: what it saves is an upper bound.
bool is_limit(ChangeKind kind);
/// Returns true of faster processors, by whatever factor.
bool is_of_processors(ChangeKind kind);

/// How fast the next processor is that one can buy in place of the present one: hardly any is twice as fast.
inline constexpr double processor_step_speed = 1.15;

/// Whether something is worth having.
enum class Worth : std::uint8_t {
  pays,      ///< it saves what was asked for, at every speed of the processors that is to be expected
  ruled_out, ///< it does not, at none of them
  undecided, ///< that depends on the speed
};
const char* name(Worth worth);

/// The least saving that is worth having, unless somebody says otherwise.
inline constexpr double usual_worth = 0.05;

/// The part of the time that a change saves: 1 - (time with it) / (time without). Negative where it costs.
struct Saving {
  double expected = 0;
  double least = 0; ///< over the speeds of the processors that are to be expected
  double most = 0;
};

/// Makespans without and with a change, at one speed of the processors, relative to the one that is expected. Seconds.
struct TimesAtSpeed {
  double speed = 1;
  double without = 0;
  double with = 0;
};

/// Returns the saving from times at the speed that is expected, which come first, and at others that are to be
/// expected. Times that are not above 0 and finite save nothing.
Saving saving(std::span<const TimesAtSpeed> times);

/// Returns whether a saving of at least `threshold` is to be had.
Worth worth(const Saving& saving, double threshold);

/// Speeds of the processors, relative to the one that is expected.
struct SpeedRange {
  double slowest = 1;
  double fastest = 1;

  bool single() const { return slowest == fastest; }
};

/// Speeds between which an answer turns are looked for until they are no further apart than this factor.
inline constexpr double switchover_precision = 1.01;

/// A change of the machine, and what it saves.
struct Change {
  ChangeKind kind = ChangeKind::none;
  std::string name;   ///< "e100g in place of e10g", of machines
  double seconds = 0; ///< the makespan with it
  Saving saving;
  Worth worth = Worth::undecided;
  double threshold = usual_worth; ///< what is worth having
  bool recorded_part = false;     ///< of an incomplete recording: the rest of the run may answer otherwise
  /// Between these two speeds it begins to pay, or ceases to.
  struct Switchover {
    SpeedRange between;
    bool pays_above = true;
  };
  std::optional<Switchover> switchover = {}; ///< of what is undecided, unless that happens more than once
  /// What it saves in a simulation in which messages share links, where there was one.
  std::optional<double> simulated = {};
  bool contradicted = false; ///< that is another answer: the change is undecided for that
};
/// Weighs one by times as saving() has them; where the answer turns more than once, it tells no turn.
Change change(ChangeKind kind, const std::vector<TimesAtSpeed>& times, double threshold);
/// Compares a change's answer with what it saves in a simulation in which messages share links: where that is another
/// answer, the change is undecided. What depends on the speed stays so.
void compare_with_simulation(Change& change, double saved);

/// What a program takes on a machine at one speed of the processors, and with each of its parts twice as good, which
/// makes them comparable; with processors that are a step faster; with even work, less what the rank that computes
/// longest computes above the mean: so much is saved where all of that is on the critical path. Seconds.
struct ChangedTimes {
  double speed = 1; ///< as in SpeedRange
  double as_it_is = 0;
  double bandwidth = 0;
  double latency = 0;
  double network = 0;
  double free_network = 0;
  double processors = 0;
  double processor_step = 0;
  double balance = 0;
};

/// What helps a program on a machine, whatever its class.
struct Advice {
  /// What helps at the speeds from `speeds.slowest` to `speeds.fastest`, of those that were looked at.
  struct Helps {
    ChangeKind what = ChangeKind::none;
    SpeedRange speeds;
  };

  std::vector<Change> changes; ///< of the processors, of the network (unless it is not used), of the balance
  std::vector<Helps> helps;    ///< by rising speed; one where the same helps at all of them
  double threshold = usual_worth;
  bool network_used = true;   ///< false: no message crosses it, since all ranks are on one node
  bool recorded_part = false; ///< as in Change, and of each

  /// Returns what helps at the speed that is expected.
  ChangeKind what() const;
  /// Returns true when the same helps at all speeds.
  bool decided() const { return helps.size() == 1; }
  const Change* find(ChangeKind kind) const;
  /// Returns the speeds between which what helps turns, and whether each change pays.
  std::vector<SpeedRange> switchovers() const;
  /// Says of this and of each change that the recording is incomplete.
  void limit_to_recorded_part();
};

/// Weighs changes by times at the speed that is expected, which comes first, and at others. What helps is
///  - balance where it saves a fifth or more, and more than a network twice as good;
///  - else the network where it saves as much as processors twice as fast: latency or bandwidth alone, by what it alone
///    saves, where the other saves at most half of that;
///  - else processors, else the whole network, else balance; and none that saves less than `threshold`.
Advice advise(std::vector<ChangedTimes> times, double threshold, bool network_used);

} // namespace timeless::analysis
