#include "trace/codec/structure/folded_sequence.h"

#include "base/bytes.h"
#include "base/error.h"

#include <algorithm>

namespace timeless::trace {

namespace {

/// What an item begins with. Symbols and bodies share one numbering, by where they were first complete.
enum Code : std::uint64_t {
  code_next_symbol = 0,  ///< one more than the highest symbol so far
  code_new_body = 1,     ///< its items follow
  code_other_symbol = 2, ///< one that has not appeared; it follows
  code_times = 3,        ///< how often it comes follows, less 2, and then the item
  code_known = 4,        ///< and what is above this: its number
};

constexpr std::uint32_t unnumbered = 0xffffffffU;

/// So many items of the root a reader that starts anywhere passes over.
constexpr std::size_t items_between_starts = 64;

void put_times(std::string& bytes, std::uint64_t count) {
  if (count == 1) return;
  put_varint(bytes, code_times);
  put_varint(bytes, count - 2);
}

/// Decodes a sequence. Bodies within bodies are read with a stack of their own, so the depth of the input is not that
/// of calls; every count is checked before memory is taken for it.
class Reader {
public:
  Reader(ByteReader& reader, std::uint32_t symbols, std::uint64_t most_size)
      : reader_(reader), symbols_(std::min(symbols, FoldedItem::body_bit)), most_size_(most_size) {}

  FoldedSequence take() {
    open(1, 0);
    for (;;) {
      if (lists_.back().missing != 0) {
        --lists_.back().missing;
        take_item();
        continue;
      }
      const List list = lists_.back();
      lists_.pop_back();
      const auto items = std::span(items_).last(items_.size() - list.begin);
      if (lists_.empty()) {
        sequence_.set_root(items);
        if (sequence_.size() > most_size_) reader_.fail("a sequence longer than there are actions");
        return std::move(sequence_);
      }
      const std::uint32_t body = sequence_.add_body(items);
      if (sequence_.body_size(body) > most_size_) reader_.fail("a loop longer than there are actions");
      items_.resize(list.begin);
      known_.push_back(body | FoldedItem::body_bit);
      items_.push_back({list.count, known_.back()});
    }
  }

private:
  struct List {
    std::size_t missing = 0; ///< items yet to be read
    std::size_t begin = 0;   ///< of those read, in items_
    std::uint64_t count = 1; ///< how often the body comes where it was met
  };

  void open(std::uint64_t count, std::size_t least) {
    if (lists_.size() > FoldedSequence::max_depth) reader_.fail("loops too deep in one another");
    const std::size_t length = reader_.count();
    if (length < least) reader_.fail("a loop of nothing");
    lists_.push_back({length, items_.size(), count});
  }

  void take_item() {
    std::uint64_t code = reader_.varint();
    std::uint64_t count = 1;
    if (code == code_times) {
      count = reader_.varint();
      if (most_size_ < 2 || count > most_size_ - 2) reader_.fail("a loop longer than there are actions");
      count += 2;
      code = reader_.varint();
      if (code == code_times) reader_.fail("a loop of a loop");
    }
    if (code == code_new_body) {
      open(count, 2);
    } else if (code >= code_known) {
      if (code - code_known >= known_.size()) reader_.fail("an item that has not appeared");
      items_.push_back({count, known_[static_cast<std::size_t>(code - code_known)]});
    } else {
      const std::uint32_t symbol =
          code == code_next_symbol ? next_symbol_ : reader_.narrow<std::uint32_t>(reader_.varint());
      if (symbol >= symbols_) reader_.fail("an index beyond the dictionary");
      next_symbol_ = std::max(next_symbol_, symbol + 1);
      known_.push_back(symbol);
      items_.push_back({count, symbol});
    }
  }

