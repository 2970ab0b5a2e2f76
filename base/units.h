#pragma once

#include <optional>
#include <string>
#include <string_view>

/// Quantities as people read and write them.
namespace timeless {

/// 1234567 -> "1.23 M"; counts of things.
std::string human_count(double count);
/// 1536 -> "1.50 KiB".
std::string human_bytes(double bytes);
/// 0.00123 -> "1.230 ms".
std::string human_seconds(double seconds);

/// "3.22us" -> 3.22e-6: a number from 0 on and s, ms, us or ns; nothing where the text is no time.
std::optional<double> seconds_in(std::string_view text);
/// "1GB/s" -> 1e9: likewise B/s, kB/s, MB/s, GB/s or TB/s.
std::optional<double> rate_in(std::string_view text);

} // namespace timeless
