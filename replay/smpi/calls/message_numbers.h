#pragma once

#include "trace/model/ids.h"

#include <compare>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace timeless::replay::smpi {

/// The messages from one rank to another in a communicator.
struct NumberedMessages {
  struct Counts {
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
    std::uint64_t probed = 0; ///< by probes, and not yet received
  };
  std::map<trace::Tag, Counts> counts;
  std::map<std::pair<trace::Tag, std::uint64_t>, int> known; ///< by tag and place among its messages
  std::vector<int> free;
  int next = 0;
};

/// A message's number, which SMPI takes for its tag.
struct MessageNumber {
  NumberedMessages* of = nullptr; ///< null: none
  trace::Tag tag = 0;
  std::uint64_t place = 0;
  int number = 0;
};

/// The messages of a run with ranks that have several threads. In which order threads come to SMPI is up to time, but
/// who receives what is not: the nth message sent with a tag, in the sender's recorded order, is for the nth receive
/// in the receiver's. So both are given the same number, instead of the tag.
class MessageNumbers {
public:
  /// The direction of messages, by their ends' places in the communicator.
  struct Direction {
    trace::CommunicatorId communicator = 0;
    int from = 0;
    int to = 0;
    auto operator<=>(const Direction&) const = default;
  };

  /// No message has this number.
  static constexpr int nobodys = 0x7ffffff0;

  /// Returns the number of the next message sent.
  MessageNumber send(const Direction& direction, trace::Tag tag);
  /// Returns the number of the next message received; `probed` tells whether a probe has had it.
  MessageNumber receive(const Direction& direction, trace::Tag tag, bool& probed);
  /// Returns the number of the message that a probe finds, which takes it from others' sight where it is a matched one;
  /// none where a probe has already found it.
  MessageNumber probe(const Direction& direction, trace::Tag tag, bool matched);
  /// Gives a number back when its message has been received: it may be another's.
  static void give_back(MessageNumber& number);

private:
  static MessageNumber at(NumberedMessages& messages, trace::Tag tag, std::uint64_t place);

  std::map<Direction, NumberedMessages> directions_;
};

} // namespace timeless::replay::smpi
