#include "trace/formats/common/message_tags.h"

#include "base/error.h"

#include <algorithm>
#include <limits>

namespace timeless::trace::formats {

namespace {

constexpr Tag collectives_told_apart = 16;

void look(const Action& action, UsedTags& used) {
  const auto message = [&](Tag tag) {
    if (action.communicator == world_communicator)
      used.largest = std::max(used.largest, tag);
    else
      used.messages.emplace(action.communicator, tag);
  };
  switch (family(action.kind)) {
  case ActionFamily::point_to_point:
    message(action.tag);
    if (exchanges_messages(action.kind)) message(action.receive_tag);
    return;
  case ActionFamily::request:
    if (action.kind == ActionKind::resolved) message(action.tag);
    return;
  case ActionFamily::collective:
  case ActionFamily::communicator:
    used.collectives.insert(action.communicator);
    if (action.new_communicator != no_communicator) used.collectives.insert(action.new_communicator);
    return;
  case ActionFamily::window:
    used.windows.insert(action.communicator);
    if (action.new_communicator != no_communicator) used.windows.insert(action.new_communicator);
    return;
  default:
    return;
  }
}

} // namespace

UsedTags used_tags(const Source& source) {
  UsedTags used;
  for (const RankRecord& record : source.run().ranks) {
    ActionBlock block;
    for (const auto stream = source.open(record.rank); stream->next(block);)
      for (const Action& action : block.dictionary())
        look(action, used);
  }
  return used;
}

MessageTags::MessageTags(const Source& source) {
  const UsedTags used = used_tags(source);
  for (const auto& key : used.messages)
    messages_.emplace(key, 0);
  for (const auto* const numbered : {&used.collectives, &used.windows})
    for (const CommunicatorId communicator : *numbered)
      collectives_.emplace(communicator, 0);
  std::int64_t next = std::int64_t{used.largest} + 1;
  const auto give = [&](Tag& number, Tag how_many) {
    if (next + how_many - 1 > std::numeric_limits<Tag>::max())
      throw Error(Failure::missing_capability, "the messages of collectives and of communicators other than "
                                               "MPI_COMM_WORLD need more tags than there are");
    number = static_cast<Tag>(next);
    next += how_many;
  };
  for (auto& [key, number] : messages_)
    give(number, 1);
  for (auto& [communicator, first] : collectives_)
    give(first, collectives_told_apart);
}

Tag MessageTags::message(CommunicatorId communicator, Tag tag) const {
  return communicator == world_communicator ? tag : messages_.at({communicator, tag});
}

Tag MessageTags::collective(CommunicatorId communicator, std::uint64_t call) const {
  return collectives_.at(communicator) + static_cast<Tag>(call % collectives_told_apart);
}

} // namespace timeless::trace::formats
