#pragma once

#include "trace/model/source.h"

#include <cstdint>
#include <limits>
#include <map>
#include <utility>

namespace timeless::trace::formats {

/// Numbers for what MPI tells apart by communicator and SimGrid's text does not.
class TiTags {
public:
  /// Throws Error(missing_capability) when there are not as many tags.
  explicit TiTags(const Source& source);

  Tag message(CommunicatorId communicator, Tag tag) const {
    return communicator == world_communicator ? tag : others_.at({communicator, tag});
  }
  Tag collective(CommunicatorId communicator) const { return others_.at({communicator, collectives}); }

private:
  static constexpr std::int64_t collectives = std::int64_t{std::numeric_limits<Tag>::min()} - 1;
  using Key = std::pair<CommunicatorId, std::int64_t>;

  std::map<Key, Tag> others_;
};

} // namespace timeless::trace::formats
