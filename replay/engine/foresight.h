#pragma once

#include "replay/engine/share.h"
#include "trace/source.h"

#include <cstdint>
#include <vector>

namespace timeless::replay {

/// What a replay must know before it comes to it: which sends and receives are cancelled later on.
///
/// Where senders wait for receives to be posted, a receive that is cancelled in the end must not let one go on, since
/// another receive takes its message. Looking ahead costs reading the actions once more.
class Foresight {
public:
  /// Foresees nothing.
  Foresight() = default;
  Foresight(const trace::Source& source, Share share);

  /// True when what this action of the share's rank `number` starts is cancelled later.
  bool cancelled(std::uint32_t number, std::uint64_t action) const;

private:
  std::vector<std::vector<std::uint64_t>> cancelled_; ///< actions, by rank, rising
};

} // namespace timeless::replay
