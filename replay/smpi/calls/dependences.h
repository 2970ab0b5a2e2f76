#pragma once

#include "replay/smpi/calls/messages.h"
#include "replay/smpi/calls/requests.h"
#include "trace/model/thread_uses.h"

#include <memory>
#include <vector>

namespace timeless::replay::smpi {

struct ThreadTime;

/// An action of another thread that must have ended before an action begins. Where it left its time, the action takes
/// that.
using Dependence = trace::ThreadUse<ThreadTime>;

/// What an action has to do with those of the rank's other threads.
struct Dependences {
  std::vector<Dependence> on;
  MessageTags tags;
  std::vector<std::shared_ptr<Pending>> pending; ///< of the requests it begins, completes or frees
  std::shared_ptr<ThreadTime> ended_at = {};     ///< filled in when the action has ended; null where nobody asks
};

} // namespace timeless::replay::smpi
