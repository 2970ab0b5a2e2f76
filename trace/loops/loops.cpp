#include "trace/loops/loops.h"

#include "trace/archive/reader.h"
#include "trace/codec/structure/folding.h"
#include "trace/codec/structure/unfolding.h"
#include "trace/model/dictionary.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <span>

namespace timeless::trace {

namespace {

/// Looks for the loops of a sequence.
class LoopFinder {
public:
  LoopFinder(const FoldedSequence& sequence, std::uint64_t least)
      : sequence_(sequence), least_(std::max<std::uint64_t>(least, 2)), bodies_(sequence.bodies()) {}

  std::vector<Loop> find() {
    visit(sequence_.root(), 0);
    return std::move(found_);
  }

private:
  /// What of a list of items is left to be looked at, and how many loops are found there.
  struct Measure {
    std::uint64_t actions = 0;
    std::uint64_t loops = 0;
  };

  std::uint64_t size(const FoldedItem& item) const { return item.is_body() ? sequence_.body_size(item.body()) : 1; }

  bool long_enough(const FoldedItem& item) const { return item.is_body() && item.count >= least_; }

  Measure as_loop(const FoldedItem& item) const { return {least_ / 2 * size(item), 1}; }

  /// Measures the loops within an item's iterations.
  Measure within(const FoldedItem& item) {
    if (!item.is_body()) return {item.count, 0};
    const Measure one = of_body(item.body());
    return {item.count * one.actions, item.count * one.loops};
  }

  bool is_loop(const FoldedItem& item) {
    if (!long_enough(item)) return false;
    const Measure inner = within(item);
    return inner.loops > most_loops || as_loop(item).actions <= inner.actions;
  }

  Measure of_body(std::uint32_t number) {
    if (bodies_[number]) return *bodies_[number];
    Measure all;
    for (const FoldedItem& item : sequence_.body(number)) {
      const Measure one = is_loop(item) ? as_loop(item) : within(item);
      all.actions += one.actions;
      all.loops += one.loops;
    }
    bodies_[number] = all;
    return all;
  }

  void visit(std::span<const FoldedItem> items, std::uint64_t position) {
    for (const FoldedItem& item : items) {
      if (is_loop(item)) {
        if (found_.size() < most_loops) found_.push_back({position, size(item), item.count, 0});
      } else if (item.is_body() && of_body(item.body()).loops > 0) {
        for (std::uint64_t i = 0; i < item.count && found_.size() < most_loops; ++i)
          visit(sequence_.body(item.body()), position + i * size(item));
      }
      position += item.count * size(item);
    }
  }

  const FoldedSequence& sequence_;
  std::uint64_t least_;
  std::vector<std::optional<Measure>> bodies_;
  std::vector<Loop> found_;
};

std::vector<std::uint32_t> symbols_between(const FoldedSequence& sequence, std::uint64_t begin, std::uint64_t end) {
  std::vector<std::uint32_t> all(end - begin);
  if (!all.empty()) Unfolder(sequence, begin).next(all);
  return all;
}

/// Extends loops to all actions before and behind that are those of an iteration later or earlier.
void extend_loops(const FoldedSequence& sequence, std::vector<Loop>& loops) {
  constexpr std::uint64_t most_iterations = 4; // that the folding has put elsewhere
  std::uint64_t free = 0;
  for (std::size_t i = 0; i < loops.size(); ++i) {
    Loop& loop = loops[i];
    const std::uint64_t most = most_iterations * loop.actions;
    const std::uint64_t lowest = std::max(free, loop.first - std::min(most, loop.first));
    const auto before = symbols_between(sequence, lowest, loop.first + loop.actions);
    std::uint64_t first = loop.first;
    while (first > lowest && before[first - 1 - lowest] == before[first - 1 - lowest + loop.actions])
      --first;
    const std::uint64_t next = i + 1 < loops.size() ? loops[i + 1].first : sequence.size();
    const std::uint64_t highest = std::min(next, loop.end() + most);
    const std::uint64_t from = loop.end() - loop.actions;
    const auto behind = symbols_between(sequence, from, highest);
    std::uint64_t end = loop.end();
    while (end < highest && behind[end - from] == behind[end - from - loop.actions])
      ++end;
    loop.first = first;
    loop.iterations = (end - first) / loop.actions;
    loop.rest = (end - first) % loop.actions;
    free = end;
  }
}

/// Folds the actions [begin, end) of a rank, or all that are there.
FoldedSequence folded_actions(const Source& source, Rank rank, std::uint64_t begin, std::uint64_t end) {
  SequenceFolder folder;
  Dictionary known;
  ActionBlock block;
  std::vector<std::uint32_t> numbers;
  const auto stream = source.open(rank);
  std::uint64_t position = begin > 0 && stream->skip_to(begin) ? begin : 0;
  while (position < end && stream->next(block)) {
    numbers.clear();
    for (const Action& action : block.dictionary())
      numbers.push_back(known.intern(action));
    for (const std::uint32_t entry : block.sequence()) {
      if (position >= begin && position < end) folder.append(numbers[entry]);
      ++position;
    }
  }
  return folder.finish();
}

} // namespace

std::vector<Loop> loops(const FoldedSequence& sequence, std::uint64_t least_iterations) {
  std::vector<Loop> all = LoopFinder(sequence, least_iterations).find();
  extend_loops(sequence, all);
  return all;
}

std::vector<Loop> loops(const Source& source, Rank rank, std::uint64_t least_iterations) {
  if (const auto* const replaced = dynamic_cast<const ReplacedVolumes*>(&source))
    return loops(replaced->original(), rank, least_iterations);
  if (const auto* const archive = dynamic_cast<const ArchiveReader*>(&source))
    if (const auto structure = archive->whole_structure(rank)) return loops(structure->sequence, least_iterations);
  return loops(folded_actions(source, rank, 0, std::numeric_limits<std::uint64_t>::max()), least_iterations);
}

std::vector<Loop> loops_within(const Source& source, Rank rank, const Loop& loop, std::uint64_t least_iterations) {
  return loops(folded_actions(source, rank, loop.first, loop.first + loop.actions), least_iterations);
}

} // namespace timeless::trace
