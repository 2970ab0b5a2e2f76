#pragma once

#include "base/files/temporary_file.h"
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
  std::filesystem::path keep; ///< where recordings go: DIR/COUNTER-1, DIR/COUNTER-2 ...
  /// No launch is begun from then on, but for the first.
  std::optional<std::chrono::steady_clock::time_point> until = {};
  /// A launch that takes longer is ended; so is one that takes ten times as long as those before, and a minute.
  std::chrono::seconds limit = std::chrono::hours(1);
  /// Called when a recording is where it stays, before it is looked at.
  std::function<void()> recorded = {};
};

/// Records the command as often as planned, and hands each recording to `look` before the next begins. Returns how many
/// there were. What the program prints is not shown; on a terminal a bar shows how far it is. Throws Error(runtime) for
/// a command that fails, does not end in time, is interrupted or records nothing, with what it said first, and for a
/// rank whose clock jumped. Of a launch that fails no recording is left; those before stay.
int launch(const LaunchPlan& plan, const std::function<void(const trace::Source& recording)>& look);

/// The directory that the recordings of several launches go to: one that the user has named, or a temporary one.
class LaunchDirectory {
public:
  /// Takes the directory `named`; where that is empty, one of its own, which is removed in the end, unless a launch
  /// fails after others: they are kept as `saved`, or `saved`-2 and so on.
  LaunchDirectory(std::filesystem::path named, std::filesystem::path saved);

  const std::filesystem::path& path() const { return path_; }

  /// Does what launches the programs. Adds to an Error(runtime) of it where the launches before are, and that --from
  /// reads them.
  void fill(const std::function<void()>& launch_all);

  /// Has a signal that ends this process between two launches leave the recordings likewise.
  void keep_when_interrupted();

private:
  /// Returns where the recordings stay; empty if there are none.
  std::filesystem::path save();
  /// Returns the first name of `saved`, `saved`-2 and so on that is free.
  std::filesystem::path free_name() const;

  std::filesystem::path path_;
  std::filesystem::path saved_;
  std::optional<TemporaryFile> temporary_;
};

/// Returns the recordings that an earlier launch() kept in this directory, by counter and number. Throws
/// Error(invalid_input) where there are none.
std::vector<std::filesystem::path> kept_recordings(const std::filesystem::path& directory);
/// Opens one of them. Throws Error(invalid_input) where it is not whole, or a clock went back in it.
std::unique_ptr<trace::Source> open_launch(const std::filesystem::path& recording);

/// Returns the option --counter of a recording whose volumes are those of this counter: "papi" for PAPI_TOT_INS.
std::string counter_option(const std::string& counter);

/// Returns the words of a command, for people.
std::string in_one_line(const std::vector<std::string>& command);

/// Throws Error(runtime) where the first word names no command, before anything is measured.
void demand_launcher(const std::vector<std::string>& command);

/// Returns the most ranks of the run that one of its hosts has.
std::size_t ranks_per_host(const trace::Run& run);

/// Returns a sentence where more ranks of the run share this host than it has processors; else empty.
std::string why_folded(const trace::Run& run);

} // namespace timeless::tools
