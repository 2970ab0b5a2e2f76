#include "trace/encoding/sharing.h"

#include "trace/encoding/folding.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <queue>
#include <string>
#include <utility>
#include <vector>

namespace timeless::trace {

namespace {

constexpr std::uint32_t none = 0xffffffffU;

/// Bodies of pairs within one another; what lies deeper is put back.
constexpr std::uint32_t deepest_pairs = 24;

/// Numbers of keys by order of their first appearance.
template <typename Key, typename Hash>
class Numbering {
public:
  std::uint32_t operator()(const Key& key) {
    if (2 * (keys_.size() + 1) > slots_.size()) grow();
    std::size_t slot = slot_of(key);
    for (; slots_[slot] != none; slot = (slot + 1) & (slots_.size() - 1))
      if (keys_[slots_[slot]] == key) return slots_[slot];
    slots_[slot] = static_cast<std::uint32_t>(keys_.size());
    keys_.push_back(key);
    return slots_[slot];
  }
  const std::vector<Key>& keys() const { return keys_; }

private:
  std::size_t slot_of(const Key& key) const { return Hash()(key) & (slots_.size() - 1); }
  void grow() {
    slots_.assign(std::max<std::size_t>(2 * slots_.size(), 64), none);
    for (std::uint32_t number = 0; number < keys_.size(); ++number) {
      std::size_t slot = slot_of(keys_[number]);
      while (slots_[slot] != none)
        slot = (slot + 1) & (slots_.size() - 1);
      slots_[slot] = number;
    }
  }

  std::vector<Key> keys_;
  std::vector<std::uint32_t> slots_;
};

std::uint64_t mixed(std::uint64_t value) {
  value = (value ^ value >> 31U) * 0xbf58476d1ce4e5b9U;
  value = (value ^ value >> 27U) * 0x94d049bb133111ebU;
  return value ^ value >> 31U;
}

struct ItemHash {
  std::uint64_t operator()(const FoldedItem& item) const { return mixed(mixed(item.count) ^ item.value); }
};

struct Pair {
  std::uint32_t left = 0;
  std::uint32_t right = 0;
  bool operator==(const Pair&) const = default;
};

struct PairHash {
  std::uint64_t operator()(const Pair& pair) const { return mixed(std::uint64_t{pair.left} << 32U | pair.right); }
};

/// Lists of values of which frequent pairs of neighbours are replaced by new values.
class Pairing {
public:
  /// Values below `terminals` are given, those from there on are pairs.
  explicit Pairing(std::uint32_t terminals) : terminals_(terminals) { values_.push_back(none); }

  void add_list(std::span<const std::uint32_t> list) {
    begins_.push_back(values_.size());
    values_.insert(values_.end(), list.begin(), list.end());
    values_.push_back(none);
  }

  void replace_pairs();

  std::size_t lists() const { return begins_.size(); }
  std::vector<std::uint32_t> list(std::size_t number) const {
    std::vector<std::uint32_t> list;
    for (std::size_t at = begins_[number]; values_[at] != none; at = places_[at].next)
      list.push_back(values_[at]);
    return list;
  }
  /// What value terminals + i stands for; of lower values.
  const std::vector<Pair>& replaced() const { return replaced_; }

private:
  struct Place {
    std::uint32_t next = 0;
    std::uint32_t previous = 0;
    std::uint32_t next_same = none; ///< place with the same pair
    std::uint32_t previous_same = none;
    std::uint32_t pair = none;
  };
  struct Occurrences {
    std::uint32_t count = 0;
    std::uint32_t first = none;
    bool grown = false;
  };
  struct Candidate {
    std::uint32_t count;
    std::uint32_t pair;
    bool operator<(const Candidate& other) const {
      return count != other.count ? count < other.count : pair > other.pair;
    }
  };

  void add(std::uint32_t at);
  void remove(std::uint32_t at);
  void replace(std::uint32_t pair, std::uint32_t value);
  void queue_grown();

