#pragma once

#include "replay/engine/share.h"
#include "trace/source.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace timeless::replay {

/// What a receive from any source has received, where that was learnt after it was posted.
struct Resolution {
  trace::CommunicatorId communicator = trace::world_communicator;
  trace::Rank peer = trace::no_rank;
  trace::Tag tag = 0;
};

/// What a replay must know before it comes to it: which sends and receives are cancelled later on, and what receives
/// from any source will have received.
///
/// A receive has its place among the others of its channel from when it is posted, though its source may be learnt
/// later. And where senders wait for receives to be posted, a receive that is cancelled in the end must not let one go
/// on, since another receive takes its message. Looking ahead costs reading the actions of a rank once more: for
/// cancellations at once, of every rank, for sources when a rank first needs one.
class Foresight {
public:
  /// With `care`, cancellations are looked for. The source must outlive this.
  Foresight(const trace::Source& source, Share share, bool care);

  /// True when what this action of the share's rank `number` starts is cancelled later. Without care: false.
  bool cancelled(std::uint32_t number, std::uint64_t action) const;
  /// What the receive from any source has received that this action starts; null when that is never learnt.
  const Resolution* resolution(std::uint32_t number, std::uint64_t action);

private:
  struct Future {
    bool known = false;
    std::vector<std::uint64_t> cancelled;                       ///< actions, rising
    std::vector<std::pair<std::uint64_t, Resolution>> resolved; ///< by action, rising
  };

  static Future read(const trace::Source& source, trace::Rank rank);

  const trace::Source* source_;
  Share share_;
  std::vector<Future> futures_; ///< by rank
};

} // namespace timeless::replay
