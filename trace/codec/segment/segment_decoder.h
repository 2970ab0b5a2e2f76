#pragma once

#include "trace/codec/structure/structure.h"
#include "trace/codec/structure/unfolding.h"
#include "trace/codec/volumes/volume_codec.h"
#include "trace/model/action_block.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace timeless::trace {

/// Reads a segment of a rank's actions, window by window, in memory that depends on the window and the segment's
/// volumes as stored.
class SegmentDecoder {
public:
  /// Reads the next `actions` actions of the structure from its action `start` on, with the volumes that this payload
  /// holds. Throws Error(invalid_input) when the payload is malformed or the structure shorter.
  void open(std::shared_ptr<const Structure> structure, std::uint64_t start, std::uint32_t actions,
            std::string volumes);

  /// Puts up to `most` actions into the block, whose dictionary must be made from the structure's, entry by entry;
  /// false when all have been read. Throws Error(invalid_input) when the volumes do not suit the structure.
  bool next(ActionBlock& block, std::size_t most);

  /// Passes over so many actions, no more than remaining(). Throws as next() does.
  void skip(std::size_t actions);

  /// Returns the number of actions not yet read.
  std::uint32_t remaining() const { return remaining_; }

private:
  /// A stream is what one entry's volumes are stored as.
  struct Stream {
    std::uint32_t entry = 0;
    std::size_t read = 0; ///< how many were handed out in all
  };

  void unfold(std::span<std::uint32_t> sequence);
  std::size_t count_volumes(std::span<const std::uint32_t> sequence);
  void name_streams(std::span<const std::uint32_t> sequence, std::size_t unnamed);
  void read_streams(std::size_t volumes);
  void place_volumes(std::span<const std::uint32_t> sequence, std::span<std::uint64_t> volumes);
  void demand_all_read() const;

  std::shared_ptr<const Structure> structure_;
  std::optional<Unfolder> unfolder_;
  VolumeDecoder decoder_;
  std::uint32_t remaining_ = 0;
  std::vector<const std::uint64_t*> next_;     ///< by entry: the window's next volume; null where it has none
  std::vector<std::uint32_t> window_;          ///< by entry: how often it comes in the window
  std::vector<std::uint32_t> stream_of_entry_; ///< or that it has no volumes, or that none has come yet
  std::vector<Stream> streams_;                ///< those that have come, in the order of their first volume
  std::vector<std::uint64_t> volumes_;         ///< of the window, stream by stream
  std::vector<std::uint32_t> skipped_;         ///< a window passed over
};

} // namespace timeless::trace
