#pragma once

#include "gather/merge/merge.h"
#include "gather/tree/arity.h"

#include <mpi.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace timeless::gather {

/// What is gathered, and into which file.
struct GatherOptions {
  std::filesystem::path directory; ///< of rank files, as this process sees it
  std::filesystem::path output;    ///< as the first process sees it
  /// Of the tree; none for what a short measurement suggests. The first process's counts.
  std::optional<int> arity = 4;
  bool force = false;  ///< replace an existing output
  bool remove = false; ///< as MergeOptions::remove; the first process's counts
  /// For tests: what makes a node, instead of shared memory. Empty on all processes, or on none.
  std::string node_name = {};
  /// Called on the first process with the bytes that have reached it so far, and all that will.
  std::function<void(std::uint64_t done, std::uint64_t total)> progress = {};
};

/// What was gathered, and how.
struct Gathered {
  Merged merged;
  int nodes = 0;
  int steps = 0;
  int arity = 0;
  std::optional<Speeds> measured = {}; ///< where the arity was left to a measurement
};

/// Gathers the rank files of a run that lie on several nodes into one archive on the first process's node.
///
/// Collective over `everybody`. One process of each node works, the others return at once. Nodes may share the
/// directory, have one of the same or another name each, or a mixture: what several see, one gathers.
///
/// The nodes form a tree (see tree.h). What the rank files define goes up first, united at each node; the first process
/// then knows where in the archive every block goes and tells down the tree. Then all blocks stream up at once (see
/// stream.h), and the first process writes each to its place. Sources are only read. The archive in the making,
/// beside its final name, is the only other file; it is removed when anything fails.
///
/// Memory: fixed (see stream_chunks), but for what the rank files of a process and those below it define, some hundred
/// bytes for each of their ranks, and what stands in journals.
///
/// Returns what was gathered on the first process, nothing on the others. When anything fails anywhere, throws one and
/// the same Error on every working process, with the host named, and leaves no output.
std::optional<Gathered> gather(MPI_Comm everybody, const GatherOptions& options);

} // namespace timeless::gather
