#include "trace/archive/reader.h"

#include "base/error.h"
#include "trace/archive/rank_dictionary.h"
#include "trace/archive/reader_state.h"
#include "trace/codec/compression.h"
#include "trace/codec/segment/segment_decoder.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>

namespace timeless::trace {

namespace {

constexpr std::size_t all_actions = ~std::size_t{0};

/// Returns how many actions of a rank to decode at a time: all streams' windows together stay within some hundred
/// megabytes.
std::size_t window_actions(std::size_t ranks) {
  constexpr std::size_t all_windows = std::size_t{1} << 20U;
  return std::clamp(all_windows / std::max<std::size_t>(ranks, 1), std::size_t{1} << 9U, std::size_t{1} << 14U);
}

} // namespace

/// One rank's actions, window by window.
///
/// One thread at a time uses a stream; streams of one archive may run in several. Each has its own cursor, decoder and
/// window, and what they share, `archive_`, has a lock where it changes.
class ArchiveStream : public RankStream {
public:
  /// Reads all segments of the rank, in windows of up to `most` actions.
  ArchiveStream(ArchiveReader::State& archive, const RankRecord& record, std::size_t most)
      : archive_(archive), record_(record), most_(most), cursor_(archive.file, archive.extents(record.rank)) {}

  bool next(ActionBlock& block) override {
    if (decoder_.remaining() == 0 && !next_segment()) return false;
    read_window(block);
    return true;
  }

  bool skip_to(std::uint64_t action) override {
    if (action >= position_) {
      do {
        if (!cursor_.next(segment_)) fail_hole();
        position_ += segment_.actions;
      } while (position_ <= action);
      open_segment();
    }
    const std::uint64_t here = position_ - decoder_.remaining();
    if (action < here) throw Error(Failure::invalid_input, "a stream of actions does not go back");
    try {
      decoder_.skip(action - here);
    } catch (const Error& problem) {
      archive_.fail_at(segment_.volumes, problem);
    }
    return true;
  }

  /// Reads the whole of one segment; no longer to be used as a stream then.
  void read(const ActionSegment& segment, ActionBlock& block) {
    segment_ = segment;
    open_segment();
    read_window(block);
  }

  void read_times(ActionBlock& block) const override {
    if (!segment_.times) return;
    if (times_of_ != segment_.times) {
      times_ = archive_.times(*segment_.times);
      times_of_ = segment_.times;
    }
    const auto window = std::span(times_).subspan(window_begin_, block.size());
    block.assign_times({window.begin(), window.end()});
  }

private:
  bool next_segment() {
    if (!cursor_.next(segment_)) {
      if (position_ < record_.actions) fail_hole();
      return false;
    }
    position_ += segment_.actions;
    open_segment();
    return true;
  }

  void open_segment() {
    try {
      find_structure();
      decoder_.open(structure_, segment_.first_action - structure_begin_, segment_.actions,
                    archive_.stored_payload(segment_.volumes));
    } catch (const Error& problem) {
      archive_.fail_at(segment_.volumes, problem);
    }
  }

  void find_structure() {
    if (segment_.structure) {
      use(archive_.own_structure(*segment_.structure), segment_.first_action);
      return;
    }
    const auto numbers = archive_.structures_of(record_.rank);
    while (!structure_ || segment_.first_action - structure_begin_ >= structure_->sequence.size()) {
      if (numbers.empty() && !archive_.contents.finished) fail_unfinished();
      if (next_shared_ == numbers.size()) throw Error(Failure::invalid_input, "volumes of no structure");
      const std::uint64_t begin = structure_ ? structure_begin_ + structure_->sequence.size() : 0;
      use(archive_.shared_structure(numbers[next_shared_++]), begin);
    }
  }

  void use(std::shared_ptr<const Structure> structure, std::uint64_t begin) {
    structure_ = std::move(structure);
    structure_begin_ = begin;
    mark_ = 0;
  }

  void read_window(ActionBlock& block) {
    try {
      if (mark_ == 0 || block.dictionary_mark() != mark_) use_dictionary(block);
      window_begin_ = segment_.actions - decoder_.remaining();
      decoder_.next(block, most_);
    } catch (const Error& problem) {
      archive_.fail_at(segment_.volumes, problem);
    }
  }

  void use_dictionary(ActionBlock& block) {
    Dictionary dictionary = rank_dictionary(structure_, record_.rank, archive_.numbers_of(record_.rank), archive_.run);
    archive_.check_ids(dictionary.entries());
    mark_ = block.use_dictionary(std::move(dictionary));
  }

  /// What ranks share stands behind the actions of all.
  [[noreturn]] void fail_unfinished() const {
    throw Error(Failure::invalid_input, "the end of the archive is missing, which says what its ranks did",
                archive_.file.path().string() + ", rank " + std::to_string(record_.rank),
                "the file is cut short; take it again from its source, or gather the ranks' files again");
  }

  [[noreturn]] void fail_hole() const {
    throw Error(Failure::invalid_input, "actions are missing from action " + std::to_string(position_) + " on",
                archive_.file.path().string() + ", rank " + std::to_string(record_.rank),
                "the file is damaged or cut short; take it again from its source");
  }

