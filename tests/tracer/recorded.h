#pragma once

#include "tests/temporary_directory.h"
#include "trace/model/action.h"
#include "trace/model/run.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

/// Running programs with and without the tracer, and what they left behind.
namespace timeless::test {

/// How a program ran.
struct Outcome {
  int status = 0; ///< exit status as a shell gives it
  std::string output;
  std::string errors;
};

/// What is launched to be recorded.
struct Job {
  int ranks = 0; ///< 0: without mpirun
  std::string program = {};
  std::string arguments = {};
  std::string environment = {}; ///< "NAME=value NAME=value"
  /// The environment is the launcher's, too, from which processes have it that are started later.
  bool around_launcher = false;
};

/// Returns the name of the MPI that the tested programs are built with, as its version begins.
std::string tested_mpi();
/// Returns the path of one of them.
std::string tested_program(const std::string& name);

/// Returns a file as text; empty where there is none.
std::string content(const std::filesystem::path& path);

Outcome run_plain(const Job& job);
/// Runs a job with libtimeless.so preloaded, TIMELESS_COUNTER=none unless the job says otherwise, and the trace in
/// `directory`.
Outcome run_traced(const Job& job, const std::filesystem::path& directory);

/// An action and what its lists held, to keep beyond its block.
struct Kept {
  trace::Action action; ///< lists empty
  std::vector<trace::RequestId> requests;
  std::vector<trace::Bytes> counts;
  std::vector<trace::Bytes> receive_counts;
  std::vector<trace::Rank> ranks;
  bool operator==(const Kept&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Kept& kept);

/// An action that carries a volume.
struct Volume {
  trace::ActionKind kind;
  std::uint64_t volume;
  bool operator==(const Volume&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Volume& volume);

/// One rank's file, read.
struct RecordedRank {
  trace::Run run;
  bool finished = false;
  std::vector<Kept> actions;          ///< without a volume
  std::vector<std::uint64_t> volumes; ///< of the rank's own computation
  std::vector<Volume> all_volumes;    ///< and of its workers

  const trace::RankRecord& record() const { return run.ranks.at(0); }
  std::vector<Kept> of_kind(trace::ActionKind kind) const;
};

/// Returns the kinds of a rank's actions without a volume, in their order.
std::vector<trace::ActionKind> kinds(const RecordedRank& rank);

/// Reads the ranks' files of a directory, by rank.
std::vector<RecordedRank> read_recording(const std::filesystem::path& directory);

/// A program run without the tracer and with it.
struct Recording {
  Outcome plain;
  Outcome traced;
  std::vector<RecordedRank> trace; ///< empty when the traced program failed
};
Recording record_beside_plain(const Job& job);
inline constexpr int recorded_ranks = 4;
/// Records the program on so many ranks, once for all tests; the program gets the name of a file it may make.
const Recording& recording_of(const std::string& program);

/// A program run with the tracer.
struct TracedRun {
  Outcome outcome;
  std::vector<RecordedRank> ranks; ///< empty where there is no trace
};
TracedRun record_traced(const Job& job);

} // namespace timeless::test
