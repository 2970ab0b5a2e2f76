#pragma once

#include "trace/source.h"

#include <cstdint>
#include <functional>
#include <map>
#include <utility>

namespace timeless::trace::formats {

/// Reads all of a run for what needs tags in formats that have no communicators: calls `message` with the communicator
/// and the tag of each message, `meeting` with each action whose members meet.
void visit_tags(const Source& source, const std::function<void(CommunicatorId, Tag)>& message,
                const std::function<void(const Action&)>& meeting);

/// Tags for formats that have no communicators: a message of MPI_COMM_WORLD keeps its tag, others get one that no other
/// message has.
class MessageTags {
public:
  /// Reads all of the run. Throws Error(missing_capability) where there are not enough tags.
  explicit MessageTags(const Source& source);

  Tag message(CommunicatorId communicator, Tag tag) const;
  /// Of the messages of a communicator's call-th collective. Several of them may be under way: neighbours in their
  /// row have different tags.
  Tag collective(CommunicatorId communicator, std::uint64_t call) const;

private:
  std::map<std::pair<CommunicatorId, Tag>, Tag> messages_; ///< of communicators other than MPI_COMM_WORLD
  std::map<CommunicatorId, Tag> collectives_;              ///< the first of each communicator's
};

} // namespace timeless::trace::formats
