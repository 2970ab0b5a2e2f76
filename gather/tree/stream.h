#pragma once

#include "gather/tree/chunk.h"
#include "gather/tree/machine.h"

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

/// Chunks on their way up a tree, all processes at once.
///
/// Each process sends its own chunks and hands on those of its children, as they come: reading, sending and, at the
/// root, writing go on at the same time. Every process holds a fixed number of chunks (stream_chunks()); where all are
/// in use it receives nothing until one is free, so the slowest part holds up all others and nobody's memory grows.
/// A message is sent only when its receiver has asked for it (MPI_Issend, of which each sender has two under way), so
/// that the MPI library has nothing to store either. Each hop verifies the checksum.
///
/// Of the children of all steps of its plan (see tree.h), in their order, a process receives from at most the arity
/// at a time.
namespace timeless::gather {

/// Where a process's own chunks come from. Called from the disk's queue.
class ChunkSource {
public:
  virtual ~ChunkSource() = default;
  /// Adds to an empty chunk as much as there is and fits; false when nothing follows.
  virtual bool fill(Chunk& chunk) = 0;
};

/// Where chunks end up. Called from the disk's queue.
class ChunkSink {
public:
  virtual ~ChunkSink() = default;
  virtual void take(const Chunk& chunk) = 0;
};

/// What a process has to do with a stream.
struct StreamPart {
  MPI_Comm communicator = MPI_COMM_NULL; ///< for chunks
  MPI_Comm words = MPI_COMM_NULL;        ///< of the same processes, for what else they have to say
  std::optional<int> parent = {};        ///< none at the root
  std::vector<int> children = {};        ///< that take part, in the order in which they are received from
  int most_senders = 1;                  ///< of them at once
  ChunkSource* source = nullptr;         ///< null when the process has nothing of its own
  ChunkSink* sink = nullptr;             ///< at the root
  std::size_t chunk_bytes = std::size_t{1} << 20U;
  /// At the root: called with the size of each message it has stored.
  std::function<void(std::uint64_t)> progress = {};
};

/// Returns how many chunks a process holds at most.
std::size_t stream_chunks(const StreamPart& part);

/// Streams the blocks up the tree; collective over all processes that take part. Comes to an end whatever fails: a
/// process that fails tells its parent and its children at once, and everybody stops. Then throws, on the process where
/// it happened, the Error. The others return as if all had gone well, so this belongs into Team::together.
void stream(const StreamPart& part, Machine& machine);

} // namespace timeless::gather
