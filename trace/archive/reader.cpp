#include "trace/archive/reader.h"

#include "base/error.h"
#include "base/files/input_file.h"
#include "trace/archive/rank_dictionary.h"
#include "trace/archive/scan.h"
#include "trace/archive/shared_structures.h"
#include "trace/archive/stretches.h"
#include "trace/codec/compression.h"
#include "trace/codec/layout.h"
#include "trace/codec/stretch/stretch_decoder.h"
#include "trace/codec/times_codec.h"
#include "trace/journal/owner.h"
#include "trace/journal/tail.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

namespace timeless::trace {

namespace {

constexpr std::size_t all_actions = ~std::size_t{0};

/// How many actions of a rank to decode at a time: all streams' windows together stay within some hundred megabytes.
std::size_t window_actions(std::size_t ranks) {
  constexpr std::size_t all_windows = std::size_t{1} << 20U;
  return std::clamp(all_windows / std::max<std::size_t>(ranks, 1), std::size_t{1} << 9U, std::size_t{1} << 14U);
}

} // namespace

struct ArchiveReader::State {
  InputFile file;
  Contents contents;
  Run run;
  std::map<Rank, RankNumbers> numbers;
  Layout layout;
  bool journaled = false;
  bool torn = false; ///< the journal changed while it was read
  /// Of the rest, which streams of several threads share.
  std::mutex turn;
  SharedStructures shared;
  std::optional<StretchCursor> last_cursor;
  Rank last_cursor_rank = no_rank;

  explicit State(const std::filesystem::path& path) : file(path) {}

  /// All that is there. What a journal says has to be read before the file, which takes over what leaves the journal.
  State(const std::filesystem::path& path, const std::optional<JournalImage>& journal) : State(path) {
    contents = read_contents(file);
    read_definitions();
    if (journal && !contents.finished) add_journal(*journal);
    check_numbers();
    read_layout();
    order_extents();
  }

  std::string where(const BlockPlace& place) const {
    std::string text = file.path().string();
    if (place.header.rank >= 0) text += ", rank " + std::to_string(place.header.rank);
    return text + ", block at byte " + std::to_string(place.offset);
  }

  const RankRecord& record(Rank rank) const {
    const RankRecord* record = run.find(rank);
    if (record == nullptr)
      throw Error(Failure::invalid_input, "the archive does not hold rank " + std::to_string(rank),
                  file.path().string());
    return *record;
  }

  /// As fail(), unless the problem tells its place already.
  [[noreturn]] void fail_at(const BlockPlace& place, const Error& problem) const {
    if (problem.where().starts_with(file.path().string())) throw Error(problem);
    fail(place, problem);
  }

  [[noreturn]] void fail(const BlockPlace& place, const Error& problem) const {
    std::string what = problem.description();
    if (!problem.where().empty()) what += ", " + problem.where();
    throw Error(
        Failure::invalid_input, what, where(place),
        "the file is damaged, or of another version: take it again from its source, or read it with that version");
  }

  /// Header and payload of a block as the file holds them, both checksums verified.
  std::string stored(const BlockPlace& place) const {
    std::string bytes = file.read(place.offset, block_header_bytes + std::size_t{place.header.stored_bytes});
    const auto stored = decode_block_header(bytes);
    const std::string_view payload = std::string_view(bytes).substr(std::min(bytes.size(), block_header_bytes));
    if (!stored || stored->header != place.header || payload.size() != place.header.stored_bytes ||
        checksum(payload) != stored->payload_checksum)
      throw Error(Failure::invalid_input, "a block does not match its checksum", where(place),
                  "the file is damaged; take it again from its source");
    return bytes;
  }

  std::string stored_payload(const BlockPlace& place) const { return stored(place).substr(block_header_bytes); }

  std::string plain_payload(const BlockPlace& place) const {
    const std::string bytes = stored(place);
    try {
      return decompress(std::string_view(bytes).substr(block_header_bytes), place.header.plain_bytes);
    } catch (const Error& problem) {
      fail(place, problem);
    }
  }

