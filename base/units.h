#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// Quantities as people read and write them.
namespace timeless {

/// Writes a count of things: 1234567 is "1.23 M".
std::string human_count(double count);
/// Writes a number of bytes: 1536 is "1.50 KiB".
std::string human_bytes(double bytes);
/// Writes bytes to the last one, in the largest unit that has no fraction: "128 KiB", "1000 B".
std::string whole_bytes(std::uint64_t bytes);
/// Writes seconds: 0.00123 is "1.230 ms".
std::string human_seconds(double seconds);

/// Reads a time, "3.22us" is 3.22e-6: a number from 0 on and s, ms, us or ns; nothing where the text is no time.
std::optional<double> seconds_in(std::string_view text);
/// Reads a rate, "1GB/s" is 1e9: likewise B/s, kB/s, MB/s, GB/s or TB/s.
std::optional<double> rate_in(std::string_view text);

} // namespace timeless
