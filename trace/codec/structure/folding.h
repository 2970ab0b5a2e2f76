#pragma once

#include "trace/codec/structure/folded_sequence.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace timeless::trace {

/// Folds a sequence into loops while it comes.
///
/// What has come is a list of items; its last ones are folded when they repeat those before them, or the body of the
/// loop before them. While symbols continue the loop at the end of the list they are only compared with its body, so a
/// steady loop costs a comparison a symbol. Bodies are numbered so that equal ones have equal numbers: items compare in
/// constant time, and ranges of items by a polynomial hash of the list's prefixes before they compare in full.
///
/// Time per symbol and memory beyond the items are bounded whatever comes. Loops whose body takes more than
/// `longest_body` items are not seen.
class SequenceFolder {
public:
  static constexpr std::uint32_t longest_body = 8192;

  SequenceFolder();

  /// Adds a symbol, below FoldedItem::body_bit.
  void append(std::uint32_t symbol) {
    if (symbol != expected_) {
      append_unexpected(symbol);
    } else if (--expected_left_ == 0) {
      expect_next();
    }
  }

  /// Adds a whole sequence, symbol s of which is translation[s] here: the same as its symbols one by one, but the time
  /// goes with its items. (Where that would take too long, for loops no folder makes, some stay as they are.)
  /// Throws Error(invalid_input) when it all would be too long to be counted.
  void append(const FoldedSequence& more, std::span<const std::uint32_t> translation);

  /// Returns the number of items it has taken so far, some of which the result may not need.
  std::size_t items() const { return last_ + body_items_.size(); }

  /// Returns what has come; starts anew and keeps the memory.
  FoldedSequence finish();
  /// Finishes the sequence in memory that is there.
  void finish(FoldedSequence& sequence);

private:
  static constexpr std::uint32_t no_number = 0xffffffffU; ///< no symbol and no body

  /// An item of the list. Places are numbered from 1.
  struct ListItem {
    FoldedItem item;
    std::uint64_t hash = 0;    ///< of the list up to here; of the last item only once it is settled
    std::uint32_t earlier = 0; ///< the place before with the same context; 0 for none
    std::uint16_t context = 0; ///< of the items that end here
    /// Of a loop: how far before it the loop is whose next iteration would end at the same place; 0 for none.
    std::uint16_t also_ends = 0;
  };
  struct Body {
    std::uint32_t begin = 0;
    std::uint32_t length = 0;
    std::uint32_t first = 0; ///< symbol of it unfolded
    std::uint32_t depth = 1;
    std::uint64_t hash = 0;
  };
  /// Where in an iteration of the loop at the end of the list the symbols are.
  struct Level {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    std::uint32_t at = 0; ///< in body_items_
    std::uint64_t left = 0;
  };
  class Seam;

  void append_unexpected(std::uint32_t symbol);
  void follow_last();
  void expect_next();
  void expect_item();
  void stop_following();
  void count_appended(std::uint64_t symbols);
  void append_run(std::uint32_t symbol, std::uint64_t count);
  std::uint64_t follow_loop(std::uint32_t body, std::uint64_t count);

  void push(const FoldedItem& item);
  void place(const FoldedItem& item);
  bool fold();
  bool continue_loop();
  bool begin_short_loop();
  bool begin_long_loop();
  bool begin_loop(std::uint32_t length);
  bool same(std::uint32_t begin, std::uint32_t other, std::uint32_t length) const;
  void hash_last();
  void settle_last();
  void unsettle_from(std::uint32_t at);
  std::uint64_t range_hash(std::uint32_t before, std::uint32_t last) const;

  std::uint32_t number_body(std::span<const FoldedItem> items);
  void grow_numbering();
  std::uint32_t first_symbol(const FoldedItem& item) const;
  void collect(FoldedSequence& sequence);
  void reset();

  std::vector<ListItem> places_; ///< [0] stands before the list
  std::uint32_t last_ = 0;
  std::vector<std::uint32_t> keys_;         ///< by place, settled or last: part of the item's hash
  std::vector<std::uint32_t> contexts_;     ///< by context: the last settled place that has it
  std::vector<std::uint32_t> loops_ending_; ///< by place: the last loop whose next iteration would end there

  std::vector<FoldedItem> body_items_;
  std::vector<Body> bodies_;
  std::vector<std::uint32_t> numbering_; ///< hash table of bodies: number + 1, or 0
  std::vector<FoldedItem> new_body_;

  std::uint32_t expected_;
  std::uint64_t expected_left_ = 0;
  std::uint64_t iterations_ = 0; ///< of the loop at the end, complete and not yet counted there
  std::vector<Level> levels_;
  std::uint64_t times_broken_ = 0; ///< that a symbol was not the expected one

  std::uint64_t appended_ = 0; ///< symbols that came in sequences

  std::vector<std::uint32_t> collected_; ///< by body: its number in the result
};

} // namespace timeless::trace