  void read_definitions() {
    for (const BlockPlace& place : contents.blocks) {
      if (place.header.type != BlockType::definitions) continue;
      try {
        Definitions definitions = decode_definitions(plain_payload(place));
        apply(definitions, run);
        for (RankNumbers& mapping : definitions.numbers)
          numbers[mapping.rank] = std::move(mapping);
      } catch (const Error& problem) {
        contents.damage.push_back({place.offset, problem.description()});
      }
    }
    if (run.size == 0)
      throw Error(Failure::invalid_input, "the archive says nothing of its run", file.path().string(),
                  "it was cut short before its first block was written");
  }

  /// Where the file's last whole block ends.
  std::uint64_t whole_end() const {
    std::uint64_t end = file_header_bytes;
    for (const BlockPlace& place : contents.blocks)
      end = std::max(end, end_of(place));
    for (const Extent& extent : contents.extents)
      end = std::max(end, extent.offset + extent.bytes);
    return end;
  }

  void add_journal(const JournalImage& journal) {
    RankRecord* const record = run.find(journal.header().rank);
    if (record == nullptr || run.ranks.size() != 1 || record->ending != Ending::unknown ||
        journal.header().run_identity != run.provenance.run_identity)
      return; // of another run, or of a file that has got its end since
    journaled = true;
    const std::uint64_t end = whole_end();
    JournalTail tail = continue_with(journal, run, whole_actions(record->rank, contents.extents));
    // A block that was being written is in the journal too.
    std::erase_if(contents.damage, [end](const Damage& damage) { return damage.offset >= end; });
    if (!tail.bytes.empty()) contents.extents.push_back({record->rank, end, tail.bytes.size()});
    file.continue_with(end, std::move(tail.bytes));
    const JournalOwner owner = find_owner(journal, journal_beside(file.path()));
    torn = !tail.damage.empty() && owner == JournalOwner::running;
    if (!tail.damage.empty()) contents.damage.push_back({file.size(), "the journal is damaged: " + tail.damage});
    record->ending_reason = ending_words(journal, owner);
    if (journal.signal().number != 0) {
      record->ending = Ending::stopped;
      record->actions = tail.actions;
    }
    record->unrecorded_calls = journal.unrecorded_calls();
  }

  void check_numbers() const {
    for (const auto& [rank, mapping] : numbers) {
      const auto known = [](const auto& ids, std::size_t count) {
        return std::ranges::all_of(ids, [count](std::uint32_t id) { return id < count; });
      };
      if (!known(mapping.communicators, run.communicators.size()) || !known(mapping.kernels, run.kernels.size()) ||
          !known(mapping.regions, run.regions.size()))
        throw Error(Failure::invalid_input, "a rank's numbers do not fit the run's definitions",
                    file.path().string() + ", rank " + std::to_string(rank));
    }
  }

  void read_layout() {
    for (const BlockPlace& place : contents.blocks) {
      try {
        if (place.header.type == BlockType::shared) shared.add(place);
        if (place.header.type == BlockType::layout) layout.decode(plain_payload(place), run.ranks.size());
      } catch (const Error& problem) {
        contents.damage.push_back({place.offset, problem.description()});
      }
    }
  }

  /// Puts the ranks' blocks in order; a rank whose recorder never wrote its totals has what its blocks hold.
  void order_extents() {
    std::erase_if(contents.extents, [this](const Extent& extent) {
      if (run.find(extent.rank) != nullptr) return false;
      contents.damage.push_back({extent.offset, "actions of a rank that is not defined"});
      return true;
    });
    std::ranges::stable_sort(contents.extents, {}, &Extent::rank);
    for (RankRecord& record : run.ranks)
      if (record.ending == Ending::unknown) record.actions = whole_actions(record.rank, extents(record.rank));
  }

  std::span<const Extent> extents(Rank rank) const {
    const auto found = std::ranges::equal_range(contents.extents, rank, {}, &Extent::rank);
    return {found.begin(), found.end()};
  }

