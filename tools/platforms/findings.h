#pragma once

#include "base/error.h"
#include "base/processes/apart.h"
#include "replay/simgrid/xml_file.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace timeless::tools::platforms {

using replay::XmlFile;

/// Whether a finding of a platform file is a mistake.
enum class Severity { mistake, remark };

/// Something in a platform file that is wrong, or worth a look.
struct Finding {
  Severity severity = Severity::mistake;
  std::size_t line = 0; ///< 0 where it is of the whole file
  std::string what = {};
  std::string advice = {}; ///< what to write instead
  /// Of a mistake: how a replay ends that meets it.
  Failure failure = Failure::invalid_input;
};

using Findings = std::vector<Finding>;

/// Checks the head: DOCTYPE, <platform> and its version.
void check_head(const XmlFile& file, Findings& findings);
/// Checks elements and attributes: unknown, old, missing or in the wrong place.
void check_structure(const XmlFile& file, Findings& findings);
/// Checks numbers with units: unknown or missing units, zero bandwidths and speeds.
void check_quantities(const XmlFile& file, Findings& findings);
/// Checks clusters: radical, topology and its parameters, loopback.
void check_clusters(const XmlFile& file, Findings& findings);
/// Checks <config>: unknown settings, factors and thresholds. `known` holds the settings of this SimGrid.
void check_settings(const XmlFile& file, std::span<const std::string> known, Findings& findings);
/// Checks names: what is defined twice, and routes over what is not defined.
void check_references(const XmlFile& file, Findings& findings);

/// Finds what loads but is not replayed as it stands: WIFI links, which no backend can, and profiles.
void check_replay(const XmlFile& file, Findings& findings);

/// Checks all of the above, in the order of the lines. Looks at the text only; SimGrid has the last word
/// (check_by_loading).
Findings check_text(const XmlFile& file, std::span<const std::string> known_settings);

/// Returns what SimGrid itself says of the file: why it does not load, what it warns of, pairs of hosts without a
/// route. `progress` is told how many pairs it has looked at.
Findings check_by_loading(const XmlFile& file, const ChildProgress& progress = {});

bool has_mistakes(const Findings& findings);

} // namespace timeless::tools::platforms
