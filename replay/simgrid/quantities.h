#pragma once

#include "base/parsing.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <pugixml.hpp>

namespace timeless::replay {

/// What a number with a unit in a platform file is.
enum class Quantity { speed, bandwidth, time };

/// A number of a platform file with its unit, as SimGrid 3.32 reads "12.5GBps".
struct Reading {
  double value = 0;      ///< in flop/s, bytes/s or seconds
  std::string unit = {}; ///< as written; empty where there is none
};

/// Reads a quantity; nothing where the text is no finite number with a known unit, or none.
std::optional<Reading> read_quantity(Quantity quantity, std::string_view text);

/// Returns what is wrong with a text that read_quantity() does not take, and what to write instead.
std::string explain_quantity(Quantity quantity, std::string_view text);

/// Returns what this quantity's units look like, for advice: "Gf", "GBps" or "us" and so on.
std::string_view units_of(Quantity quantity);
/// Returns the unit that SimGrid takes a bare number for: "f", "Bps" or "s".
std::string_view bare_unit(Quantity quantity);

/// Returns the quantity that an attribute holds, in whatever element; none for attributes that are no quantities.
std::optional<Quantity> quantity_of(std::string_view attribute);

/// Returns the numbers of an attribute that is a quantity: one for each state in a host's speed and for each rate of a
/// radio link's bandwidth, separated by commas; elsewhere one.
std::vector<std::string_view> numbers_of(const pugi::xml_node& node, const pugi::xml_attribute& attribute);

} // namespace timeless::replay
