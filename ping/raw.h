#pragma once

#include "ping/experiments.h"

#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace timeless::ping {

/// Where measurements were taken.
struct MeasurementContext {
  std::string date;               ///< UTC, "2026-11-23T01:30:00Z"
  std::string library;            ///< what MPI says of itself, its first line
  std::vector<std::string> hosts; ///< by rank
  std::vector<int> nodes;         ///< by rank
  std::uint64_t seed = 0;
  std::uint64_t most_bytes = 0; ///< of the largest message asked for; 0: nobody says
  std::string waiting = {};     ///< what a rank does that waits: "yields" its processor, or "spins"; empty: unknown
  std::string noise = {};       ///< how quiet the host was that started the launch; empty: nobody measured it
  /// Seconds that the launch took by the clock of who started it; infinity where nobody says.
  double elapsed = std::numeric_limits<double>::infinity();
  bool operator==(const MeasurementContext&) const = default;
};

/// Measurements and where they were taken: a raw file, or several put together.
struct Raw {
  std::vector<MeasurementContext> launches;
  struct Line {
    std::size_t launch = 0;
    Measurement measurement;
  };
  std::vector<Line> lines;
  /// Repetitions of collectives that had no common start and are left out, of all launches.
  std::size_t without_common_start = 0;
  std::vector<std::string> cut = {}; ///< what the time did not suffice for; sentences
};

/// With which a raw file begins.
inline constexpr std::string_view format_line = "# format: timeless.ping/1";

/// Writes the raw file's text (docs/calibration.md): lines of `# name: value` for the circumstances, then
/// comma-separated values under a head line. Numbers read back as they were.
std::string head(const MeasurementContext& circumstances);
std::string line(const Measurement& measurement);
/// Writes that so many repetitions of the experiment had no common start and are left out.
std::string without_common_start(Experiment experiment, std::size_t repetitions);
/// Writes how many seconds a launch took by the clock of who started it.
std::string elapsed_line(double seconds);
/// Writes what the time did not suffice for, a sentence.
std::string cut_line(const std::string& sentence);

/// Returns whether a line, with or without its end, may be one of a raw file: among what launchers print it can be
/// told.
bool is_raw_line(std::string_view line);

/// Reads raw files put one after the other, each beginning with its circumstances. `where` names the file in messages.
/// Throws Error(invalid_input) for what no raw file holds, with the line's number; a last line that was cut short is
/// left out, and `cut` is told.
Raw read_raw(
    std::string_view text, const std::string& where, const std::function<void()>& cut = [] {});

} // namespace timeless::ping
