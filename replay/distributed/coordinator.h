#pragma once

#include "replay/distributed/collected_result.h"
#include "replay/distributed/termination.h"
#include "replay/engine/bus/bus.h"
#include "replay/engine/core/remote.h"
#include "replay/engine/engine.h"
#include "replay/replay.h"

#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <vector>

namespace timeless::replay {

/// What process 0 does beside its own ranks: it finds out that nobody can go on, decides what that means, and puts the
/// result together. It gives the other processes their orders; its own participant follows what is returned.
///
/// What any process answers is to be given to it, process 0's own answers among them.
class Coordinator {
public:
  Coordinator(const trace::Source& source, const ReplayOptions& options, Bus& bus);

  /// What process 0's own participant does next.
  enum class Next : std::uint8_t {
    as_before,
    say_again, ///< replays, and says again when it has nothing to do
    hold,      ///< waits for what the others answer
    stop,      ///< likewise; the outcome is known
    done,
  };
  /// Begins an attempt at the replay.
  void begin();
  /// Sets what process 0 replays its own ranks with, in this attempt.
  void use(Engine& engine, const Remote& remote) {
    engine_ = &engine;
    remote_ = &remote;
  }

  /// Counts a process that has nothing to do, and has sent and received so many batches.
  Next said(std::uint64_t sent, std::uint64_t received);
  /// Takes how the ranks of a process stand, and how they compare, and goes on from a cut once all are known. Throws
  /// LanesApart and NoSteadyStates, as the others do when they are told.
  Next standing(int process, CutStanding standing);
  Next comparison(CutComparison comparison);
  /// Takes how a process stands, and decides once all are known: go on without some lanes, or collect the result.
  Next ending(int process, Ending ending);
  /// Adds the times of some ranks, and the last that a process reports.
  void times(ByteReader& words);
  Next findings(ByteReader& words);
  /// Adds a piece of the critical path, and asks for the one before it.
  Next path(PathPiece piece);
  /// Takes a process's problem. Several processes may fail before they hear of each other: the lowest speaks.
  Next failed(int process, std::exception_ptr problem);
  /// Ends the replay, of which there is no result.
  Next stop();
  /// Counts a process that has stopped.
  Next stopped();

  /// Sends all other processes the same.
  void tell_all(const Batch& batch);
  /// Returns the result, once done. Throws what ended the replay.
  Result result();

private:
  enum class State : std::uint8_t {
    replaying,
    standing,  ///< nobody has anything to do, the others are asked whether they stand at a cut
    comparing, ///< they do, and compare
    asking,    ///< nobody has anything to do, the others are asked
    stopping,
  };

  void tell_and_await(State state, const Batch& batch);
  Next end();
  Next stand();
  Next cut();
  Next compare();
  Next resume();
  Next ask_endings();
  Next decide();
  Next collect(const std::string& note);
  Next complete();

  const trace::Source& source_;
  const ReplayOptions& options_;
  Bus& bus_;
  Engine* engine_ = nullptr;
  const Remote* remote_ = nullptr;
  State state_ = State::replaying;
  Termination termination_;
  int missing_ = 0;                    ///< processes whose answer is to come
  std::vector<CutStanding> standings_; ///< by process
  CutComparison comparison_;           ///< of those who have said so
  std::vector<std::optional<Ending>> endings_;
  CollectedResult collected_;
  std::exception_ptr problem_;
  int failed_process_ = 0;
};

} // namespace timeless::replay
