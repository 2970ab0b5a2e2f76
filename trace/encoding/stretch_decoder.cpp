#include "trace/encoding/stretch_decoder.h"

#include "trace/error.h"

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

void StretchDecoder::open(std::shared_ptr<const Structure> structure, std::uint64_t start, std::uint32_t actions,
                          std::string volumes) {
  const std::uint64_t size = structure->sequence.size();
  if (start > size || actions > size - start) fail("a stretch beyond the end of its structure");
  decoder_.open(std::move(volumes));
  structure_ = std::move(structure);
  unfolder_.emplace(structure_->sequence, start);
  remaining_ = actions;
  streams_.clear();
  stream_of_entry_.clear();
  for (const Action& entry : structure_->dictionary.entries())
    stream_of_entry_.push_back(has_volume(entry.kind) ? none_yet : no_volumes);
}

bool StretchDecoder::next(ActionBlock& block, std::size_t most) {
  if (remaining_ == 0) return false;
  const std::span<std::uint32_t> sequence = block.refill(std::min<std::size_t>(most, remaining_));
  if (unfolder_->next(sequence) != sequence.size()) fail("a structure ends early");
  remaining_ -= static_cast<std::uint32_t>(sequence.size());
  place_volumes(sequence, block.refill_volumes(count_volumes(sequence)));
  if (remaining_ == 0) demand_all_read();
  return true;
}

/// Counts the window's volumes by stream, and in all.
std::size_t StretchDecoder::count_volumes(std::span<const std::uint32_t> sequence) {
  for (Stream& stream : streams_)
    stream.window = 0;
  for (const std::uint32_t entry : sequence) {
    std::uint32_t& number = stream_of_entry_[entry];
    if (number == no_volumes) continue;
    if (number == none_yet) {
      number = static_cast<std::uint32_t>(streams_.size());
      streams_.emplace_back();
    }
    ++streams_[number].window;
  }
  std::size_t volumes = 0;
  for (Stream& stream : streams_) {
    stream.next = volumes;
    volumes += stream.window;
  }
  return volumes;
}

void StretchDecoder::place_volumes(std::span<const std::uint32_t> sequence, std::span<std::uint64_t> volumes) {
  if (streams_.size() > decoder_.streams()) fail("volumes that do not suit the actions");
  volumes_.resize(volumes.size());
  for (std::size_t number = 0; number < streams_.size(); ++number) {
    Stream& stream = streams_[number];
    if (stream.window == 0) continue;
    stream.read += stream.window;
    decoder_.next(number, std::span(volumes_).subspan(stream.next, stream.window));
  }
  auto volume = volumes.begin();
  for (const std::uint32_t entry : sequence) {
    const std::uint32_t number = stream_of_entry_[entry];
    if (number != no_volumes) *volume++ = volumes_[streams_[number].next++];
  }
}

void StretchDecoder::demand_all_read() const {
  bool suits = streams_.size() == decoder_.streams();
  for (std::size_t number = 0; suits && number < streams_.size(); ++number)
    suits = streams_[number].read == decoder_.size(number);
  if (!suits) fail("volumes that do not suit the actions");
}

} // namespace timeless::trace
