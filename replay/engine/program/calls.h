#pragma once

#include "replay/result/notice_tags.h"
#include "trace/model/ids.h"

#include <cstdint>
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

/// One rank's call on a file.
struct FileCall {
  enum class Act : std::uint8_t {
    alone,    ///< this rank by itself
    together, ///< with all who have opened the file
    begin,    ///< the first half of a split collective
    end,      ///< the second
  };
  Act act = Act::alone;
  trace::CommunicatorId file = trace::world_communicator;
  trace::Bytes bytes = 0;
  std::uint32_t instance = 0; ///< in Program::calls
};

} // namespace timeless::replay
