#pragma once

#include <span>
#include <string_view>

namespace timeless::tools::platforms {

/// What SimGrid's format 4.1 says of an element, after its DTD (https://simgrid.org/simgrid.dtd).
struct Element {
  std::string_view name;
  std::string_view required; ///< attributes, parted by spaces
  std::string_view optional;
  std::string_view inside; ///< the elements it may stand in
};

/// Returns an element; nothing where format 4.1 has none of the name.
const Element* element_named(std::string_view name);
/// Returns whether a list parted by spaces holds a word.
bool lists(std::string_view words, std::string_view word);

/// An old name and what format 4.1 calls the same.
struct Renamed {
  std::string_view before;
  std::string_view now;
};

/// Returns elements of format 3 and earlier spellings.
std::span<const Renamed> renamed_elements();
/// Returns renamed attributes, whatever they stand in.
std::span<const Renamed> renamed_attributes();
/// Returns renamed settings of <config>.
std::span<const Renamed> renamed_settings();
/// Returns the new name; empty where the name is not an old one.
std::string_view new_name(std::span<const Renamed> table, std::string_view before);

} // namespace timeless::tools::platforms
