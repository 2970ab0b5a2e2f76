#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace timeless::tools::platforms {

/// How quiet a host was when a platform was measured: shares of the median time of a loop, as analysis::Quietness.
struct HeadNoise {
  double spread = 0;
  double worst = 0;
  std::string host;
};

/// What the comment at a file's head says: its first sentence, and the words behind "Trust:" and "Overheads:".
struct Head {
  std::string description;
  std::string trust; ///< "measured", "published", "vendor" or "assumed"; empty where it does not say
  /// What the processors' overheads (smpi/os, ois, or) rest on: "measured", "measured within latencies", "published",
  /// "assumed" or "none"; empty where it does not say.
  std::string overheads;
  /// The largest messages that were measured, where it says so ("Largest message between nodes: 4194304 bytes").
  std::optional<std::uint64_t> largest_between_nodes = {};
  std::optional<std::uint64_t> largest_within_node = {};
  std::vector<HeadNoise> noise = {};         ///< "Noise: a loop of 1 ms varied by 7.2 % on a, and one in 20 took ..."
  std::vector<std::string> not_reached = {}; ///< sentences behind "Not reached:"
};
Head head_of(const std::filesystem::path& file);

} // namespace timeless::tools::platforms
