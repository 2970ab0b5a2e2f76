#pragma once

#include "analysis/calibration/network/network_fit.h"
#include "tools/calibrating/noise.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace timeless::tools {

/// What messages are described by: one of the models of network files.
enum class LinkModel : std::uint8_t { loggp, table, hockney };

/// What stands in a file beside the measurements.
struct FileWords {
  std::string name; ///< of the network
  LinkModel model = LinkModel::loggp;
};

/// Writes a network file (docs/networks.md) of a fit, with what its figures rest on. The same fit gives the same text.
std::string network_text(const analysis::NetworkFit& fit, const FileWords& words);

/// Returns the half round trips of a link by size, a class for each factor of four: what was measured, what the fit
/// says, and the residual (measured over fitted, less 1) with its quartiles.
nlohmann::ordered_json sizes_json(const analysis::LinkCurves& curves);

/// Returns whether larger messages take longer on a line: else its bandwidth is no number.
bool has_bandwidth(const analysis::Line& line);

/// Rounds figures of files to seven digits, so that nobody reads more into them.
double seven_digits(double value);
/// Returns the hosts of all launches, each once, in the order of their ranks.
std::vector<std::string> measured_hosts(const analysis::NetworkFit& fit);
/// Returns how quiet hosts were that started launches, as far as that was measured.
std::vector<Noise> noises(const analysis::NetworkFit& fit);
/// Returns "2026-11-23T01:30:00Z, 5 launches on a, b; Open MPI v4.1.4".
std::string source_words(const analysis::NetworkFit& fit);

} // namespace timeless::tools
