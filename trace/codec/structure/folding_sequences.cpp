#include "trace/codec/structure/folding.h"

#include "base/error.h"

#include <algorithm>
#include <limits>

// Sequences appended to a fold without unfolding them.

namespace timeless::trace {

void SequenceFolder::append_run(std::uint32_t symbol, std::uint64_t count) {
  while (count != 0) {
    if (symbol != expected_) {
      append_unexpected(symbol);
      --count;
      continue;
    }
    const std::uint64_t taken = std::min(count, expected_left_);
    count -= taken;
    expected_left_ -= taken;
    if (expected_left_ == 0) expect_next();
  }
}

/// Takes iterations of a body where just these are expected, and returns how many.
std::uint64_t SequenceFolder::follow_loop(std::uint32_t body, std::uint64_t count) {
  if (expected_ == no_number || levels_.empty() || expected_left_ != body_items_[levels_.back().at].count) return 0;
  for (std::size_t depth = levels_.size() - 1; levels_[depth].at == levels_[depth].begin; --depth) {
    if (depth == 0) {
      if (places_[last_].item.value != body) return 0;
      iterations_ += count;
      return count;
    }
    const FoldedItem& item = body_items_[levels_[depth - 1].at];
    if (item.value == body) {
      const std::uint64_t taken = std::min(count, levels_[depth].left);
      levels_[depth].left -= taken;
      if (levels_[depth].left == 0) {
        levels_.resize(depth);
        expect_next();
      }
      return taken;
    }
    if (levels_[depth].left != item.count) return 0;
  }
  return 0;
}

/// One sequence being appended. What results is what its symbols one by one would give: where a loop of it has been
/// followed for one iteration to the same place of an iteration of the loop being followed, the rest is arithmetic.
class SequenceFolder::Seam {
public:
  Seam(SequenceFolder& folder, const FoldedSequence& more, std::span<const std::uint32_t> translation)
      : folder_(folder), more_(more), translation_(translation), unrolled_left_(32 * more.items() + 16'384) {
    for (std::uint32_t number = 0; number < more.bodies(); ++number) {
      items_.clear();
      for (const FoldedItem& item : more.body(number))
        items_.push_back(translated(item));
      bodies_.push_back(folder_.number_body(items_) | FoldedItem::body_bit);
    }
  }

  FoldedItem translated(const FoldedItem& item) const {
    if (item.is_body()) return {item.count, bodies_[item.body()]};
    return {item.count, translation_.empty() ? item.value : translation_[item.value]};
  }

  void append(std::span<const FoldedItem> items) {
    for (const FoldedItem& item : items)
      if (item.is_body())
        append_loop(item);
      else
        folder_.append_run(translated(item).value, item.count);
  }

private:
  /// Where in the loop being followed the folder is.
  struct Phase {
    std::uint64_t broken = 0;
    std::uint64_t iterations = 0;
    std::uint64_t left = 0;
    std::size_t levels = 0; ///< where in levels_ those begin
  };

  void append_loop(const FoldedItem& item) {
    const std::span<const FoldedItem> body = more_.body(item.body());
    FoldedItem rest = translated(item);
    while (rest.count != 0) {
      const std::uint64_t followed = folder_.follow_loop(rest.value, rest.count);
      rest.count -= followed;
      if (followed != 0) continue;
      if (unrolled_left_ < body.size()) {
        folder_.stop_following();
        folder_.push(rest);
        return;
      }
      unrolled_left_ -= body.size();
      const Phase before = phase();
      append(body);
      --rest.count;
      rest.count -= repeat_step(before, rest.count);
      levels_.resize(before.levels);
    }
  }

  Phase phase() {
    const std::size_t begin = levels_.size();
    levels_.insert(levels_.end(), folder_.levels_.begin(), folder_.levels_.end());
    return {folder_.times_broken_, folder_.iterations_, folder_.expected_left_, begin};
  }

  /// If the iteration since led to the same place but for a count, takes more such steps, up to `most`, and returns how
  /// many.
  std::uint64_t repeat_step(const Phase& before, std::uint64_t most) {
    const std::span<const Level> then = std::span(levels_).subspan(before.levels);
    const std::span<Level> now = folder_.levels_;
    if (before.broken != folder_.times_broken_ || now.empty() || before.left != folder_.expected_left_ ||
        now.size() != then.size())
      return 0;
    Level* stepped = nullptr;
    for (std::size_t depth = 0; depth < now.size(); ++depth) {
      if (now[depth].begin != then[depth].begin || now[depth].at != then[depth].at) return 0;
      if (now[depth].left == then[depth].left) continue;
      if (now[depth].left > then[depth].left || stepped != nullptr) return 0;
      stepped = &now[depth];
    }
    const std::uint64_t iterations = folder_.iterations_ - before.iterations;
    if (stepped == nullptr) {
      folder_.iterations_ += iterations * most;
      return iterations == 0 ? 0 : most;
    }
    if (iterations != 0) return 0;
    const std::uint64_t step = then[static_cast<std::size_t>(stepped - now.data())].left - stepped->left;
    const std::uint64_t steps = std::min(most, (stepped->left - 1) / step);
    stepped->left -= steps * step;
    return steps;
  }

  SequenceFolder& folder_;
  const FoldedSequence& more_;
  std::span<const std::uint32_t> translation_;
  std::size_t unrolled_left_;         ///< items; bounds the time, whatever the sequence
  std::vector<std::uint32_t> bodies_; ///< of `more`, as values of items here
  std::vector<FoldedItem> items_;
  std::vector<Level> levels_; ///< of all phases kept, inner loops' after outer ones'
};

/// Counts have 64 bits; symbols one by one do not get there, sequences might.
void SequenceFolder::count_appended(std::uint64_t symbols) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max() / 2;
  if (symbols > most - appended_)
    throw Error(Failure::invalid_input, "a sequence too long for its size to be a number", "a folded sequence");
  appended_ += symbols;
}

void SequenceFolder::append(const FoldedSequence& more, std::span<const std::uint32_t> translation) {
  count_appended(more.size());
  Seam(*this, more, translation).append(more.root());
}

} // namespace timeless::trace