  std::uint32_t terminals_;
  std::vector<std::uint32_t> values_; ///< of all lists, `none` around each
  std::vector<std::size_t> begins_;
  std::vector<Place> places_;
  Numbering<Pair, PairHash> number_of_;
  std::vector<Occurrences> occurrences_;
  std::vector<std::uint32_t> grown_;
  std::priority_queue<Candidate> candidates_;
  std::vector<Pair> replaced_;
};

/// Notes the pair that begins here. Pairs of equal values are not replaced: they are loops.
void Pairing::add(std::uint32_t at) {
  const Pair pair{values_[at], values_[places_[at].next]};
  if (pair.left == none || pair.right == none || pair.left == pair.right) return;
  const std::uint32_t number = number_of_(pair);
  if (number == occurrences_.size()) occurrences_.emplace_back();
  Occurrences& occurrences = occurrences_[number];
  places_[at].pair = number;
  places_[at].previous_same = none;
  places_[at].next_same = occurrences.first;
  if (occurrences.first != none) places_[occurrences.first].previous_same = at;
  occurrences.first = at;
  ++occurrences.count;
  if (!std::exchange(occurrences.grown, true)) grown_.push_back(number);
}

void Pairing::remove(std::uint32_t at) {
  Place& place = places_[at];
  if (place.pair == none) return;
  Occurrences& occurrences = occurrences_[place.pair];
  --occurrences.count;
  if (place.previous_same == none)
    occurrences.first = place.next_same;
  else
    places_[place.previous_same].next_same = place.next_same;
  if (place.next_same != none) places_[place.next_same].previous_same = place.previous_same;
  place.pair = none;
}

void Pairing::replace(std::uint32_t pair, std::uint32_t value) {
  while (occurrences_[pair].first != none) {
    const std::uint32_t left = occurrences_[pair].first;
    const std::uint32_t right = places_[left].next;
    const std::uint32_t before = places_[left].previous;
    const std::uint32_t after = places_[right].next;
    remove(before);
    remove(left);
    remove(right);
    values_[left] = value;
    places_[left].next = after;
    places_[after].previous = left;
    add(before);
    add(left);
  }
}

void Pairing::queue_grown() {
  for (const std::uint32_t pair : grown_) {
    occurrences_[pair].grown = false;
    if (occurrences_[pair].count > 1) candidates_.push({occurrences_[pair].count, pair});
  }
  grown_.clear();
}

void Pairing::replace_pairs() {
  places_.resize(values_.size());
  const auto last = static_cast<std::uint32_t>(values_.size() - 1);
  for (std::uint32_t at = 0; at <= last; ++at) {
    places_[at].next = std::min(at + 1, last);
    places_[at].previous = at == 0 ? 0 : at - 1;
  }
  for (std::uint32_t at = last; at-- > 0;)
    add(at);
  queue_grown();
  while (!candidates_.empty()) {
    const Candidate candidate = candidates_.top();
    candidates_.pop();
    const std::uint32_t count = occurrences_[candidate.pair].count;
    if (count != candidate.count) {
      if (count > 1 && count < candidate.count) candidates_.push({count, candidate.pair});
      continue;
    }
    const auto value = terminals_ + static_cast<std::uint32_t>(replaced_.size());
    replaced_.push_back(number_of_.keys()[candidate.pair]);
    replace(candidate.pair, value);
    queue_grown();
  }
}

/// Which pairs are worth a body of their own.
class Choice {
public:
  Choice(const Pairing& pairing, std::uint32_t terminals) : pairs_(pairing.replaced()), terminals_(terminals) {
    uses_.resize(pairs_.size());
    kept_.resize(pairs_.size());
    for (std::size_t list = 0; list < pairing.lists(); ++list)
      for (const std::uint32_t value : pairing.list(list))
        use(value, 1);
    for (const Pair& pair : pairs_) {
      use(pair.left, 1);
      use(pair.right, 1);
    }
    choose();
    limit_depth();
  }

  /// The values a list of them stands for, with pairs put back that are not kept.
  std::vector<std::uint32_t> expanded(std::vector<std::uint32_t> values) const {
    std::vector<std::uint32_t> result;
    std::ranges::reverse(values);
    while (!values.empty()) {
      const std::uint32_t value = values.back();
      values.pop_back();
      if (value < terminals_ || kept_[value - terminals_]) {
        result.push_back(value);
        continue;
      }
      values.push_back(pairs_[value - terminals_].right);
      values.push_back(pairs_[value - terminals_].left);
    }
    return result;
  }

private:
  void use(std::uint32_t value, std::uint64_t times) {
    if (value >= terminals_) uses_[value - terminals_] += times;
  }

