#pragma once

#include <string>

/// Quantities for people to read.
namespace timeless {

/// 1234567 -> "1.23 M"; counts of things.
std::string human_count(double count);
/// 1536 -> "1.50 KiB".
std::string human_bytes(double bytes);
/// 0.00123 -> "1.230 ms".
std::string human_seconds(double seconds);

} // namespace timeless
