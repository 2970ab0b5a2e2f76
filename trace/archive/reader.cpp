#include "trace/archive/reader.h"

#include "trace/archive/compression.h"
#include "trace/archive/input_file.h"
#include "trace/archive/layout.h"
#include "trace/archive/scan.h"
#include "trace/encoding/block_codec.h"
#include "trace/encoding/times_codec.h"
#include "trace/error.h"
#include "trace/journal/owner.h"
#include "trace/journal/tail.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace timeless::trace {

struct ArchiveReader::State {
  InputFile file;
  Contents contents;
  Run run;
  std::map<Rank, RankNumbers> numbers;
  std::vector<BlockPlace> blocks;
  bool journaled = false;
  bool torn = false; ///< the journal changed while it was read
  std::map<std::pair<Rank, std::uint64_t>, BlockPlace> times; ///< by rank and first action

  explicit State(const std::filesystem::path& path) : file(path) {}

  /// All that is there. What a journal says has to be read before the file, which takes over what leaves the journal.
  State(const std::filesystem::path& path, const std::optional<JournalImage>& journal) : State(path) {
    contents = read_contents(file);
    read_definitions();
    if (journal && !contents.finished) add_journal(*journal);
    check_numbers();
    order_blocks();
  }

  std::string where(const BlockPlace& place) const {
    std::string text = file.path().string();
    if (place.header.rank >= 0) text += ", rank " + std::to_string(place.header.rank);
    return text + ", block at byte " + std::to_string(place.offset);
  }

  [[noreturn]] void fail(const BlockPlace& place, const Error& problem) const {
    std::string what = problem.description();
    if (!problem.where().empty()) what += ", " + problem.where();
    throw Error(Failure::invalid_input, what, where(place), "the file is damaged; take it again from its source");
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
        contents.damage.push_back({place.offset, problem.what()});
      }
    }
    if (run.size == 0)
      throw Error(Failure::invalid_input, "the archive says nothing of its run", file.path().string(),
                  "it was cut short before its first block was written");
  }

  /// Where the file's last whole block ends, and how many actions of this rank it holds up to there.
  std::pair<std::uint64_t, std::uint64_t> whole_part(Rank rank) const {
    std::uint64_t end = file_header_bytes;
    std::uint64_t actions = 0;
    for (const BlockPlace& place : contents.blocks) {
      end = std::max(end, place.offset + block_header_bytes + place.header.stored_bytes);
      if (place.header.type == BlockType::actions && place.header.rank == rank)
        actions = std::max(actions, place.header.first_action + place.header.actions);
    }
    return {end, actions};
  }

  void add_journal(const JournalImage& journal) {
    RankRecord* const record = run.find(journal.header().rank);
    if (record == nullptr || run.ranks.size() != 1 || record->ending != Ending::unknown ||
        journal.header().run_identity != run.provenance.run_identity)
      return; // of another run, or of a file that has got its end since
    journaled = true;
    const auto [end, actions] = whole_part(record->rank);
    JournalTail tail = continue_with(journal, run, actions);
    // A block that was being written is in the journal too.
    std::erase_if(contents.damage, [end](const Damage& damage) { return damage.offset >= end; });
    for (const BlockPlace& place : tail.blocks)
      contents.blocks.push_back({place.header, end + place.offset});
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

  /// Puts the actions blocks in order; a rank whose recorder never wrote its totals has what its blocks hold.
  void order_blocks() {
    std::map<Rank, std::uint64_t> actions;
    for (const BlockPlace& place : contents.blocks) {
      if (place.header.type != BlockType::actions) continue;
      if (run.find(place.header.rank) == nullptr) {
        contents.damage.push_back({place.offset, "actions of a rank that is not defined"});
        continue;
      }
      blocks.push_back(place);
      actions[place.header.rank] += place.header.actions;
    }
    std::ranges::stable_sort(
        blocks, {}, [](const BlockPlace& place) { return std::pair(place.header.rank, place.header.first_action); });
    for (RankRecord& record : run.ranks)
      if (record.ending == Ending::unknown) record.actions = actions[record.rank];
    find_times();
  }

  void find_times() {
    for (const BlockPlace& place : contents.blocks) {
      if (place.header.type != BlockType::times) continue;
      const auto key = [](const BlockPlace& block) { return std::pair(block.header.rank, block.header.first_action); };
      const auto timed = std::ranges::lower_bound(blocks, key(place), {}, key);
      const bool known =
          timed != blocks.end() && key(*timed) == key(place) && timed->header.actions == place.header.actions;
      if (!known || !times.emplace(key(place), place).second)
        contents.damage.push_back({place.offset, "times of no block of actions"});
    }
  }

  void check_ids(const BlockPlace& place, const ActionBlock& block) const {
    for (const Action& action : block.dictionary()) {
      const bool known =
          action.communicator < run.communicators.size() &&
          (action.new_communicator == no_communicator || action.new_communicator < run.communicators.size()) &&
          (action.kernel == no_kernel || action.kernel < run.kernels.size()) &&
          (action.region == no_region || action.region < run.regions.size());
      if (!known)
        fail(place, Error(Failure::invalid_input, "an action of an undefined communicator, kernel or region"));
    }
  }
};

