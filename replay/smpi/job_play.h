#pragma once

#include "replay/smpi/calls/job_context.h"
#include "replay/smpi/calls/trace_scan.h"
#include "replay/smpi/job_answer.h"
#include "replay/smpi/ranks/rank_player.h"
#include "replay/smpi/smpi_replay.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace timeless::replay::smpi {

/// One job of a simulation: what its ranks share, and who plays them.
class JobPlay {
public:
  /// Throws Error(usage) for a mapping of another run, Error(invalid_input) for communicators of ranks that there are
  /// not, or for computation that no machine does.
  JobPlay(const SmpiJob& job, std::size_t number, const SimgridPlatform& platform, const SmpiOptions& options);
  JobPlay(JobPlay&&) = delete;

  JobContext& context() { return context_; }
  const TraceScan& scan() const { return scan_; }
  std::vector<RankPlayer>& players() { return players_; }
  const std::vector<RankPlayer>& players() const { return players_; }
  const SmpiJob& job() const { return job_; }

  /// Returns what the players have done so far.
  JobAnswer answer(double cpu_seconds) const;

private:
  SmpiJob job_;
  TraceScan scan_;
  JobContext context_;
  std::vector<RankPlayer> players_;
};

using JobPlays = std::vector<std::unique_ptr<JobPlay>>;

} // namespace timeless::replay::smpi
