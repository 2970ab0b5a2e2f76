#pragma once

#include <cstdint>
#include <string>

namespace timeless::tools {

/// What a person is told of a timeline that is there.
struct WrittenTimeline {
  std::string file;
  std::string format;
  std::uint64_t bytes = 0;

  /// Returns where to look at it: "open it at https://ui.perfetto.dev".
  std::string how_to_open() const;
};

} // namespace timeless::tools
