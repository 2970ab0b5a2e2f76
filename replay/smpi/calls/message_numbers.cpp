#include "replay/smpi/calls/message_numbers.h"

namespace timeless::replay::smpi {

MessageNumber MessageNumbers::at(NumberedMessages& messages, trace::Tag tag, std::uint64_t place) {
  const auto [known, added] = messages.known.try_emplace({tag, place}, 0);
  if (added) {
    if (messages.free.empty()) messages.free.push_back(messages.next++);
    known->second = messages.free.back();
    messages.free.pop_back();
  }
  return {.of = &messages, .tag = tag, .place = place, .number = known->second};
}

MessageNumber MessageNumbers::send(const Direction& direction, trace::Tag tag) {
  NumberedMessages& messages = directions_[direction];
  return at(messages, tag, messages.counts[tag].sent++);
}

MessageNumber MessageNumbers::receive(const Direction& direction, trace::Tag tag, bool& probed) {
  NumberedMessages& messages = directions_[direction];
  NumberedMessages::Counts& counts = messages.counts[tag];
  probed = counts.probed > 0;
  if (probed) --counts.probed;
  return at(messages, tag, counts.received++);
}

MessageNumber MessageNumbers::probe(const Direction& direction, trace::Tag tag, bool matched) {
  NumberedMessages& messages = directions_[direction];
  NumberedMessages::Counts& counts = messages.counts[tag];
  if (counts.probed > 0 && !matched) return {};
  return at(messages, tag, counts.received + counts.probed++);
}

void MessageNumbers::give_back(MessageNumber& number) {
  if (number.of == nullptr) return;
  number.of->known.erase({number.tag, number.place});
  number.of->free.push_back(number.number);
  number.of = nullptr;
}

} // namespace timeless::replay::smpi