  /// A body is an item at each use and costs its items and some bytes once.
  void choose() {
    constexpr std::uint64_t bytes_of_a_body = 4;
    std::vector<std::uint64_t> lengths(pairs_.size());
    const auto length = [&](std::uint32_t value) {
      return value < terminals_ || uses_[value - terminals_] > 1 ? 1 : lengths[value - terminals_];
    };
    for (std::size_t i = 0; i < pairs_.size(); ++i)
      lengths[i] = length(pairs_[i].left) + length(pairs_[i].right);
    for (std::size_t i = pairs_.size(); i-- > 0;) {
      kept_[i] = uses_[i] > 1 && (uses_[i] - 1) * (lengths[i] - 1) > bytes_of_a_body;
      if (kept_[i]) continue;
      use(pairs_[i].left, uses_[i] - 1);
      use(pairs_[i].right, uses_[i] - 1);
    }
  }

  void limit_depth() {
    std::vector<std::uint32_t> depths(pairs_.size());
    const auto depth = [&](std::uint32_t value) { return value < terminals_ ? 0 : depths[value - terminals_]; };
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      depths[i] = std::max(depth(pairs_[i].left), depth(pairs_[i].right));
      if (!kept_[i]) continue;
      kept_[i] = depths[i] < deepest_pairs;
      if (kept_[i]) ++depths[i];
    }
  }

  const std::vector<Pair>& pairs_;
  std::uint32_t terminals_;
  std::vector<std::uint64_t> uses_;
  std::vector<bool> kept_;
};

/// A sequence from lists of items that name one another, in any order.
class Assembly {
public:
  Assembly(const FoldedSequence& sequence, const Pairing& pairing, const std::vector<FoldedItem>& items)
      : pairing_(pairing), items_(items), bodies_(sequence.bodies()),
        choice_(pairing, static_cast<std::uint32_t>(items.size())),
        done_(bodies_ + pairing.replaced().size(), FoldedItem{.count = 0}), depths_(done_.size()) {}

  /// The result; the empty sequence if it were too deep.
  FoldedSequence make() {
    std::vector<FoldedItem> root;
    const std::vector<std::uint32_t> values = choice_.expanded(pairing_.list(bodies_));
    for (const std::uint32_t value : values) {
      if (const std::uint32_t part = part_of(value); part != none && !make_part(part)) return {};
      put(root, value);
    }
    result_.set_root(root);
    return std::move(result_);
  }

private:
  /// Parts are the bodies there were, then the pairs.
  struct Open {
    std::uint32_t part;
    std::vector<std::uint32_t> values;
    std::size_t at = 0;
  };

  std::uint32_t part_of(std::uint32_t value) const {
    if (value >= items_.size())
      return value - static_cast<std::uint32_t>(items_.size()) + static_cast<std::uint32_t>(bodies_);
    return items_[value].is_body() ? items_[value].body() : none;
  }

  Open opened(std::uint32_t part) const {
    if (part < bodies_) return {part, choice_.expanded(pairing_.list(part))};
    const Pair& pair = pairing_.replaced()[part - bodies_];
    return {part, choice_.expanded({pair.left, pair.right})};
  }

  void put(std::vector<FoldedItem>& list, std::uint32_t value) const {
    FoldedItem item = value < items_.size() ? items_[value] : FoldedItem{};
    if (const std::uint32_t part = part_of(value); part != none)
      item = {item.count * done_[part].count, done_[part].value};
    if (!list.empty() && list.back().value == item.value)
      list.back().count += item.count;
    else
      list.push_back(item);
  }

