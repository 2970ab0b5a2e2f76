#include "trace/codec/segment/segment_decoder.h"

#include "base/error.h"

#include <algorithm>
#include <utility>

namespace timeless::trace {

namespace {

constexpr std::uint32_t no_volumes = 0xffffffffU;
constexpr std::uint32_t none_yet = 0xfffffffeU;

[[noreturn]] void fail(const char* what) {
  throw Error(Failure::invalid_input, what);
}

} // namespace

void SegmentDecoder::open(std::shared_ptr<const Structure> structure, std::uint64_t start, std::uint32_t actions,
                          std::string volumes) {
  const std::uint64_t size = structure->sequence.size();
  if (start > size || actions > size - start) fail("a segment beyond the end of its structure");
  decoder_.open(std::move(volumes));
  structure_ = std::move(structure);
  unfolder_.emplace(structure_->sequence, start);
  remaining_ = actions;
  streams_.clear();
  stream_of_entry_.clear();
  for (const Action& entry : structure_->dictionary.entries())
    stream_of_entry_.push_back(has_volume(entry.kind) ? none_yet : no_volumes);
  next_.assign(stream_of_entry_.size(), nullptr);
  window_.assign(stream_of_entry_.size(), 0);
}

bool SegmentDecoder::next(ActionBlock& block, std::size_t most) {
  if (remaining_ == 0) return false;
  const std::span<std::uint32_t> sequence = block.refill(std::min<std::size_t>(most, remaining_));
  unfold(sequence);
  place_volumes(sequence, block.refill_volumes(count_volumes(sequence)));
  if (remaining_ == 0) demand_all_read();
  return true;
}

void SegmentDecoder::skip(std::size_t actions) {
  constexpr std::size_t window = std::size_t{1} << 12U;
  if (actions > remaining_) fail("a segment ends early");
  for (skipped_.resize(std::min(actions, window)); actions > 0;) {
    const auto sequence = std::span(skipped_).first(std::min(actions, window));
    unfold(sequence);
    read_streams(count_volumes(sequence));
    actions -= sequence.size();
  }
  if (remaining_ == 0) demand_all_read();
}

void SegmentDecoder::unfold(std::span<std::uint32_t> sequence) {
  if (unfolder_->next(sequence) != sequence.size()) fail("a structure ends early");
  remaining_ -= static_cast<std::uint32_t>(sequence.size());
}

/// Counts the window's volumes by entry, and in all.
std::size_t SegmentDecoder::count_volumes(std::span<const std::uint32_t> sequence) {
  std::ranges::fill(window_, 0U);
  for (const std::uint32_t entry : sequence)
    ++window_[entry];
  std::size_t volumes = 0;
  std::size_t unnamed = 0;
  for (std::size_t entry = 0; entry < window_.size(); ++entry) {
    if (window_[entry] == 0 || stream_of_entry_[entry] == no_volumes) continue;
    volumes += window_[entry];
    if (stream_of_entry_[entry] == none_yet) ++unnamed;
  }
  name_streams(sequence, unnamed);
  return volumes;
}

/// Streams are numbered in the order of their first volume.
void SegmentDecoder::name_streams(std::span<const std::uint32_t> sequence, std::size_t unnamed) {
  for (auto entry = sequence.begin(); unnamed > 0; ++entry) {
    if (stream_of_entry_[*entry] != none_yet) continue;
    stream_of_entry_[*entry] = static_cast<std::uint32_t>(streams_.size());
    streams_.push_back({.entry = *entry});
    --unnamed;
  }
}

/// Reads the window's volumes, of which there are so many, stream by stream.
void SegmentDecoder::read_streams(std::size_t volumes) {
  if (streams_.size() > decoder_.streams()) fail("volumes that do not suit the actions");
  volumes_.resize(volumes);
  std::size_t next = 0;
  for (std::size_t number = 0; number < streams_.size(); ++number) {
    Stream& stream = streams_[number];
    const std::size_t count = window_[stream.entry];
    if (count == 0) continue;
    stream.read += count;
    next_[stream.entry] = volumes_.data() + next;
    decoder_.next(number, std::span(volumes_).subspan(next, count));
    next += count;
  }
}

void SegmentDecoder::place_volumes(std::span<const std::uint32_t> sequence, std::span<std::uint64_t> volumes) {
  read_streams(volumes.size());
  std::uint64_t* volume = volumes.data();
  for (const std::uint32_t entry : sequence) {
    const std::uint64_t* const value = next_[entry];
    if (!value) continue;
    *volume++ = *value;
    next_[entry] = value + 1;
  }
}

void SegmentDecoder::demand_all_read() const {
  bool suits = streams_.size() == decoder_.streams();
  for (std::size_t number = 0; suits && number < streams_.size(); ++number)
    suits = streams_[number].read == decoder_.size(number);
  if (!suits) fail("volumes that do not suit the actions");
}

} // namespace timeless::trace
