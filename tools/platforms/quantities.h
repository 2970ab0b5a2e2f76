#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace timeless::tools::platforms {

enum class Quantity { speed, bandwidth, time };

/// "12.5GBps" taken apart, with the units SimGrid 3.32 knows.
struct Reading {
  double value = 0;      ///< in flop/s, bytes/s or seconds
  std::string unit = {}; ///< as written; empty where there is none
};

/// Nothing where the text is no finite number with a known unit, or none.
std::optional<Reading> read_quantity(Quantity quantity, std::string_view text);

/// What is wrong with a text that read_quantity() does not take, and what to write instead.
std::string explain_quantity(Quantity quantity, std::string_view text);

/// "Gf", "GBps" or "us" and so on, for advice: what this quantity's units look like.
std::string_view units_of(Quantity quantity);
/// "f", "Bps" or "s": what SimGrid takes a bare number for.
std::string_view bare_unit(Quantity quantity);

/// The quantity an attribute holds, in whatever element; none for attributes that are no quantities.
std::optional<Quantity> quantity_of(std::string_view attribute);

} // namespace timeless::tools::platforms
