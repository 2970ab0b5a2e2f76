#pragma once

#include "replay/engine/collectives/collectives.h"
#include "replay/engine/collectives/scheduled_collectives.h"
#include "replay/engine/core/core.h"
#include "replay/engine/rendezvous/rendezvous.h"
#include "replay/engine/transfers/files.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace timeless::replay {

/// How requests end, whatever they stand for: completed (completions.cpp), or cancelled and freed
/// (cancel_and_free.cpp). All that it is given must outlive it.
class Completions {
public:
  Completions(Core& core, Rendezvous& rendezvous, Collectives& collectives, ScheduledCollectives& scheduled,
              Files& files)
      : core_(core), rendezvous_(rendezvous), collectives_(collectives), scheduled_(scheduled), files_(files) {}

  /// Takes what a request stands for; false when the rank must wait for it.
  bool complete_one(RankState& rank, std::uint32_t number, trace::RequestId id);
  /// Takes what the requests stand for, at once; false when the rank must wait for some of them.
  bool complete_all(RankState& rank, std::uint32_t number, std::span<const trace::RequestId> ids);
  [[noreturn]] static void fail_completed_twice(trace::RequestId id);
  void cancel(RankState& rank, std::uint32_t number, trace::RequestId id);
  void release(RankState& rank, trace::RequestId id);

private:
  bool ready(RankState& rank, trace::RequestId id);
  bool gather(RankState& rank, std::span<const trace::RequestId> ids, std::size_t& departures);
  void forget(Clock& clock, const Request& request);
  void complete_others(RankState& rank, std::uint32_t number, std::span<const trace::RequestId> ids);
  void complete_other(std::uint32_t number, const Request& request);
  void cancel_receive(std::uint32_t number, Request& request);
  void cancel_send(std::uint32_t number, Request& request);

  Core& core_;
  Rendezvous& rendezvous_;
  Collectives& collectives_;
  ScheduledCollectives& scheduled_;
  Files& files_;
};

} // namespace timeless::replay
