#include "trace/codec/structure/folding.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <utility>

namespace timeless::trace {

namespace {

constexpr std::uint64_t hash_base = 0x9e3779b97f4a7c15U;

/// hash_base to the power of the index.
constexpr auto powers = [] {
  std::array<std::uint64_t, SequenceFolder::longest_body + 1> table{};
  std::uint64_t power = 1;
  for (std::uint64_t& entry : table) {
    entry = power;
    power *= hash_base;
  }
  return table;
}();

constexpr std::uint64_t hash_of(const FoldedItem& item) {
  std::uint64_t mixed = (std::rotl(item.count, 32) ^ item.value) * 0xbf58476d1ce4e5b9U;
  mixed ^= mixed >> 29U;
  return mixed * 0x94d049bb133111ebU;
}

/// Bodies at least as long are looked for where their last items came before, shorter ones directly.
constexpr std::uint32_t context_items = 8;
constexpr std::uint32_t context_count = 1U << 14U; // some for each item of an irregular range
/// How many of the places where the last items came before are looked at.
constexpr unsigned most_candidates = 8;

} // namespace

// What an irregular sequence does for each symbol is inline: a fifth of the time is calls otherwise.

SequenceFolder::SequenceFolder() : places_(64), keys_(64), contexts_(context_count), expected_(no_number) {}

// Following the loop at the end

void SequenceFolder::append_unexpected(std::uint32_t symbol) {
  ++times_broken_;
  stop_following();
  while (last_ != 0) {
    if (first_symbol(places_[last_].item) == symbol) {
      follow_last();
      append(symbol);
      return;
    }
    if (!fold()) break;
  }
  place({1, symbol});
  follow_last();
}

inline void SequenceFolder::follow_last() {
  const FoldedItem& item = places_[last_].item;
  iterations_ = 0;
  levels_.clear();
  if (!item.is_body()) {
    expected_ = item.value;
    expected_left_ = std::numeric_limits<std::uint64_t>::max();
    return;
  }
  const Body& body = bodies_[item.body()];
  levels_.push_back({body.begin, body.begin + body.length, body.begin, 0});
  expect_item();
}

/// Expects the item where the innermost level is, and goes into its bodies.
void SequenceFolder::expect_item() {
  const FoldedItem* item = &body_items_[levels_.back().at];
  while (item->is_body()) {
    const Body& body = bodies_[item->body()];
    levels_.push_back({body.begin, body.begin + body.length, body.begin, item->count});
    item = &body_items_[body.begin];
  }
  expected_ = item->value;
  expected_left_ = item->count;
}

void SequenceFolder::expect_next() {
  for (;;) {
    Level& level = levels_.back();
    if (++level.at != level.end) break;
    level.at = level.begin;
    if (levels_.size() == 1) {
      ++iterations_;
      break;
    }
    if (--level.left != 0) break;
    levels_.pop_back();
  }
  expect_item();
}

/// Puts what was followed into the list: complete iterations as count, the rest as items.
void SequenceFolder::stop_following() {
  if (expected_ == no_number) return;
  const std::uint32_t symbol = expected_;
  expected_ = no_number;
  if (levels_.empty()) {
    places_[last_].item.count += std::numeric_limits<std::uint64_t>::max() - expected_left_;
    return;
  }
  places_[last_].item.count += iterations_;
  for (std::size_t depth = 0; depth < levels_.size(); ++depth) {
    const Level level = levels_[depth];
    for (std::uint32_t at = level.begin; at != level.at; ++at)
      push(FoldedItem(body_items_[at]));
    const FoldedItem open = body_items_[level.at];
    const bool innermost = depth + 1 == levels_.size();
    const std::uint64_t left = innermost ? expected_left_ : levels_[depth + 1].left;
    if (left != open.count) push({open.count - left, innermost ? symbol : open.value});
  }
}

// The list

/// Adds an item that is complete, though more of the same may follow.
void SequenceFolder::push(const FoldedItem& item) {
  while (last_ != 0) {
    if (places_[last_].item.value == item.value) {
      places_[last_].item.count += item.count;
      return;
    }
    if (!fold()) break;
  }
  place(item);
}

inline void SequenceFolder::place(const FoldedItem& item) {
  ++last_;
  if (last_ == places_.size()) {
    places_.resize(2 * places_.size());
    keys_.resize(places_.size());
  }
  places_[last_].item = item;
}

/// Hashes the last place, when its item is complete.
inline void SequenceFolder::hash_last() {
  ListItem& place = places_[last_];
  const std::uint64_t hash = hash_of(place.item);
  keys_[last_] = static_cast<std::uint32_t>(hash >> 32U);
  place.hash = places_[last_ - 1].hash * hash_base + hash;
  if (last_ < context_items) return;
  const std::uint64_t context = range_hash(last_ - context_items, last_);
  place.context = static_cast<std::uint16_t>((context ^ context >> 32U) & (context_count - 1));
  __builtin_prefetch(&contexts_[place.context]);
}

/// Returns the hash of the items after place `before` up to `last`.
inline std::uint64_t SequenceFolder::range_hash(std::uint32_t before, std::uint32_t last) const {
  return places_[last].hash - places_[before].hash * powers[last - before];
}

/// Makes what is in the last place findable. Undone in reverse order only.
inline void SequenceFolder::settle_last() {
  ListItem& place = places_[last_];
  if (last_ >= context_items) {
    place.earlier = contexts_[place.context];
    contexts_[place.context] = last_;
  }
  if (!place.item.is_body()) return;
  const std::uint32_t length = bodies_[place.item.body()].length;
  if (length > longest_body) return;
  const std::uint32_t end = last_ + length;
  if (end >= loops_ending_.size()) loops_ending_.resize(std::max<std::size_t>(2 * last_, last_ + longest_body) + 1);
  place.also_ends = static_cast<std::uint16_t>(loops_ending_[end] == 0 ? 0 : last_ - loops_ending_[end]);
  loops_ending_[end] = last_;
}

/// All settled places from this one on, which are all but the last.
void SequenceFolder::unsettle_from(std::uint32_t from) {
  for (std::uint32_t at = last_ - 1; at >= from; --at) {
    const ListItem& place = places_[at];
    if (at >= context_items) contexts_[place.context] = place.earlier;
    if (!place.item.is_body()) continue;
    const std::uint32_t length = bodies_[place.item.body()].length;
    if (length <= longest_body) loops_ending_[at + length] = place.also_ends == 0 ? 0 : at - place.also_ends;
  }
}

/// Folds the end of the list once, if it can be; then what is last may continue. Otherwise settles it.
bool SequenceFolder::fold() {
  if (places_[last_ - 1].item.value == places_[last_].item.value && last_ > 1) {
    unsettle_from(last_ - 1);
    --last_;
    places_[last_].item.count += places_[last_ + 1].item.count;
    return true;
  }
  hash_last();
  if (continue_loop() || begin_short_loop() || begin_long_loop()) return true;
  settle_last();
  return false;
}

inline bool SequenceFolder::continue_loop() {
  if (last_ >= loops_ending_.size()) return false;
  for (std::uint32_t loop = loops_ending_[last_], step = loop; step != 0; loop -= step) {
    step = places_[loop].also_ends;
    const Body& body = bodies_[places_[loop].item.body()];
    if (range_hash(loop, last_) != body.hash) continue;
    bool equal = true;
    for (std::uint32_t i = 0; i < body.length && equal; ++i)
      equal = places_[loop + 1 + i].item == body_items_[body.begin + i];
    if (!equal) continue;
    unsettle_from(loop);
    last_ = loop;
    ++places_[last_].item.count;
    return true;
  }
  return false;
}

bool SequenceFolder::same(std::uint32_t begin, std::uint32_t other, std::uint32_t length) const {
  for (std::uint32_t i = length; i-- > 0;)
    if (places_[begin + i].item != places_[other + i].item) return false;
  return true;
}

inline bool SequenceFolder::begin_short_loop() {
  if (last_ < context_items) {
    for (std::uint32_t length = 2; length <= last_ / 2; ++length)
      if (same(last_ - length + 1, last_ - 2 * length + 1, length)) return begin_loop(length);
    return false;
  }
  std::uint32_t lengths = 0; // bit set: the item so far before the last seems equal to it
  const std::uint32_t* const keys = &keys_[last_ - context_items];
#pragma GCC unroll 8
  for (std::uint32_t length = 2; length < context_items; ++length)
    lengths |= static_cast<std::uint32_t>(keys[context_items - length] == keys[context_items]) << length;
  for (; lengths != 0; lengths &= lengths - 1) {
    const auto length = static_cast<std::uint32_t>(std::countr_zero(lengths));
    if (length > last_ / 2) return false;
    if (same(last_ - length + 1, last_ - 2 * length + 1, length)) return begin_loop(length);
  }
  return false;
}

inline bool SequenceFolder::begin_long_loop() {
  if (last_ < 2 * context_items) return false;
  std::uint32_t candidate = contexts_[places_[last_].context];
  for (unsigned tried = 0; tried < most_candidates && candidate != 0; ++tried, candidate = places_[candidate].earlier) {
    const std::uint32_t length = last_ - candidate;
    if (length > longest_body || length > last_ / 2) return false;
    if (keys_[candidate] != keys_[last_] || length < context_items) continue;
    if (range_hash(candidate - length, candidate) != range_hash(candidate, last_)) continue;
    if (same(candidate + 1, candidate - length + 1, length)) return begin_loop(length);
  }
  return false;
}

/// The last `length` items are those before them.
bool SequenceFolder::begin_loop(std::uint32_t length) {
  new_body_.clear();
  for (std::uint32_t at = last_ - length + 1; at <= last_; ++at)
    new_body_.push_back(places_[at].item);
  const std::uint32_t body = number_body(new_body_);
  if (body == no_number) return false;
  const std::uint32_t loop = last_ - 2 * length + 1;
  unsettle_from(loop);
  last_ = loop;
  places_[last_].item = {2, body | FoldedItem::body_bit};
  return true;
}

// Bodies

inline std::uint32_t SequenceFolder::first_symbol(const FoldedItem& item) const {
  return item.is_body() ? bodies_[item.body()].first : item.value;
}

/// Returns a body's number; equal items get equal numbers, `no_number` when they are too deep.
std::uint32_t SequenceFolder::number_body(std::span<const FoldedItem> items) {
  if (2 * (bodies_.size() + 1) > numbering_.size()) grow_numbering();
  Body body{.begin = static_cast<std::uint32_t>(body_items_.size()),
            .length = static_cast<std::uint32_t>(items.size()),
            .first = first_symbol(items.front())};
  for (const FoldedItem& item : items) {
    body.hash = body.hash * hash_base + hash_of(item);
    if (item.is_body()) body.depth = std::max(body.depth, bodies_[item.body()].depth + 1);
  }
  if (body.depth > FoldedSequence::max_depth) return no_number;
  std::size_t slot = (body.hash ^ body.hash >> 32U) & (numbering_.size() - 1);
  for (; numbering_[slot] != 0; slot = (slot + 1) & (numbering_.size() - 1)) {
    const Body& other = bodies_[numbering_[slot] - 1];
    if (other.hash == body.hash && std::ranges::equal(items, std::span(body_items_).subspan(other.begin, other.length)))
      return numbering_[slot] - 1;
  }
  body_items_.insert(body_items_.end(), items.begin(), items.end());
  bodies_.push_back(body);
  numbering_[slot] = static_cast<std::uint32_t>(bodies_.size());
  return numbering_[slot] - 1;
}

void SequenceFolder::grow_numbering() {
  numbering_.assign(std::max<std::size_t>(2 * numbering_.size(), 64), 0);
  for (std::uint32_t number = 0; number < bodies_.size(); ++number) {
    const std::uint64_t hash = bodies_[number].hash;
    std::size_t slot = (hash ^ hash >> 32U) & (numbering_.size() - 1);
    while (numbering_[slot] != 0)
      slot = (slot + 1) & (numbering_.size() - 1);
    numbering_[slot] = number + 1;
  }
}

// The result

FoldedSequence SequenceFolder::finish() {
  FoldedSequence sequence;
  finish(sequence);
  return sequence;
}

void SequenceFolder::finish(FoldedSequence& sequence) {
  stop_following();
  while (last_ != 0 && fold()) {
  }
  sequence.clear();
  collect(sequence);
  reset();
}

/// Collects the root and the bodies it leads to. A body's items have lower numbers than the body.
void SequenceFolder::collect(FoldedSequence& sequence) {
  collected_.assign(bodies_.size(), no_number);
  const auto mark = [&](const FoldedItem& item) {
    if (item.is_body()) collected_[item.body()] = 0;
  };
  const auto add = [&](const FoldedItem& item) {
    new_body_.push_back(item.is_body() ? FoldedItem{item.count, collected_[item.body()] | FoldedItem::body_bit} : item);
  };
  const auto items_of = [&](std::uint32_t body) {
    return std::span(body_items_).subspan(bodies_[body].begin, bodies_[body].length);
  };
  for (std::uint32_t at = 1; at <= last_; ++at)
    mark(places_[at].item);
  for (auto body = static_cast<std::uint32_t>(bodies_.size()); body-- > 0;)
    if (collected_[body] != no_number) std::ranges::for_each(items_of(body), mark);
  for (std::uint32_t body = 0; body < bodies_.size(); ++body) {
    if (collected_[body] == no_number) continue;
    new_body_.clear();
    std::ranges::for_each(items_of(body), add);
    collected_[body] = sequence.add_body(new_body_);
  }
  new_body_.clear();
  for (std::uint32_t at = 1; at <= last_; ++at)
    add(places_[at].item);
  sequence.set_root(new_body_);
}

void SequenceFolder::reset() {
  if (last_ > context_count / 8) {
    std::ranges::fill(contexts_, 0);
    std::ranges::fill(loops_ending_, 0);
  } else if (last_ != 0) {
    ++last_; // the last one is settled too
    unsettle_from(1);
  }
  last_ = 0;
  appended_ = 0;
  body_items_.clear();
  bodies_.clear();
  std::ranges::fill(numbering_, 0);
}

} // namespace timeless::trace
