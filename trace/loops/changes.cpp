#include "trace/loops/changes.h"

#include "base/error.h"
#include "trace/archive/reader.h"
#include "trace/codec/structure/structure.h"
#include "trace/codec/volumes/volume_codec.h"
#include "trace/loops/volumes_ahead.h"

#include <algorithm>
#include <memory>
#include <span>
#include <utility>

namespace timeless::trace {

namespace {

/// Visits the entries that stand in a part of a folded sequence, each as often as it comes there, those of a body once
/// for all iterations: in the order in which entries come first. The time goes with the items.
template <typename Visit>
class PartOfSequence {
public:
  /// Calls visit(entry, times), until it returns false.
  PartOfSequence(const FoldedSequence& sequence, Visit visit) : sequence_(sequence), visit_(std::move(visit)) {}

  /// Visits those in [begin, end).
  void visit(std::uint64_t begin, std::uint64_t end) {
    if (begin >= end) return;
    const FoldedSequence::Start start = sequence_.start_before(begin);
    list(sequence_.root().subspan(start.item), begin - start.position, end - start.position, 1);
  }

private:
  std::uint64_t size(const FoldedItem& item) const { return item.is_body() ? sequence_.body_size(item.body()) : 1; }

  bool list(std::span<const FoldedItem> items, std::uint64_t begin, std::uint64_t end, std::uint64_t times) {
    std::uint64_t at = 0;
    for (const FoldedItem& item : items) {
      if (at >= end) break;
      const std::uint64_t next = at + item.count * size(item);
      if (next > begin && !part_of(item, std::max(begin, at) - at, std::min(end, next) - at, times)) return false;
      at = next;
    }
    return true;
  }

  bool part_of(const FoldedItem& item, std::uint64_t begin, std::uint64_t end, std::uint64_t times) {
    if (!item.is_body()) return visit_(item.value, (end - begin) * times);
    const std::span<const FoldedItem> body = sequence_.body(item.body());
    const std::uint64_t each = size(item);
    const std::uint64_t first = (begin + each - 1) / each; // whole iteration
    const std::uint64_t last = end / each;
    if (first > last) return list(body, begin % each, end - last * each, times); // a part of one
    return (begin % each == 0 || list(body, begin % each, each, times)) &&
           (first == last || list(body, 0, each, times * (last - first))) &&
           (end % each == 0 || list(body, 0, end % each, times));
  }

  const FoldedSequence& sequence_;
  Visit visit_;
};

/// The volumes of an entry of the dictionary, iteration after iteration.
struct EntryVolumes {
  std::vector<std::uint64_t> last; ///< one per action of an iteration
  std::size_t next = 0;            ///< of these
  std::uint64_t iteration = 0;

  /// Notes the next volume; true where it differs from that of the iteration before.
  bool differs(std::uint64_t volume) {
    const bool differs = iteration > 0 && last[next] != volume;
    last[next] = volume;
    return differs;
  }
  void pass(std::uint64_t volumes) {
    const std::uint64_t place = next + volumes;
    iteration += place / last.size();
    next = place % last.size();
  }
  void pass_one() {
    if (++next < last.size()) return;
    next = 0;
    ++iteration;
  }
};

/// Compares the volumes of a loop in a gathered archive, stream by stream.
class StreamComparison {
public:
  StreamComparison(const ArchiveReader& archive, Rank rank, const Loop& loop, const Structure& structure)
      : archive_(archive), rank_(rank), loop_(loop), structure_(structure), entries_(structure.dictionary.size()) {
    const std::vector<std::uint64_t> counts = count(loop.first, loop.first + loop.actions);
    for (std::size_t entry = 0; entry < entries_.size(); ++entry)
      if (has_volume(structure.dictionary[entry].kind)) entries_[entry].last.resize(counts[entry]);
  }

  std::vector<std::uint64_t> changes() {
    constexpr std::size_t at_a_time = 64;
    for (std::uint64_t action = loop_.first; action < loop_.end();) {
      const auto segments = archive_.segments(rank_, action, at_a_time);
      if (segments.empty()) throw Error(Failure::invalid_input, "a loop beyond the end of a rank's actions");
      for (const ActionSegment& segment : segments) {
        if (segment.first_action >= loop_.end()) break;
        compare(segment);
      }
      action = segments.back().first_action + segments.back().actions;
    }
    std::ranges::sort(changes_);
    changes_.erase(std::ranges::unique(changes_).begin(), changes_.end());
    return std::move(changes_);
  }

private:
  /// Visits the entries of the actions in [begin, end), as PartOfSequence does.
  template <typename Visit>
  void visit(std::uint64_t begin, std::uint64_t end, Visit&& visit) const {
    PartOfSequence(structure_.sequence, std::forward<Visit>(visit)).visit(begin, end);
  }

  std::vector<std::uint64_t> count(std::uint64_t begin, std::uint64_t end) const {
    std::vector<std::uint64_t> counts(entries_.size());
    visit(begin, end, [&](std::uint32_t entry, std::uint64_t times) {
      counts[entry] += times;
      return true;
    });
    return counts;
  }

