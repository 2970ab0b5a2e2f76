#pragma once

#include "base/bytes.h"
#include "replay/simgrid/simgrid_process.h"
#include "replay/smpi/job_play.h"
#include "replay/smpi/link_watch.h"
#include "replay/smpi/machine_failures.h"
#include "replay/smpi/smpi_replay.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace timeless::replay::smpi {

/// Returns what to do where SMPI's replay fails.
std::string advice();

/// Jobs that SMPI simulates together. It is made, and asked for notes, in the parent; run() is for a process of its
/// own.
class Simulation {
public:
  /// Prepares the jobs. All that is given must outlive it. Throws what JobPlay throws.
  Simulation(std::span<const SmpiJob> jobs, const SimgridPlatform& platform, const SmpiOptions& options);

  /// Simulates the jobs to their end. Returns the answer of each, then notes, for a ByteReader.
  std::string run(const ChildReport& report);

  /// Returns what each job's result has to say beside its numbers.
  std::vector<std::string> notes(std::size_t job) const;

private:
  bool ends_with_recordings() const;
  std::string answer(double seconds) const;
  void scale_links() const;
  void watch_links();
  void hand_over(const ChildReport& report);
  void end_where_ranks_die(const std::string& host, const ChildReport& report) const;
  void create_players(JobPlay& job);
  std::string file_note(const SmpiJob& job) const;

  const SimgridPlatform& platform_;
  const SmpiOptions& options_;
  JobPlays jobs_;
  std::size_t ranks_ = 0;
  std::uint64_t actions_ = 0;
  std::uint64_t done_ = 0;
  ByteWriter observed_;
  MachineFailures failures_;
  std::optional<LinkWatch> links_;
};

} // namespace timeless::replay::smpi
