#pragma once

#include "replay/simgrid/xml_file.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace timeless::replay {

/// A figure in a platform file that no machine has, or that SimGrid cannot compute with.
struct ImpossibleFigure {
  std::size_t line = 0;
  std::string what = {};
  std::string advice = {}; ///< what to write instead
};

/// Returns, in the order of the file: speeds and bandwidths that are not above 0, negative times, quantities that are
/// no finite number with a unit that SimGrid knows, or so large or small that replays could not add up times; cores,
/// states and coordinates of which SimGrid would read the beginning only; settings in <config> and overheads of hosts
/// outside of the range in which SimGrid works; and profiles that no replay can follow. A state in which a host is not
/// may have speed 0: it may stand for a host that is off.
std::vector<ImpossibleFigure> impossible_figures(const XmlFile& file);

/// Returns the name that SimGrid 3.32 has for a setting that older files call otherwise: smpi/async_small_thres is
/// smpi/async-small-thresh.
std::string present_name(std::string_view setting);

} // namespace timeless::replay