  /// Returns the entry of each stream: they are in the order of their first volumes.
  std::vector<std::uint32_t> entries_of_streams(const ActionSegment& segment, std::size_t streams) const {
    std::vector<std::uint32_t> entries;
    std::vector<bool> met(entries_.size());
    visit(segment.first_action, segment.first_action + segment.actions, [&](std::uint32_t entry, std::uint64_t) {
      if (!met[entry] && has_volume(structure_.dictionary[entry].kind)) entries.push_back(entry);
      met[entry] = true;
      return entries.size() < streams;
    });
    if (entries.size() < streams) throw Error(Failure::invalid_input, "volumes that do not suit the actions");
    return entries;
  }

  void compare(const ActionSegment& segment) {
    const std::uint64_t end = segment.first_action + segment.actions;
    const auto before = count(segment.first_action, std::min(std::max(segment.first_action, loop_.first), end));
    const auto after = count(std::max(segment.first_action, std::min(end, loop_.end())), end);
    decoder_.open(archive_.payload(segment.volumes));
    const auto entries = entries_of_streams(segment, decoder_.streams());
    for (std::size_t stream = 0; stream < entries.size(); ++stream) {
      const std::uint32_t entry = entries[stream];
      const std::uint64_t outside = before[entry] + after[entry];
      if (outside > decoder_.size(stream)) throw Error(Failure::invalid_input, "volumes that do not suit the actions");
      if (entries_[entry].last.empty()) continue; // not in the loop
      values_.resize(before[entry]);
      decoder_.next(stream, values_);
      compare(entries_[entry], stream, decoder_.size(stream) - outside);
    }
  }

  void compare(EntryVolumes& entry, std::size_t stream, std::uint64_t left) {
    // Where the model says that values repeat with the iterations, those of one tell all.
    const std::uint64_t period = decoder_.period(stream);
    const bool repeats = period > 0 && entry.last.size() % period == 0;
    const std::uint64_t looked_at = repeats ? std::min<std::uint64_t>(left, entry.last.size()) : left;
    values_.resize(looked_at);
    decoder_.next(stream, values_);
    for (const std::uint64_t volume : values_) {
      if (entry.differs(volume) && (changes_.empty() || changes_.back() != entry.iteration))
        changes_.push_back(entry.iteration);
      entry.pass_one();
    }
    entry.pass(left - looked_at);
  }

  const ArchiveReader& archive_;
  Rank rank_;
  Loop loop_;
  const Structure& structure_;
  std::vector<EntryVolumes> entries_;
  VolumeDecoder decoder_;
  std::vector<std::uint64_t> values_;
  std::vector<std::uint64_t> changes_;
};

/// Reads all actions up to the end of the loop.
std::vector<std::uint64_t> changes_read(const Source& source, Rank rank, const Loop& loop) {
  std::vector<std::uint64_t> changes;
  std::vector<std::uint64_t> last; // volumes, of the iteration before
  std::uint64_t next = 0;
  std::uint64_t position = 0;
  ActionBlock block;
  for (const auto stream = source.open(rank); position < loop.end() && stream->next(block);)
    for_each_action(block, [&](const Action& action, std::uint64_t volume) {
      const std::uint64_t place = position++;
      if (place < loop.first || place >= loop.end() || !has_volume(action.kind)) return;
      const std::uint64_t iteration = (place - loop.first) / loop.actions;
      if (iteration == 0) return last.push_back(volume);
      std::uint64_t& before = last[next++ % last.size()];
      if (before != volume && (changes.empty() || changes.back() != iteration)) changes.push_back(iteration);
      before = volume;
    });
  if (position < loop.end()) throw Error(Failure::invalid_input, "a loop beyond the end of a rank's actions");
  return changes;
}

} // namespace

std::vector<std::uint64_t> changes(const Source& source, Rank rank, const Loop& loop) {
  if (const auto* const replaced = dynamic_cast<const ReplacedVolumes*>(&source))
    if (auto known = replaced->known_changes(rank, loop)) return std::move(*known);
  if (const auto* const archive = dynamic_cast<const ArchiveReader*>(&source))
    if (const auto structure = archive->whole_structure(rank))
      return StreamComparison(*archive, rank, loop, *structure).changes();
  return changes_read(source, rank, loop);
}

std::uint64_t volume_period(const Source& source, Rank rank, const Loop& loop, std::uint64_t most) {
  Loop beginning = loop;
  beginning.iterations = std::min(loop.iterations, 2 * most);
  const std::uint64_t looked_at = beginning.iterations;
  const std::vector<VolumesDigest> volumes = VolumesAhead(source, rank).of(beginning);
  for (std::uint64_t period = 1; period <= std::min(most, looked_at / 2); ++period) {
    const std::uint64_t compared = looked_at - period;
    std::uint64_t same = 0;
    for (std::uint64_t iteration = 0; iteration < compared; ++iteration)
      same += volumes[iteration] == volumes[iteration + period] ? 1 : 0;
    if (4 * same >= 3 * compared) return period;
  }
  return 0;
}

} // namespace timeless::trace
