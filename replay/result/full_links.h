#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace timeless::replay {

/// A part of a run; seconds since its start.
struct Period {
  double begin = 0;
  double end = 0;
};

/// Messages that a full link slowed down, and by how much.
struct SlowedMessages {
  std::uint64_t messages = 0;
  double seconds = 0; ///< longer than alone, summed over the messages
};

/// A link that was full: messages on it went slower than alone.
struct FullLink {
  std::string name = {};
  double bandwidth = 0;             ///< bytes per second
  double seconds = 0;               ///< for how long it was full
  SlowedMessages slowed = {};       ///< where several links of a message were full, the one with most messages
  std::uint64_t most_at_once = 0;   ///< messages that it slowed down at a time
  std::vector<Period> periods = {}; ///< in which it was full, rising; those closest to each other are joined
  /// By what the sending host computed last when the message set out: its ranks' kernel, of several ranks' kernels that
  /// of most; or no_subject.
  std::map<std::uint32_t, SlowedMessages> kernels = {};
};

} // namespace timeless::replay
