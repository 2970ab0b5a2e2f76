#pragma once

#include "base/files/input_file.h"
#include "trace/codec/format.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace timeless::trace {

/// Goes through one rank's segments, reading the headers of its blocks.
class SegmentCursor {
public:
  /// Begins at the first segment. `extents` are the rank's, in file order, and must outlive the cursor.
  SegmentCursor(const InputFile& file, std::span<const Extent> extents);

  /// Reads the next segment; false at the end. Throws Error(invalid_input), with the place in the file, where the
  /// blocks do not follow on one another as those of one rank do.
  bool next(ActionSegment& segment);

  /// Returns the action that the next segment begins with.
  std::uint64_t action() const { return action_; }

private:
  /// Returns true when a block comes next.
  bool any_left();
  /// Returns the next block, left to be taken; nothing when it is damaged.
  std::optional<LocatedBlock> look() const;
  /// Returns the next block, which must be intact.
  LocatedBlock must_look() const;
  void take(const LocatedBlock& place);
  [[noreturn]] void fail(const char* what) const;

  const InputFile* file_;
  std::span<const Extent> extents_;
  std::size_t extent_ = 0;
  std::uint64_t offset_ = 0; ///< of the next block
  std::uint64_t action_ = 0; ///< the next
};

} // namespace timeless::trace
