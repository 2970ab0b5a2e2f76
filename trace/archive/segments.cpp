#include "trace/archive/segments.h"

#include "base/error.h"
#include "trace/archive/scan.h"

#include <string>

namespace timeless::trace {

SegmentCursor::SegmentCursor(const InputFile& file, std::span<const Extent> extents)
    : file_(&file), extents_(extents), offset_(extents.empty() ? 0 : extents.front().offset) {}

bool SegmentCursor::next(ActionSegment& segment) {
  if (!any_left()) return false;
  LocatedBlock place = must_look();
  segment = {.rank = place.header.rank, .first_action = place.header.first_action, .actions = place.header.actions};
  if (segment.first_action != action_) fail("actions are missing");
  const auto belongs = [&segment](const LocatedBlock& block) {
    return block.header.first_action == segment.first_action && block.header.actions == segment.actions;
  };
  if (place.header.type == BlockType::structure) {
    segment.structure = place;
    take(place);
    if (!any_left()) fail("the volumes of a structure are missing");
    place = must_look();
    if (place.header.type != BlockType::volumes || !belongs(place)) fail("the volumes of a structure are missing");
  }
  if (place.header.type != BlockType::volumes) fail("times of no segment of actions");
  segment.volumes = place;
  take(place);
  // Damage behind the segment is none of it.
  const auto after = any_left() ? look() : std::nullopt;
  if (after && after->header.type == BlockType::times) {
    if (!belongs(*after)) fail("times of no segment of actions");
    segment.times = after;
    take(*after);
  }
  action_ += segment.actions;
  return true;
}

bool SegmentCursor::any_left() {
  while (extent_ < extents_.size() && offset_ >= extents_[extent_].offset + extents_[extent_].bytes) {
    ++extent_;
    if (extent_ < extents_.size()) offset_ = extents_[extent_].offset;
  }
  return extent_ < extents_.size();
}

std::optional<LocatedBlock> SegmentCursor::look() const {
  const auto header = block_header(*file_, offset_);
  if (!header || header->rank != extents_[extent_].rank || !of_rank(header->type)) return std::nullopt;
  return LocatedBlock{*header, offset_};
}

LocatedBlock SegmentCursor::must_look() const {
  const auto place = look();
  if (!place) fail("a damaged block; actions are missing");
  return *place;
}

void SegmentCursor::take(const LocatedBlock& place) {
  offset_ = end_of(place);
}

void SegmentCursor::fail(const char* what) const {
  throw Error(Failure::invalid_input, std::string(what) + " from action " + std::to_string(action_) + " on",
              file_->path().string() + ", rank " + std::to_string(extents_.front().rank) + ", byte " +
                  std::to_string(offset_),
              "the file is damaged or cut short; take it again from its source");
}

} // namespace timeless::trace
