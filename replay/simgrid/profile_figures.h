#pragma once

#include "replay/simgrid/impossible_figures.h"
#include "replay/simgrid/xml_file.h"

#include <vector>

namespace timeless::replay {

/// Returns what the profiles of a platform file hold, inline or in files, that no replay can follow: values that are no
/// numbers or on no machine (speeds from 1e-9 to 1e9 of the host's, bandwidths from 1 to 1e30 bytes/s, latencies from 0
/// to 1000 s), distributions that may draw such, dates that are not in order, and loops shorter than a microsecond,
/// over which a simulation does not come to its end. The lines are those of the platform file, in which the words say
/// where in a profile it is. Files that are not there are left to SimGrid.
std::vector<ImpossibleFigure> impossible_profiles(const XmlFile& file);

} // namespace timeless::replay
