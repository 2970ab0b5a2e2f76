#include "trace/formats/message_tags.h"

#include "trace/error.h"

#include <algorithm>
#include <limits>

namespace timeless::trace::formats {

namespace {

constexpr Tag collectives_told_apart = 16;

void visit_tags_of(const Action& action, const std::function<void(CommunicatorId, Tag)>& message,
                   const std::function<void(const Action&)>& meeting) {
  switch (family(action.kind)) {
  case ActionFamily::point_to_point:
    message(action.communicator, action.tag);
    if (action.kind == ActionKind::exchange || action.kind == ActionKind::exchange_replace)
      message(action.communicator, action.receive_tag);
    return;
  case ActionFamily::request:
    if (action.kind == ActionKind::resolved) message(action.communicator, action.tag);
    return;
  case ActionFamily::collective:
  case ActionFamily::communicator:
  case ActionFamily::window:
    return meeting(action);
  default:
    return;
  }
}

} // namespace

void visit_tags(const Source& source, const std::function<void(CommunicatorId, Tag)>& message,
                const std::function<void(const Action&)>& meeting) {
  for (const RankRecord& record : source.run().ranks) {
    ActionBlock block;
    for (const auto stream = source.open(record.rank); stream->next(block);)
      for (const Action& action : block.dictionary())
        visit_tags_of(action, message, meeting);
  }
}

MessageTags::MessageTags(const Source& source) {
  Tag largest = 0;
  visit_tags(
      source,
      [&](CommunicatorId communicator, Tag tag) {
        if (communicator == world_communicator)
          largest = std::max(largest, tag);
        else
          messages_.try_emplace({communicator, tag}, 0);
      },
      [&](const Action& action) {
        collectives_.try_emplace(action.communicator, 0);
        if (action.new_communicator != no_communicator) collectives_.try_emplace(action.new_communicator, 0);
      });
  std::int64_t next = std::int64_t{largest} + 1;
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
