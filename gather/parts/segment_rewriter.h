#pragma once

#include "gather/parts/volume_rounding.h"
#include "trace/archive/writer.h"
#include "trace/codec/volumes/volume_codec.h"
#include "trace/model/action_block.h"

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

namespace timeless::gather {

/// Writes a rank's actions, which come in blocks of any size, in segments as the recorder makes them.
///
/// Holds the actions of one segment, which is written when it is full; finish() writes the last one. The writer must
/// outlive it. Not thread-safe.
class SegmentRewriter {
public:
  /// Sees the volumes of each segment before it is written, and may change them.
  using Volumes = std::function<void(std::span<const VolumeOwner> owners, std::span<std::uint64_t> volumes)>;

  SegmentRewriter(trace::ArchiveWriter& writer, trace::Rank rank, Volumes volumes)
      : writer_(writer), rank_(rank), change_(std::move(volumes)) {}

  /// Adds the actions of a block. Throws as ArchiveWriter does.
  void add(const trace::ActionBlock& block);
  /// Writes what is left.
  void finish();

private:
  trace::ArchiveWriter& writer_;
  trace::Rank rank_;
  Volumes change_;
  trace::ActionBlock segment_;
  std::vector<std::uint32_t> sequence_;
  std::vector<std::uint64_t> volumes_;
  std::vector<VolumeOwner> owners_; ///< of the volumes
  std::vector<trace::ActionTimes> times_;
};

} // namespace timeless::gather
