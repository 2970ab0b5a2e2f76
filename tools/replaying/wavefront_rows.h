#pragma once

#include "analysis/wavefront/wavefront.h"
#include "tools/cli/trace_format.h"
#include "tools/machines/preset_machine.h"

#include "replay/network/network_file.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace timeless::tools {

/// What a person asks of `timeless model wavefront`.
struct WavefrontRequest {
  std::string grid = "64x64x64";
  std::string ranks = "1,2,4,8,16,32";
  std::string work;         ///< "blts=3.22us,..."; empty: the paper's
  std::string measured;     ///< "2=13.4s,..."
  std::string initialising; ///< a time; empty: none
  std::string verifying;
  std::uint64_t iterations = 250;
  std::uint64_t bytes_of_point = 40;
  std::uint32_t ranks_per_node = 1;
  std::string network = "lam-mpi-c";
  std::vector<std::string> recordings;
  TraceFormat from;
  double compute_rate = 0;
  std::string rates;
};

/// A wavefront on one number of ranks, in seconds.
struct WavefrontRow {
  analysis::Wavefront wavefront;
  analysis::WavefrontTimes equations;
  double program = 0;                   ///< makespan of a replay of what the equations describe
  std::optional<double> recording = {}; ///< makespan of a replay of what was recorded
  bool comparable = true;               ///< the recording is of the program that the equations describe
  std::optional<double> measured = {};  ///< as said, else as recorded with times if comparable

  /// Returns the replay of the recording, where others may be compared with it.
  std::optional<double> comparable_recording() const { return comparable ? recording : std::nullopt; }
  /// Returns how far a time is from what was measured, or else from the replay that is closest to it; relative to that.
  double error_of(double seconds) const;
};

/// The equations of a wavefront beside replays of it.
struct WavefrontRows {
  replay::NetworkDescription network;
  std::vector<WavefrontRow> rows;        ///< by rising number of ranks
  std::string compute;                   ///< what the replays of recordings rest on; empty without recordings
  std::vector<std::string> assumed_work; ///< what a point takes by the paper and not by the request: "blts", ...
  std::vector<std::string> notes;        ///< in what recordings differ from the wavefront that is asked for
};

/// Computes the equations and replays for every number of ranks asked for or recorded. Throws Error(usage) for what
/// the words of a request do not mean, Error(invalid_input) for recordings whose messages are no wavefront's, and as
/// predict() does for recordings.
WavefrontRows wavefront_rows(const WavefrontRequest& request);

} // namespace timeless::tools