  ArchiveReader::State& archive_;
  const RankRecord& record_;
  std::size_t most_;
  SegmentCursor cursor_;
  ActionSegment segment_;
  std::uint64_t position_ = 0; ///< actions in the segments so far
  std::shared_ptr<const Structure> structure_;
  std::uint64_t structure_begin_ = 0; ///< the rank's action that is its first
  std::size_t next_shared_ = 0;       ///< of the rank's list
  std::uint64_t mark_ = 0;            ///< of the dictionary given to the block; 0 when it has to be given
  SegmentDecoder decoder_;
  std::size_t window_begin_ = 0; ///< of the window last read, in the segment
  // The times of the segment, once they have been asked for.
  mutable std::vector<ActionTimes> times_;
  mutable std::optional<LocatedBlock> times_of_;
};

ArchiveReader::ArchiveReader(const std::filesystem::path& path) {
  // A running program may give a part of the journal to its next block just when that part is being read.
  constexpr int most_attempts = 4;
  for (int attempt = 0; attempt < most_attempts && (!state_ || state_->torn); ++attempt)
    state_ = std::make_unique<State>(path, JournalImage::read(journal_beside(path)));
}

ArchiveReader::~ArchiveReader() = default;
ArchiveReader::ArchiveReader(ArchiveReader&&) noexcept = default;
ArchiveReader& ArchiveReader::operator=(ArchiveReader&&) noexcept = default;

const std::filesystem::path& ArchiveReader::path() const {
  return state_->file.path();
}

const Run& ArchiveReader::run() const {
  return state_->run;
}

std::unique_ptr<RankStream> ArchiveReader::open(Rank rank) const {
  return std::make_unique<ArchiveStream>(*state_, state_->record(rank), window_actions(state_->run.ranks.size()));
}

bool ArchiveReader::finished() const {
  return state_->contents.finished;
}

bool ArchiveReader::journaled() const {
  return state_->journaled;
}

const std::vector<Damage>& ArchiveReader::damage() const {
  return state_->contents.damage;
}

std::uint64_t ArchiveReader::file_bytes() const {
  return state_->file.size();
}

const RankNumbers& ArchiveReader::numbers(Rank rank) const {
  return state_->numbers_of(rank);
}

const std::vector<LocatedBlock>& ArchiveReader::common_blocks() const {
  return state_->contents.blocks;
}

std::uint64_t ArchiveReader::end_of_blocks() const {
  std::uint64_t end = 0;
  for (const Extent& extent : state_->contents.extents)
    end = std::max(end, extent.offset + extent.bytes);
  return end;
}

std::vector<ActionSegment> ArchiveReader::segments(Rank rank, std::uint64_t from, std::size_t most) const {
  std::vector<ActionSegment> segments;
  const std::lock_guard lock(state_->mutex);
  SegmentCursor& cursor = state_->cursor_before(rank, from);
  try {
    for (ActionSegment segment; segments.size() < most && cursor.next(segment);)
      if (segment.first_action + segment.actions > from) segments.push_back(segment);
  } catch (const Error&) {
    state_->last_cursor.reset(); // it may stand within a segment
    throw;
  }
  return segments;
}

std::string ArchiveReader::payload(const LocatedBlock& place) const {
  return state_->stored_payload(place);
}

std::string ArchiveReader::stored(const LocatedBlock& place) const {
  return state_->stored(place);
}

void ArchiveReader::read(const ActionSegment& segment, ActionBlock& block) const {
  ArchiveStream(*state_, state_->record(segment.rank), all_actions).read(segment, block);
}

void ArchiveReader::read_times(const ActionSegment& segment, ActionBlock& block) const {
  if (segment.times) block.assign_times(state_->times(*segment.times));
}

std::shared_ptr<const Structure> ArchiveReader::structure(const ActionSegment& segment) const {
  return state_->own_structure(segment.structure.value());
}

Structure ArchiveReader::structure(std::string_view stored_block) {
  const auto header = decode_block_header(stored_block);
  if (!header || header->header.type != BlockType::structure)
    throw Error(Failure::invalid_input, "no block of a structure");
  const BlockHeader& block = header->header;
  Structure structure =
      decode_structure(decompress(stored_block.substr(block_header_bytes), block.plain_bytes), block.actions);
  if (structure.sequence.size() != block.actions)
    throw Error(Failure::invalid_input, "a structure of another length than its header says");
  return structure;
}

std::shared_ptr<const Structure> ArchiveReader::whole_structure(Rank rank) const {
  const auto numbers = state_->structures_of(rank);
  if (numbers.size() != 1) return nullptr;
  auto structure = state_->shared_structure(numbers.front());
  return structure->sequence.size() == state_->record(rank).actions ? structure : nullptr;
}

std::vector<std::uint32_t> ArchiveReader::shared_structures(Rank rank) const {
  const auto numbers = state_->structures_of(rank);
  return {numbers.begin(), numbers.end()};
}

std::uint32_t ArchiveReader::shared_structures() const {
  return state_->shared.size();
}

std::string ArchiveReader::shared_structure(std::uint32_t number) const {
  const std::lock_guard lock(state_->mutex);
  return state_->shared.bytes(number, [this](const LocatedBlock& place) { return state_->plain_payload(place); });
}

} // namespace timeless::trace