  /// Adds the body of a part to the result after those it names.
  bool make_part(std::uint32_t wanted) {
    if (done_[wanted].count != 0) return true;
    std::vector<Open> open;
    open.push_back(opened(wanted));
    std::vector<FoldedItem> list;
    while (!open.empty()) {
      Open& top = open.back();
      std::uint32_t missing = none;
      for (; top.at < top.values.size() && missing == none; ++top.at)
        if (const std::uint32_t part = part_of(top.values[top.at]); part != none && done_[part].count == 0)
          missing = part;
      if (missing != none) {
        open.push_back(opened(missing));
        continue;
      }
      list.clear();
      std::uint32_t depth = 0;
      for (const std::uint32_t value : top.values) {
        if (const std::uint32_t part = part_of(value); part != none) depth = std::max(depth, depths_[part]);
        put(list, value);
      }
      if (depth >= FoldedSequence::max_depth) return false;
      depths_[top.part] = depth + 1;
      done_[top.part] = list.size() == 1 ? list.front() : FoldedItem{1, result_.add_body(list) | FoldedItem::body_bit};
      open.pop_back();
    }
    return true;
  }

  const Pairing& pairing_;
  const std::vector<FoldedItem>& items_; ///< what the values below the pairs are
  std::size_t bodies_;
  Choice choice_;
  std::vector<FoldedItem> done_; ///< by part: what stands for it in the result; no times when it is not yet there
  std::vector<std::uint32_t> depths_;
  FoldedSequence result_;
};

/// Bits of the encoded bytes under a code of their own: what a compressor makes of them where it finds no repeats.
double cost(const FoldedSequence& sequence) {
  std::string bytes;
  sequence.encode(bytes);
  std::array<std::size_t, 256> counts{};
  for (const char byte : bytes)
    ++counts[static_cast<unsigned char>(byte)];
  double bits = 0;
  for (const std::size_t count : counts)
    if (count != 0)
      bits += static_cast<double>(count) * std::log2(static_cast<double>(bytes.size()) / static_cast<double>(count));
  return bits;
}

using Lists = std::vector<std::vector<std::uint32_t>>;

/// Whether enough stretches of some values come again for a search to be worth its time.
bool has_repeats(const Lists& lists) {
  constexpr std::size_t stretch = 4;
  constexpr std::size_t few = 4096; // which do not take long
  constexpr std::size_t least_share = 16;
  std::size_t values = 0;
  for (const std::vector<std::uint32_t>& list : lists)
    values += list.size();
  if (values < few) return true;
  std::vector<bool> seen(std::bit_ceil(16 * values));
  std::size_t again = 0;
  for (const std::vector<std::uint32_t>& list : lists)
    for (std::size_t at = 0; at + stretch <= list.size(); ++at) {
      std::uint64_t hash = 0;
      for (std::size_t i = 0; i < stretch; ++i)
        hash = mixed(hash ^ list[at + i]);
      const std::size_t bit = hash & (seen.size() - 1);
      again += seen[bit] ? 1 : 0;
      seen[bit] = true;
    }
  return again > values / least_share;
}

FoldedSequence share_once(const FoldedSequence& sequence) {
  Numbering<FoldedItem, ItemHash> numbering;
  Lists lists(sequence.bodies() + 1);
  for (std::uint32_t body = 0; body <= sequence.bodies(); ++body)
    for (const FoldedItem& item : body < sequence.bodies() ? sequence.body(body) : sequence.root())
      lists[body].push_back(numbering(item));
  if (!has_repeats(lists)) return sequence;
  Pairing pairing(static_cast<std::uint32_t>(numbering.keys().size()));
  for (const std::vector<std::uint32_t>& list : lists)
    pairing.add_list(list);
  pairing.replace_pairs();
  const FoldedSequence shared = Assembly(sequence, pairing, numbering.keys()).make();
  SequenceFolder folder;
  folder.append_items(shared);
  return folder.finish();
}

} // namespace

FoldedSequence share_repeats(const FoldedSequence& sequence) {
  constexpr int most_rounds = 4;
  FoldedSequence best = sequence;
  double best_cost = cost(sequence);
  for (int round = 0; round < most_rounds; ++round) {
    FoldedSequence shared = share_once(best);
    if (shared.size() != sequence.size() || shared.items() >= best.items()) break;
    const double shared_cost = cost(shared);
    if (shared_cost >= best_cost) break;
    best = std::move(shared);
    best_cost = shared_cost;
  }
  return best;
}

} // namespace timeless::trace
