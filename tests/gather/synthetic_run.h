#pragma once

#include "tests/temporary_directory.h"
#include "trace/codec/definitions/definitions.h"
#include "trace/model/source.h"

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

/// Rank files as a recorder would leave them, without running MPI: every rank numbers its communicators, kernels and
/// modules in its own order.
namespace timeless::test {

/// A run to be written as rank files.
struct SyntheticRun {
  trace::Rank size = 4;
  int rounds = 50;            ///< of a ring of messages in each communicator, a computation and a collective
  std::uint64_t identity = 7; ///< of the run
  trace::Counter counter = {
      .name = "icount", .version = "1", .unit = trace::VolumeUnit::instructions, .exactness = trace::Exactness::exact};
  int ranks_per_host = 2;
  std::size_t actions_per_block = 16;
  bool timed = false; ///< every action has times
  int noise = 0;      ///< further computations in each round, of volumes that no compression makes smaller
};

/// How one rank's file departs from the others.
struct RankFileVariation {
  bool finish = true;               ///< write the index and the footer
  bool finalize = true;             ///< end with a finalize action and the rank's last record
  std::string stopped_because = {}; ///< when given, the record says Ending::stopped with this reason
  /// Changes what the file says of the run.
  std::function<void(trace::Definitions&)> change = {};
};

/// Returns what a rank's file says that a kernel has counted.
std::vector<std::uint64_t> profile_of(trace::Rank rank, const trace::Kernel& kernel);

/// Writes DIRECTORY/rank-<rank>.tia; returns its path.
std::filesystem::path write_rank_file(const SyntheticRun& run, trace::Rank rank, const std::filesystem::path& directory,
                                      const RankFileVariation& variation = {});
std::vector<std::filesystem::path> write_rank_files(const SyntheticRun& run, const std::filesystem::path& directory);

/// Returns a rank's actions in words that do not depend on how communicators, kernels and modules are numbered.
std::vector<std::string> actions_in_words(const trace::Source& source, trace::Rank rank);

/// Returns every file below a directory with its content: equal before and after when nothing was touched.
std::vector<std::pair<std::string, std::string>> contents(const std::filesystem::path& directory);

} // namespace timeless::test