  /// How many actions of a rank these hold, up to the first that is missing.
  std::uint64_t whole_actions(Rank rank, std::span<const Extent> all) const {
    std::vector<Extent> own;
    std::ranges::copy_if(all, std::back_inserter(own), [rank](const Extent& extent) { return extent.rank == rank; });
    StretchCursor cursor(file, own);
    std::uint64_t actions = 0;
    try {
      for (Stretch stretch; cursor.next(stretch);)
        actions = stretch.first_action + stretch.actions;
    } catch (const Error& problem) {
      if (problem.failure() != Failure::invalid_input) throw;
    }
    return actions;
  }

  /// A cursor that has not passed this action of a rank: where the last one stopped, for who asks for stretch by
  /// stretch.
  StretchCursor& cursor_before(Rank rank, std::uint64_t action) {
    if (!last_cursor || last_cursor_rank != rank || last_cursor->action() > action) {
      last_cursor.emplace(file, extents(rank));
      last_cursor_rank = rank;
    }
    return *last_cursor;
  }

  const RankNumbers& numbers_of(Rank rank) const {
    static const RankNumbers same;
    const auto found = numbers.find(rank);
    return found == numbers.end() ? same : found->second;
  }

  /// A stretch's own structure.
  std::shared_ptr<const Structure> own_structure(const BlockPlace& place) const {
    const std::string bytes = stored(place);
    try {
      return std::make_shared<const Structure>(structure(bytes));
    } catch (const Error& problem) {
      fail(place, problem);
    }
  }

  std::span<const std::uint32_t> structures_of(Rank rank) const {
    const auto found = std::ranges::lower_bound(run.ranks, rank, {}, &RankRecord::rank);
    return layout.structures(static_cast<std::size_t>(found - run.ranks.begin()));
  }

  std::shared_ptr<const Structure> shared_structure(std::uint32_t number) {
    const std::lock_guard lock(turn);
    return shared.get(number, [this](const BlockPlace& place) { return plain_payload(place); });
  }

  std::vector<ActionTimes> times(const BlockPlace& place) const {
    const std::string plain = plain_payload(place);
    std::vector<ActionTimes> times;
    try {
      decode_times(plain, place.header.actions, times);
    } catch (const Error& problem) {
      fail(place, problem);
    }
    return times;
  }

  /// Throws Error(invalid_input) when an action names what the run does not have.
  void check_ids(std::span<const Action> dictionary) const {
    for (const Action& action : dictionary) {
      const bool known =
          action.communicator < run.communicators.size() &&
          (action.new_communicator == no_communicator || action.new_communicator < run.communicators.size()) &&
          (action.kernel == no_kernel || action.kernel < run.kernels.size()) &&
          (action.region == no_region || action.region < run.regions.size());
      if (!known) throw Error(Failure::invalid_input, "an action of an undefined communicator, kernel or region");
    }
  }
};

/// One rank's actions, window by window.
class ArchiveStream : public RankStream {
public:
  /// All stretches of the rank, in windows of up to `most` actions.
  ArchiveStream(ArchiveReader::State& archive, const RankRecord& record, std::size_t most)
      : archive_(archive), record_(record), most_(most), cursor_(archive.file, archive.extents(record.rank)) {}

  bool next(ActionBlock& block) override {
    if (decoder_.remaining() == 0 && !next_stretch()) return false;
    read_window(block);
    return true;
  }

  /// The whole of one stretch; no longer to be used as a stream then.
  void read(const Stretch& stretch, ActionBlock& block) {
    stretch_ = stretch;
    open_stretch();
    read_window(block);
  }

  void read_times(ActionBlock& block) const override {
    if (!stretch_.times) return;
    if (times_of_ != stretch_.times) {
      times_ = archive_.times(*stretch_.times);
      times_of_ = stretch_.times;
    }
    const auto window = std::span(times_).subspan(window_begin_, block.size());
    block.assign_times({window.begin(), window.end()});
  }

private:
  bool next_stretch() {
    if (!cursor_.next(stretch_)) {
      if (position_ < record_.actions) fail_hole();
      return false;
    }
    position_ += stretch_.actions;
    open_stretch();
    return true;
  }

  void open_stretch() {
    try {
      find_structure();
      decoder_.open(structure_, stretch_.first_action - structure_begin_, stretch_.actions,
                    archive_.stored_payload(stretch_.volumes));
    } catch (const Error& problem) {
      archive_.fail_at(stretch_.volumes, problem);
    }
  }

