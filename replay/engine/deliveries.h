#pragma once

#include "replay/engine/collectives/collectives.h"
#include "replay/engine/collectives/scheduled_collectives.h"
#include "replay/engine/core/core.h"
#include "replay/engine/rendezvous/rendezvous.h"

#include <cstdint>

namespace timeless::replay {

/// What other engines tell this one of their ranks: messages, collectives, and what became of them. Needs a core with a
/// Remote; all that it is given must outlive it.
class Deliveries {
public:
  Deliveries(Core& core, Rendezvous& rendezvous, Collectives& collectives, ScheduledCollectives& scheduled)
      : core_(core), rendezvous_(rendezvous), collectives_(collectives), scheduled_(scheduled) {}

  /// Does what process `from` tells. Throws Error(runtime) for what makes no sense.
  void deliver(int from, const Batch& batch);
  /// Returns the number of messages from other processes that no rank has taken yet.
  std::uint64_t messages_held();

private:
  void learn_channel(int from, std::uint32_t number, ByteReader& words);
  void receive_message(int from, std::uint32_t number, ByteReader& words);
  void receive_step(int from, const InstanceId& id, ByteReader& words);
  void receive_unsend(Remote::Arriving& arriving, std::uint64_t ticket);

  Core& core_;
  Rendezvous& rendezvous_;
  Collectives& collectives_;
  ScheduledCollectives& scheduled_;
};

} // namespace timeless::replay
