#include "trace/archive/shared_structures.h"

#include "base/bytes.h"
#include "base/error.h"

#include <algorithm>
#include <iterator>
#include <limits>

namespace timeless::trace {

void Layout::add(std::span<const std::uint32_t> structures) {
  const bool new_row = rows_.empty() || !std::ranges::equal(structures, this->structures(ranks_ - 1));
  if (new_row) {
    rows_.push_back({.first_rank = ranks_, .begin = numbers_.size()});
    numbers_.insert(numbers_.end(), structures.begin(), structures.end());
  }
  ++ranks_;
}

std::span<const std::uint32_t> Layout::structures(std::size_t rank) const {
  if (rank >= ranks_) return {};
  const auto after = std::ranges::upper_bound(rows_, rank, {}, &Row::first_rank);
  const std::size_t end = after == rows_.end() ? numbers_.size() : after->begin;
  const std::size_t begin = std::prev(after)->begin;
  return std::span(numbers_).subspan(begin, end - begin);
}

void Layout::encode(std::string& bytes) const {
  put_varint(bytes, rows_.size());
  std::int64_t previous = 0;
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    const bool last = row + 1 == rows_.size();
    const std::size_t end_rank = last ? ranks_ : rows_[row + 1].first_rank;
    const std::size_t end = last ? numbers_.size() : rows_[row + 1].begin;
    put_varint(bytes, end_rank - rows_[row].first_rank);
    put_varint(bytes, end - rows_[row].begin);
    for (std::size_t i = rows_[row].begin; i < end; ++i) {
      put_varint(bytes, zigzag(std::int64_t{numbers_[i]} - previous));
      previous = numbers_[i];
    }
  }
}

void Layout::decode(std::string_view bytes, std::size_t most_ranks) {
  ByteReader reader(bytes);
  constexpr std::size_t least_row_bytes = 2;
  std::uint64_t previous = 0;
  for (std::size_t rows = reader.count(least_row_bytes); rows > 0; --rows) {
    const std::uint64_t ranks = reader.varint();
    if (ranks == 0 || ranks > most_ranks - ranks_) reader.fail("structures of more ranks than there are");
    rows_.push_back({.first_rank = ranks_, .begin = numbers_.size()});
    for (std::size_t structures = reader.count(); structures > 0; --structures) {
      previous += static_cast<std::uint64_t>(reader.signed_varint());
      numbers_.push_back(reader.narrow<std::uint32_t>(previous));
    }
    ranks_ += static_cast<std::size_t>(ranks);
  }
  if (reader.remaining() != 0) reader.fail("bytes after the end of the layout");
}

void SharedStructures::add(const LocatedBlock& place) {
  if (place.header.first_action != size_ || place.header.actions > std::numeric_limits<std::uint32_t>::max() - size_ ||
      place.header.actions == 0)
    throw Error(Failure::invalid_input, "shared structures are missing");
  blocks_.push_back(place);
  size_ += place.header.actions;
}

std::string SharedStructures::bytes(std::uint32_t number, const PlainPayload& plain_payload) {
  if (number >= size_) throw Error(Failure::invalid_input, "a structure that is not there");
  if (number < first_unpacked_ || number - first_unpacked_ >= structures_.size())
    unpack(*std::prev(std::ranges::upper_bound(blocks_, number, {},
                                               [](const LocatedBlock& place) { return place.header.first_action; })),
           plain_payload);
  return std::string(structures_[number - first_unpacked_]);
}

std::shared_ptr<const Structure> SharedStructures::get(std::uint32_t number, const PlainPayload& plain_payload) {
  held_.resize(size_);
  if (number < size_)
    if (auto held = held_[number].lock()) return held;
  constexpr std::uint64_t most_actions = std::uint64_t{1} << 62U;
  auto structure = std::make_shared<const Structure>(decode_structure(bytes(number, plain_payload), most_actions));
  held_[number] = structure;
  return structure;
}

void SharedStructures::unpack(const LocatedBlock& place, const PlainPayload& plain_payload) {
  structures_.clear();
  unpacked_ = plain_payload(place);
  ByteReader reader(unpacked_);
  std::vector<std::string_view> structures;
  for (std::uint32_t i = 0; i < place.header.actions; ++i)
    structures.push_back(reader.take(reader.count()));
  if (reader.remaining() != 0) reader.fail("bytes after the last structure");
  structures_ = std::move(structures);
  first_unpacked_ = static_cast<std::uint32_t>(place.header.first_action);
}

} // namespace timeless::trace