  void find_structure() {
    if (stretch_.structure) {
      use(archive_.own_structure(*stretch_.structure), stretch_.first_action);
      return;
    }
    const auto numbers = archive_.structures_of(record_.rank);
    while (!structure_ || stretch_.first_action - structure_begin_ >= structure_->sequence.size()) {
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
      window_begin_ = stretch_.actions - decoder_.remaining();
      decoder_.next(block, most_);
    } catch (const Error& problem) {
      archive_.fail_at(stretch_.volumes, problem);
    }
  }

  void use_dictionary(ActionBlock& block) {
    Dictionary dictionary = rank_dictionary(*structure_, record_.rank, archive_.numbers_of(record_.rank), archive_.run);
    archive_.check_ids(dictionary.entries());
    mark_ = block.use_dictionary(std::move(dictionary));
  }

  [[noreturn]] void fail_hole() const {
    throw Error(Failure::invalid_input, "actions are missing from action " + std::to_string(position_) + " on",
                archive_.file.path().string() + ", rank " + std::to_string(record_.rank),
                "the file is damaged or cut short; take it again from its source");
  }

  ArchiveReader::State& archive_;
  const RankRecord& record_;
  std::size_t most_;
  StretchCursor cursor_;
  Stretch stretch_;
  std::uint64_t position_ = 0; ///< actions in the stretches so far
  std::shared_ptr<const Structure> structure_;
  std::uint64_t structure_begin_ = 0; ///< the rank's action that is its first
  std::size_t next_shared_ = 0;       ///< of the rank's list
  std::uint64_t mark_ = 0;            ///< of the dictionary given to the block; 0 when it has to be given
  StretchDecoder decoder_;
  std::size_t window_begin_ = 0; ///< of the window last read, in the stretch
  // The times of the stretch, once they have been asked for.
  mutable std::vector<ActionTimes> times_;
  mutable std::optional<BlockPlace> times_of_;
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

const std::vector<BlockPlace>& ArchiveReader::common_blocks() const {
  return state_->contents.blocks;
}

std::uint64_t ArchiveReader::end_of_blocks() const {
  std::uint64_t end = 0;
  for (const Extent& extent : state_->contents.extents)
    end = std::max(end, extent.offset + extent.bytes);
  return end;
}

std::vector<Stretch> ArchiveReader::stretches(Rank rank, std::uint64_t from, std::size_t most) const {
  std::vector<Stretch> stretches;
  const std::lock_guard lock(state_->turn);
  StretchCursor& cursor = state_->cursor_before(rank, from);
  try {
    for (Stretch stretch; stretches.size() < most && cursor.next(stretch);)
      if (stretch.first_action + stretch.actions > from) stretches.push_back(stretch);
  } catch (const Error&) {
    state_->last_cursor.reset(); // it may stand within a stretch
    throw;
  }
  return stretches;
}

std::string ArchiveReader::payload(const BlockPlace& place) const {
  return state_->stored_payload(place);
}

std::string ArchiveReader::stored(const BlockPlace& place) const {
  return state_->stored(place);
}

void ArchiveReader::read(const Stretch& stretch, ActionBlock& block) const {
  ArchiveStream(*state_, state_->record(stretch.rank), all_actions).read(stretch, block);
}

void ArchiveReader::read_times(const Stretch& stretch, ActionBlock& block) const {
  if (stretch.times) block.assign_times(state_->times(*stretch.times));
}

std::shared_ptr<const Structure> ArchiveReader::structure(const Stretch& stretch) const {
  return state_->own_structure(stretch.structure.value());
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

std::vector<std::uint32_t> ArchiveReader::shared_structures(Rank rank) const {
  const auto numbers = state_->structures_of(rank);
  return {numbers.begin(), numbers.end()};
}

std::uint32_t ArchiveReader::shared_structures() const {
  return state_->shared.size();
}

std::string ArchiveReader::shared_structure(std::uint32_t number) const {
  const std::lock_guard lock(state_->turn);
  return state_->shared.bytes(number, [this](const BlockPlace& place) { return state_->plain_payload(place); });
}

} // namespace timeless::trace
