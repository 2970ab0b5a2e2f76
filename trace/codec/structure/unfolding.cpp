#include "trace/codec/structure/unfolding.h"

#include <algorithm>
#include <cstring>

namespace timeless::trace {

namespace {

/// Repeats the first `length` symbols until `whole` are there.
void repeat(std::uint32_t* symbols, std::size_t length, std::size_t whole) {
  while (length < whole) {
    const std::size_t more = std::min(length, whole - length);
    std::memcpy(symbols + length, symbols, more * sizeof(std::uint32_t));
    length += more;
  }
}

std::uint32_t* write_items(const FoldedSequence& sequence, std::span<const FoldedItem> items, std::uint32_t* symbols) {
  for (const FoldedItem& item : items) {
    if (!item.is_body() && item.count == 1) {
      *symbols++ = item.value;
    } else if (!item.is_body()) {
      symbols = std::fill_n(symbols, item.count, item.value);
    } else {
      std::uint32_t* const begin = symbols;
      symbols = write_items(sequence, sequence.body(item.body()), symbols);
      if (item.count == 1) continue;
      const auto length = static_cast<std::size_t>(symbols - begin);
      repeat(begin, length, length * item.count);
      symbols = begin + length * item.count;
    }
  }
  return symbols;
}

} // namespace

Unfolder::Unfolder(const FoldedSequence& sequence, std::uint64_t start) : sequence_(&sequence) {
  if (start >= sequence.size()) return;
  levels_.reserve(sequence.depth() + 1);
  const FoldedSequence::Start before = sequence.start_before(start);
  enter(sequence.root().subspan(before.item));
  skip(start - before.position);
}

void Unfolder::enter(std::span<const FoldedItem> items) {
  if (items.empty()) return;
  levels_.push_back({items.data(), items.data() + items.size(), items.front().count});
}

/// The innermost item is done as often as it comes: to the next one, or the next iteration of what it is in.
void Unfolder::leave() {
  while (!levels_.empty()) {
    Level& level = levels_.back();
    if (level.left != 0) return;
    if (++level.item != level.end) {
      level.left = level.item->count;
      return;
    }
    levels_.pop_back();
    if (!levels_.empty()) --levels_.back().left;
  }
}

void Unfolder::skip(std::uint64_t symbols) {
  while (symbols != 0) {
    Level& level = levels_.back();
    const FoldedItem item = *level.item;
    const std::uint64_t size = item.is_body() ? sequence_->body_size(item.body()) : 1;
    const std::uint64_t times = std::min(level.left, symbols / size);
    level.left -= times;
    symbols -= times * size;
    if (level.left == 0)
      leave();
    else if (symbols != 0)
      enter(sequence_->body(item.body()));
  }
}

/// Writes the symbols up to the next body or the end of the list, as far as they fit.
std::uint32_t* Unfolder::write_symbols(Level& level, std::uint32_t* at, std::uint32_t* end) {
  const FoldedItem* item = level.item;
  std::uint64_t left = level.left;
  for (;;) {
    if (left == 1) {
      *at++ = item->value;
      left = 0;
    } else {
      const auto times = std::min<std::uint64_t>(left, static_cast<std::uint64_t>(end - at));
      at = std::fill_n(at, times, item->value);
      left -= times;
    }
    if (at == end || item + 1 == level.end || item[1].is_body()) break;
    ++item;
    left = item->count;
  }
  level.item = item;
  level.left = left;
  return at;
}

std::size_t Unfolder::next(std::span<std::uint32_t> symbols) {
  std::uint32_t* at = symbols.data();
  std::uint32_t* const end = at + symbols.size();
  while (at != end && !levels_.empty()) {
    Level& level = levels_.back();
    const FoldedItem item = *level.item;
    const auto room = static_cast<std::size_t>(end - at);
    if (!item.is_body()) {
      at = write_symbols(level, at, end);
    } else if (const std::uint64_t size = sequence_->body_size(item.body()); size <= room) {
      const auto length = static_cast<std::size_t>(size);
      const auto times = static_cast<std::size_t>(std::min<std::uint64_t>(level.left, room / length));
      write_items(*sequence_, sequence_->body(item.body()), at);
      if (times > 1) repeat(at, length, length * times);
      at += length * times;
      level.left -= times;
    } else {
      enter(sequence_->body(item.body()));
      continue;
    }
    if (level.left == 0) leave();
  }
  return static_cast<std::size_t>(at - symbols.data());
}

} // namespace timeless::trace
