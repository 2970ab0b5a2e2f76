#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace timeless::tools {

/// Returns bytes of what a person types: "512M", "1.5G", "2GiB", "800MB", "4096". K, M, G and T are powers of 1024,
/// alone or with iB; kB, MB, GB and TB are powers of 1000. Empty when it is none of these, 0, or beyond 2^60.
std::optional<std::uint64_t> parse_size(std::string_view text);

/// Memory that is kept free of ranks on every node.
struct Reserve {
  double share = 0.1;      ///< of the node's memory
  std::uint64_t bytes = 0; ///< and so much
};

/// Reads "10%", or a size. Returns nothing when it is neither, or 100 % and more.
std::optional<Reserve> parse_reserve(std::string_view text);

} // namespace timeless::tools
