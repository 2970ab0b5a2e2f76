#pragma once

#include "trace/codec/structure/folded_sequence.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace timeless::trace {

/// Unfolds a sequence from any of its positions on, a window at a time. It is as large as the sequence is deep, some
/// tens of bytes as a rule; the sequence must outlive it.
class Unfolder {
public:
  /// Starts before the symbol of that position, or at the end. The time goes with the items of the
  /// bodies on the way there.
  explicit Unfolder(const FoldedSequence& sequence, std::uint64_t start = 0);

  /// Fills the span, or what of it the rest of the sequence fills, and returns how many symbols that is.
  std::size_t next(std::span<std::uint32_t> symbols);

private:
  struct Level {
    const FoldedItem* item; ///< of the root, or of a body
    const FoldedItem* end;
    std::uint64_t left; ///< how often the item is yet to come, with the one that inner levels are in
  };
  void enter(std::span<const FoldedItem> items);
  void leave();
  static std::uint32_t* write_symbols(Level& level, std::uint32_t* at, std::uint32_t* end);
  void skip(std::uint64_t symbols);

  const FoldedSequence* sequence_;
  std::vector<Level> levels_; ///< items follow the last one; none at the end
};

} // namespace timeless::trace
