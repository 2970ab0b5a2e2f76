#pragma once

#include "replay/engine/clocks.h"
#include "replay/result/notice_tags.h"
#include "trace/model/ids.h"

#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace timeless::replay {

/// How two members of a window tell each other of an epoch, as messages of no bytes on channels of their own.
struct Notice {
  std::uint32_t to_other = 0;   ///< the channel
  std::uint32_t from_other = 0; ///< the channel
  std::uint32_t row = 0;        ///< of what goes to the other
};

/// One rank's call of one-sided communication.
struct OneSidedCall {
  enum class Act : std::uint8_t {
    transfer,        ///< something moves between the rank and a target
    ask,             ///< a lock: there and back
    ask_all,         ///< a lock of the whole window
    finish,          ///< the rank's transfers come to their end
    finish_and_meet, ///< likewise, then all members meet: a fence
    free,            ///< likewise, and the window is no more
    post,            ///< opens an epoch of exposure to `group`
    start,           ///< opens an epoch of access to `group`
    complete,        ///< ends it
    wait,            ///< ends the epoch of exposure
  };
  Act act = Act::transfer;
  trace::CommunicatorId window = trace::world_communicator;
  bool waits = true;          ///< of a start: for the posts; of a fence: for the transfers
  std::uint32_t row = 0;      ///< between rank and target
  double messages = 0;        ///< of a transfer: ways there or back, one after the other
  double bytes = 0;           ///< of a transfer
  double sent = 0;            ///< of a transfer: bytes to the target
  double overhead = 0;        ///< of a transfer: the rank's own part, seconds
  std::uint32_t instance = 0; ///< in Program::calls
  std::vector<Notice> group = {};
};

/// A rank's epochs on one window, and the transfers it has begun there and not waited for.
struct WindowState {
  Transit transfers;
  bool access = false;
  bool exposure = false;
  std::vector<Notice> targets;        ///< of the epoch of access
  std::vector<Notice> origins;        ///< of the epoch of exposure
  std::vector<std::uint64_t> tickets; ///< of the notices waited for, as many as the group has
};

/// What a replay remembers of one-sided communication and of transfers that requests stand for.
class OneSided {
public:
  explicit OneSided(std::size_t ranks) : ports_(ranks) {}

  Port& port(std::uint32_t number) { return ports_[number]; }
  /// From now on there are so many ranks and threads.
  void make_room(std::size_t ranks) { ports_.resize(ranks); }
  WindowState& window(std::uint32_t number, trace::CommunicatorId window) {
    return windows_[std::uint64_t{number} << 32U | window];
  }
  void forget(std::uint32_t number, trace::CommunicatorId window) {
    windows_.erase(std::uint64_t{number} << 32U | window);
  }

  /// Keeps a transfer until its request is completed; returns its number.
  std::uint32_t keep(Transit way);
  /// The transfer of this number, which is kept no longer.
  Transit release(std::uint32_t number);

private:
  std::vector<Port> ports_;
  std::unordered_map<std::uint64_t, WindowState> windows_; ///< by rank and window
  std::vector<Transit> kept_;
  std::vector<std::uint32_t> free_;
};

} // namespace timeless::replay
