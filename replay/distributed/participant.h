#pragma once

#include "replay/distributed/coordinator.h"
#include "replay/distributed/process_work.h"
#include "replay/distributed/protocol.h"
#include "replay/engine/bus/bus.h"
#include "replay/engine/core/remote.h"
#include "replay/engine/engine.h"
#include "replay/replay.h"

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <vector>

namespace timeless::replay {

/// How the processes of a replay work together; the result does not depend on it.
struct Cooperation {
  std::uint32_t runs = 16; ///< of ranks, before a process looks for what others sent
  std::size_t batch_bytes = std::size_t{16} << 10U;
  /// A process that holds more messages of others than this, and has something else to do, takes in no more.
  std::uint64_t most_held = 1U << 16U;
  /// How often a process finds nothing to do before it says so.
  std::uint32_t patience = 64;
};

/// One process's part of a replay that several processes share; docs/distributed.md says what they exchange.
///
/// Every process calls step() until it says `done`. Process 0 then has the result, or the problem that ended all.
class Participant {
public:
  /// Makes this process's engine and joins the replay. Errors here and later are told to process 0.
  Participant(const trace::Source& source, const Network& network, const ReplayOptions& options, Bus& bus,
              const Cooperation& cooperation = {});
  ~Participant();
  Participant(const Participant&) = delete;
  Participant& operator=(const Participant&) = delete;

  enum class Next : std::uint8_t { step, wait, done };
  /// Works for a while, without waiting for anybody. `wait`: nothing is to be done until something arrives.
  Next step();
  /// Returns the result of all on process 0, once done, and lanes without times on the others. Throws LanesApart on
  /// all, and what else ended the replay on process 0.
  Result result();
  /// Returns what this process has done so far, as far as that does not depend on the bus.
  ProcessWork work_done() const;

private:
  enum class Phase : std::uint8_t {
    replaying,
    held,     ///< nobody has anything to do, and process 0 asks the others
    stopping, ///< the outcome is known, or this process's part in it
    done,
  };

  bool first() const { return coordinator_.has_value(); }
  bool has_work() const { return phase_ == Phase::replaying && engine_->can_go_on(); }
  template <typename Part>
  void guard(Part part);
  void begin();
  void begin_again(bool rendezvous, Jumps jumps);
  void begin_without_jumps(const NoSteadyStates& found);
  void work();
  bool may_receive();
  bool receive();
  void take_in(int from, const Batch& batch);
  void take_in_early();

  void obey(Order order, ByteReader& words);
  void coordinate(int from, Answer answer, ByteReader& words);
  void go_on(Coordinator::Next next);

  void say();
  template <typename What>
  void answer(Answer word, const What& what);
  void count(const CutStanding& all);
  void go_on_from_cut(const CutComparison& all);
  void report();
  void fail(std::exception_ptr problem);

  const trace::Source& source_;
  const Network& network_;
  ReplayOptions options_; ///< of this attempt
  Bus& bus_;
  Cooperation cooperation_;
  std::optional<Coordinator> coordinator_; ///< on process 0
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<Remote> remote_; ///< ends first: what it holds of open collectives is in the engine's memory
  Phase phase_ = Phase::replaying;
  std::uint64_t batches_received_ = 0; ///< for the engine
  std::uint64_t held_ = 0;             ///< most messages of others that were ever in memory
  std::uint64_t next_progress_ = 0;
  std::uint32_t attempt_ = 0;
  bool rendezvous_ = false;                ///< the attempt is on the rendezvous path from the beginning (Engine)
  bool at_cut_ = false;                    ///< this process has compared, and waits for the others
  std::vector<Bus::Arrival> early_;        ///< of the next attempt, or from behind the cut
  std::optional<SteadyReport> all_played_; ///< on process 0: why, where it was to jump
  LanesApart apart_;                       ///< what ended it, if there are groups
  std::uint32_t idle_steps_ = 0;
  bool said_ = false; ///< in the open wave
};

} // namespace timeless::replay
