#pragma once

#include "replay/simgrid/xml_file.h"

#include <string>
#include <vector>

namespace timeless::tools::platforms {

using replay::XmlFile;

/// A file in format 4.1, and what had to change.
struct Upgraded {
  std::string text;
  std::vector<std::string> changes; ///< a sentence each, with how often
};

/// Rewrites a file of format 3 or 4 in format 4.1: names of elements, attributes and settings, units for bare numbers,
/// DOCTYPE and version. Comments and line breaks between elements stay. Throws Error(invalid_input) for older formats,
/// which had other units.
///
/// SimGrid's own simgrid_update_xml replaces words line by line, in comments and names too, adds no units and leaves
/// old settings as they are.
Upgraded upgrade(XmlFile file);

} // namespace timeless::tools::platforms
