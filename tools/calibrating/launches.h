#pragma once

#include "trace/model/source.h"

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

/// Launching a program to measure it.
namespace timeless::tools {

/// What is launched, and how often.
struct LaunchPlan {
  std::vector<std::string> command; ///< launcher and program
  std::string counter;              ///< "walltime", "cputime", "icount", "papi", ...
  bool timestamps = true;
  std::string profile = {}; ///< events to be profiled beside it; none as a rule
  int launches = 5;
  /// Where recordings stay, DIR/COUNTER-1, DIR/COUNTER-2 ...; empty: they are removed once they were looked at.
  std::filesystem::path keep = {};
  /// No launch is begun from then on, but for the first.
  std::optional<std::chrono::steady_clock::time_point> until = {};
};

/// Records the command as often as planned, and hands each recording to `look` before the next begins. Returns how many
/// there were. What the program prints is not shown. Throws Error(runtime) for a command that fails or records nothing,
/// with what it said first; recordings that are kept stay.
int launch(const LaunchPlan& plan, const std::function<void(const trace::Source& recording)>& look);

/// The recordings that an earlier launch() kept in this directory, by counter and number. Throws Error(invalid_input)
/// where there are none.
std::vector<std::filesystem::path> kept_recordings(const std::filesystem::path& directory);

/// The option --counter of a recording whose volumes are those of this counter: "papi" for PAPI_TOT_INS.
std::string counter_option(const std::string& counter);

/// Returns the words of a command, for people.
std::string in_one_line(const std::vector<std::string>& command);

/// The most ranks of the run that one of its hosts has.
std::size_t ranks_per_host(const trace::Run& run);

/// A sentence where more ranks of the run share this host than it has processors; else empty.
std::string why_folded(const trace::Run& run);

} // namespace timeless::tools