namespace {

class ArchiveStream : public RankStream {
public:
  ArchiveStream(const ArchiveReader& archive, const RankRecord& record, std::span<const BlockPlace> places)
      : archive_(archive), record_(record), places_(places) {}

  bool next(ActionBlock& block) override {
    if (next_ == places_.size()) {
      if (position_ < record_.actions) fail_hole();
      return false;
    }
    const BlockPlace& place = places_[next_];
    if (place.header.first_action != position_) fail_hole();
    archive_.read(place, block);
    position_ += place.header.actions;
    ++next_;
    return true;
  }

  void read_times(ActionBlock& block) const override { archive_.read_times(places_[next_ - 1], block); }

private:
  [[noreturn]] void fail_hole() const {
    throw Error(Failure::invalid_input, "actions are missing from action " + std::to_string(position_) + " on",
                archive_.path().string() + ", rank " + std::to_string(record_.rank),
                "the file is damaged or cut short; take it again from its source");
  }

  const ArchiveReader& archive_;
  const RankRecord& record_;
  std::span<const BlockPlace> places_;
  std::size_t next_ = 0;
  std::uint64_t position_ = 0;
};

} // namespace

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
  const RankRecord* record = state_->run.find(rank);
  if (record == nullptr)
    throw Error(Failure::invalid_input, "the archive does not hold rank " + std::to_string(rank), path().string());
  const auto places =
      std::ranges::equal_range(state_->blocks, rank, {}, [](const BlockPlace& place) { return place.header.rank; });
  return std::make_unique<ArchiveStream>(*this, *record, std::span<const BlockPlace>(places.begin(), places.end()));
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

const std::vector<BlockPlace>& ArchiveReader::blocks() const {
  return state_->blocks;
}

std::uint64_t ArchiveReader::file_bytes() const {
  return state_->file.size();
}

const RankNumbers& ArchiveReader::numbers(Rank rank) const {
  static const RankNumbers same;
  const auto found = state_->numbers.find(rank);
  return found == state_->numbers.end() ? same : found->second;
}

std::vector<std::byte> ArchiveReader::payload(const BlockPlace& place) const {
  const std::string stored = state_->stored(place);
  const auto bytes = std::as_bytes(std::span(stored).subspan(block_header_bytes));
  return {bytes.begin(), bytes.end()};
}

std::string ArchiveReader::stored(const BlockPlace& place) const {
  return state_->stored(place);
}

void ArchiveReader::read(const BlockPlace& place, ActionBlock& block) const {
  const std::string plain = state_->plain_payload(place);
  try {
    decode_block(plain, block);
  } catch (const Error& problem) {
    state_->fail(place, problem);
  }
  if (block.size() != place.header.actions)
    state_->fail(place, Error(Failure::invalid_input, "a block of another length than its header says"));
  const RankNumbers& mapping = numbers(place.header.rank);
  block.renumber(mapping.communicators, mapping.kernels, mapping.regions);
  state_->check_ids(place, block);
}

std::optional<BlockPlace> ArchiveReader::times_of(const BlockPlace& place) const {
  const auto found = state_->times.find({place.header.rank, place.header.first_action});
  if (found == state_->times.end()) return std::nullopt;
  return found->second;
}

void ArchiveReader::read_times(const BlockPlace& place, ActionBlock& block) const {
  const auto stored = times_of(place);
  if (!stored) return;
  const std::string plain = state_->plain_payload(*stored);
  std::vector<ActionTimes> times;
  try {
    decode_times(plain, stored->header.actions, times);
  } catch (const Error& problem) {
    state_->fail(*stored, problem);
  }
  block.assign_times(std::move(times));
}

} // namespace timeless::trace
