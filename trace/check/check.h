#pragma once

#include "trace/archive/reader.h"
#include "trace/model/source.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace timeless::trace {

/// How grave a finding is.
enum class Severity : std::uint8_t {
  note,         ///< worth knowing, nothing wrong
  incomplete,   ///< something is not there
  inconsistent, ///< something cannot be right
};

const char* name(Severity severity);

inline constexpr std::uint64_t no_action = ~std::uint64_t{0};

/// One thing a check has found.
struct Finding {
  Severity severity = Severity::inconsistent;
  Rank rank = no_rank;              ///< whom it is about; no_rank for the whole run
  std::uint64_t action = no_action; ///< ordinal of the rank's action, from 0
  std::string words;
};

/// What checking a run has found.
struct CheckReport {
  std::vector<Finding> findings; ///< the first of each check, see CheckOptions::most_findings
  std::uint64_t notes = 0;       ///< all that was found, also what is not listed
  std::uint64_t incomplete = 0;
  std::uint64_t inconsistent = 0;
  std::uint64_t actions = 0;     ///< looked at
  std::uint64_t messages = 0;    ///< sends matched with their receives
  Bytes message_bytes = 0;       ///< in those
  std::uint64_t requests = 0;    ///< begun
  std::uint64_t collectives = 0; ///< calls all members of a communicator have made
};

/// How a run is checked.
struct CheckOptions {
  std::size_t most_findings = 1000;
  /// Receives name the sizes of their buffers, not of what they got: a message may be smaller.
  bool receives_name_buffers = false;
  /// Called now and then with the number of actions looked at.
  std::function<void(std::uint64_t actions)> progress = {};
};

/// Returns whether a run's actions fit together:
///
/// - every message sent is received, in the order sent, with the bytes sent. Messages are matched by communicator,
///   sender, receiver and tag; receives by the order they were posted, matched receives by the order of their probes.
///   A receive names what it got; a nonblocking one may name more bytes than came: its buffer's size, where the
///   recorder had written the action out before the message came. Of messages that several threads of a rank send or
///   receive in one channel without waiting for each other, only the number and the sizes are compared (a note says
///   how many they are): their order is not recorded;
/// - every request is completed or freed once, and none is used twice at a time (freeing one that is not under way is
///   freeing an inactive persistent request); no collective's is freed or cancelled;
/// - a receive that lacks its source or tag is told both, once and before it completes, and no other is;
/// - the members of a communicator make the same collective calls in the same order, with one root and fitting sizes
///   (of neighbourhood and intercommunicator collectives, only the order is checked);
/// - communicators are used by members, towards members;
/// - the epochs of one-sided communication end after they have begun, and before the window is freed or MPI finalized;
///   those of groups are opened by both sides;
/// - windows are freed and files closed (where not, that is a note: recording may have been off);
/// - every region that is begun is ended, and the reverse (what is not is a note);
/// - measured times, where there are some, are there for all actions and rise;
/// - every rank is there, and ends with MPI_Finalize.
///
/// What a rank that is missing or was cut short should have done counts as incomplete, not as inconsistent. Damage the
/// source reports for a rank is a finding, and the rank counts as cut short there.
///
/// Reads the ranks in turns, a bounded number of actions each, holding back ranks that are far ahead of their partners:
/// memory is bounded by the number of ranks and by what is under way in the program, not by the length of the run.
CheckReport check(const Source& source, const CheckOptions& options = {});

/// Adds what an archive itself shows: that it is cut short (incomplete), or damaged (inconsistent).
void add_damage(const ArchiveReader& archive, CheckReport& report, const CheckOptions& options = {});

} // namespace timeless::trace
