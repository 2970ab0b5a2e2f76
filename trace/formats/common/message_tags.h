#pragma once

#include "trace/model/source.h"

#include <cstdint>
#include <map>
#include <set>
#include <utility>

namespace timeless::trace::formats {

/// What a run's messages are told apart by.
struct UsedTags {
  Tag largest = 0;                                   ///< of MPI_COMM_WORLD's messages
  std::set<std::pair<CommunicatorId, Tag>> messages; ///< of other communicators
  std::set<CommunicatorId> collectives;              ///< communicators that have some, or are made
  std::set<CommunicatorId> windows;                  ///< and those on which all meet for their window
};

/// Reads all of a run.
UsedTags used_tags(const Source& source);

/// Tags for formats that have no communicators: a message of MPI_COMM_WORLD keeps its tag, others get one that no other
/// message has.
class MessageTags {
public:
  /// Reads all of the run. Throws Error(missing_capability) where there are not enough tags.
  explicit MessageTags(const Source& source);

  Tag message(CommunicatorId communicator, Tag tag) const;
  /// Returns the tag of the messages of a communicator's call-th collective. Several of them may be under way:
  /// neighbours in their row have different tags.
  Tag collective(CommunicatorId communicator, std::uint64_t call) const;

private:
  std::map<std::pair<CommunicatorId, Tag>, Tag> messages_; ///< of communicators other than MPI_COMM_WORLD
  std::map<CommunicatorId, Tag> collectives_;              ///< the first of each communicator's
};

} // namespace timeless::trace::formats