  ByteReader& reader_;
  std::uint32_t symbols_;
  std::uint64_t most_size_;
  FoldedSequence sequence_;
  std::vector<FoldedItem> items_; ///< of the lists that are open
  std::vector<List> lists_;
  std::vector<std::uint32_t> known_;
  std::uint32_t next_symbol_ = 0;
};

} // namespace

void FoldedSequence::clear() {
  items_.clear();
  bodies_.clear();
  root_.clear();
  starts_.clear();
  size_ = 0;
  depth_ = 0;
}

FoldedSequence::Body FoldedSequence::measure(std::span<const FoldedItem> items) const {
  const auto refuse = [](const char* what) { throw Error(Failure::invalid_input, what, "a folded sequence"); };
  Body measured;
  for (const FoldedItem& item : items) {
    std::uint64_t size = 1;
    if (item.is_body()) {
      size = bodies_[item.body()].size;
      measured.depth = std::max(measured.depth, bodies_[item.body()].depth);
    }
    if (__builtin_mul_overflow(size, item.count, &size) || __builtin_add_overflow(measured.size, size, &measured.size))
      refuse("a sequence too long for its size to be a number");
  }
  if (measured.depth > max_depth) refuse("loops too deep in one another");
  return measured;
}

std::uint32_t FoldedSequence::add_body(std::span<const FoldedItem> items) {
  Body body = measure(items);
  ++body.depth;
  body.begin = static_cast<std::uint32_t>(items_.size());
  body.length = static_cast<std::uint32_t>(items.size());
  items_.insert(items_.end(), items.begin(), items.end());
  bodies_.push_back(body);
  return static_cast<std::uint32_t>(bodies_.size() - 1);
}

void FoldedSequence::set_root(std::span<const FoldedItem> items) {
  const Body measured = measure(items);
  root_.assign(items.begin(), items.end());
  note_starts();
  size_ = measured.size;
  depth_ = measured.depth;
}

void FoldedSequence::note_starts() {
  starts_.clear();
  std::uint64_t position = 0;
  for (std::size_t item = 0; item < root_.size(); ++item) {
    if (item % items_between_starts == 0) starts_.push_back(position);
    position += root_[item].count * (root_[item].is_body() ? bodies_[root_[item].body()].size : 1);
  }
}

FoldedSequence::Start FoldedSequence::start_before(std::uint64_t position) const {
  const auto after = std::ranges::upper_bound(starts_, position);
  const auto number = static_cast<std::size_t>(after - starts_.begin()) - 1;
  return {number * items_between_starts, starts_[number]};
}

void FoldedSequence::encode(std::string& bytes) const {
  FoldedSequenceEncoder().encode(*this, bytes);
}

FoldedSequence FoldedSequence::decode(ByteReader& reader, std::uint32_t symbols, std::uint64_t most_size) {
  return Reader(reader, symbols, most_size).take();
}

void FoldedSequenceEncoder::encode(const FoldedSequence& sequence, std::string& bytes) {
  body_numbers_.assign(sequence.bodies(), unnumbered);
  symbol_numbers_.clear();
  known_ = 0;
  next_symbol_ = 0;
  open(sequence.root(), unnumbered, bytes);
  while (!lists_.empty()) {
    List& list = lists_.back();
    if (list.rest.empty()) {
      if (list.body != unnumbered) body_numbers_[list.body] = known_++;
      lists_.pop_back();
      continue;
    }
    const FoldedItem item = list.rest.front();
    list.rest = list.rest.subspan(1);
    if (item.is_body())
      put_body(sequence, item, bytes);
    else
      put_symbol(item, bytes);
  }
}

void FoldedSequenceEncoder::open(std::span<const FoldedItem> items, std::uint32_t body, std::string& bytes) {
  put_varint(bytes, items.size());
  lists_.push_back({items, body});
}

void FoldedSequenceEncoder::put_body(const FoldedSequence& sequence, const FoldedItem& item, std::string& bytes) {
  const std::uint32_t number = body_numbers_[item.body()];
  put_times(bytes, item.count);
  put_varint(bytes, number == unnumbered ? std::uint64_t{code_new_body} : code_known + number);
  if (number == unnumbered) open(sequence.body(item.body()), item.body(), bytes);
}

void FoldedSequenceEncoder::put_symbol(const FoldedItem& item, std::string& bytes) {
  if (item.value >= symbol_numbers_.size()) symbol_numbers_.resize(item.value + 1, unnumbered);
  std::uint32_t& number = symbol_numbers_[item.value];
  put_times(bytes, item.count);
  if (number != unnumbered) {
    put_varint(bytes, code_known + number);
    return;
  }
  if (item.value == next_symbol_) {
    put_varint(bytes, code_next_symbol);
  } else {
    put_varint(bytes, code_other_symbol);
    put_varint(bytes, item.value);
  }
  number = known_++;
  next_symbol_ = std::max(next_symbol_, item.value + 1);
}

} // namespace timeless::trace
