#include "trace/formats/ti/ti_tags.h"

#include "base/error.h"
#include "trace/formats/common/message_tags.h"

namespace timeless::trace::formats {

TiTags::TiTags(const Source& source) {
  const UsedTags used = used_tags(source);
  for (const auto& key : used.messages)
    others_.emplace(key, 0);
  for (const CommunicatorId communicator : used.collectives)
    others_.emplace(Key{communicator, collectives}, 0);
  // One after the other behind those of MPI_COMM_WORLD, the same for all ranks.
  std::int64_t next = std::int64_t{used.largest} + 1;
  for (auto& [key, number] : others_) {
    if (next > std::numeric_limits<Tag>::max())
      throw Error(Failure::missing_capability, "the messages of communicators other than MPI_COMM_WORLD need more "
                                               "tags than there are");
    number = static_cast<Tag>(next++);
  }
}

} // namespace timeless::trace::formats
