#include "trace/archive/reader_state.h"

#include "trace/codec/compression.h"
#include "trace/codec/times_codec.h"
#include "trace/journal/owner.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace timeless::trace {

ArchiveReader::State::State(const std::filesystem::path& path, const std::optional<JournalImage>& journal)
    : State(path) {
  contents = read_contents(file);
  read_definitions();
  if (journal && !contents.finished) add_journal(*journal);
  check_numbers();
  read_layout();
  order_extents();
}

std::string ArchiveReader::State::where(const LocatedBlock& place) const {
  std::string text = file.path().string();
  if (place.header.rank >= 0) text += ", rank " + std::to_string(place.header.rank);
  return text + ", block at byte " + std::to_string(place.offset);
}

const RankRecord& ArchiveReader::State::record(Rank rank) const {
  const RankRecord* record = run.find(rank);
  if (record == nullptr)
    throw Error(Failure::invalid_input, "the archive does not hold rank " + std::to_string(rank), file.path().string());
  return *record;
}

void ArchiveReader::State::fail_at(const LocatedBlock& place, const Error& problem) const {
  if (problem.where().starts_with(file.path().string())) throw Error(problem);
  fail(place, problem);
}

void ArchiveReader::State::fail(const LocatedBlock& place, const Error& problem) const {
  std::string what = problem.description();
  if (!problem.where().empty()) what += ", " + problem.where();
  throw Error(
      Failure::invalid_input, what, where(place),
      "the file is damaged, or of another version: take it again from its source, or read it with that version");
}

std::string ArchiveReader::State::stored(const LocatedBlock& place) const {
  std::string bytes = file.read(place.offset, block_header_bytes + std::size_t{place.header.stored_bytes});
  const auto stored = decode_block_header(bytes);
  const std::string_view payload = std::string_view(bytes).substr(std::min(bytes.size(), block_header_bytes));
  if (!stored || stored->header != place.header || payload.size() != place.header.stored_bytes ||
      checksum(payload) != stored->payload_checksum)
    throw Error(Failure::invalid_input, "a block does not match its checksum", where(place),
                "the file is damaged; take it again from its source");
  return bytes;
}

std::string ArchiveReader::State::plain_payload(const LocatedBlock& place) const {
  const std::string bytes = stored(place);
  try {
    return decompress(std::string_view(bytes).substr(block_header_bytes), place.header.plain_bytes);
  } catch (const Error& problem) {
    fail(place, problem);
  }
}

void ArchiveReader::State::read_definitions() {
  for (const LocatedBlock& place : contents.blocks) {
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

std::uint64_t ArchiveReader::State::whole_end() const {
  std::uint64_t end = file_header_bytes;
  for (const LocatedBlock& place : contents.blocks)
    end = std::max(end, end_of(place));
  for (const Extent& extent : contents.extents)
    end = std::max(end, extent.offset + extent.bytes);
  return end;
}

void ArchiveReader::State::add_journal(const JournalImage& journal) {
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

void ArchiveReader::State::check_numbers() const {
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

void ArchiveReader::State::read_layout() {
  for (const LocatedBlock& place : contents.blocks) {
    try {
      if (place.header.type == BlockType::shared) shared.add(place);
      if (place.header.type == BlockType::layout) layout.decode(plain_payload(place), run.ranks.size());
    } catch (const Error& problem) {
      contents.damage.push_back({place.offset, problem.description()});
    }
  }
}

void ArchiveReader::State::order_extents() {
  std::erase_if(contents.extents, [this](const Extent& extent) {
    if (run.find(extent.rank) != nullptr) return false;
    contents.damage.push_back({extent.offset, "actions of a rank that is not defined"});
    return true;
  });
  std::ranges::stable_sort(contents.extents, {}, &Extent::rank);
  for (RankRecord& record : run.ranks)
    if (record.ending == Ending::unknown) record.actions = whole_actions(record.rank, extents(record.rank));
}

std::span<const Extent> ArchiveReader::State::extents(Rank rank) const {
  const auto found = std::ranges::equal_range(contents.extents, rank, {}, &Extent::rank);
  return {found.begin(), found.end()};
}

std::uint64_t ArchiveReader::State::whole_actions(Rank rank, std::span<const Extent> all) const {
  std::vector<Extent> own;
  std::ranges::copy_if(all, std::back_inserter(own), [rank](const Extent& extent) { return extent.rank == rank; });
  SegmentCursor cursor(file, own);
  std::uint64_t actions = 0;
  try {
    for (ActionSegment segment; cursor.next(segment);)
      actions = segment.first_action + segment.actions;
  } catch (const Error& problem) {
    if (problem.failure() != Failure::invalid_input) throw;
  }
  return actions;
}

SegmentCursor& ArchiveReader::State::cursor_before(Rank rank, std::uint64_t action) {
  if (!last_cursor || last_cursor_rank != rank || last_cursor->action() > action) {
    last_cursor.emplace(file, extents(rank));
    last_cursor_rank = rank;
  }
  return *last_cursor;
}

const RankNumbers& ArchiveReader::State::numbers_of(Rank rank) const {
  static const RankNumbers same;
  const auto found = numbers.find(rank);
  return found == numbers.end() ? same : found->second;
}

std::shared_ptr<const Structure> ArchiveReader::State::own_structure(const LocatedBlock& place) const {
  const std::string bytes = stored(place);
  try {
    return std::make_shared<const Structure>(structure(bytes));
  } catch (const Error& problem) {
    fail(place, problem);
  }
}

std::span<const std::uint32_t> ArchiveReader::State::structures_of(Rank rank) const {
  const auto found = std::ranges::lower_bound(run.ranks, rank, {}, &RankRecord::rank);
  return layout.structures(static_cast<std::size_t>(found - run.ranks.begin()));
}

std::shared_ptr<const Structure> ArchiveReader::State::shared_structure(std::uint32_t number) {
  const std::lock_guard lock(mutex);
  return shared.get(number, [this](const LocatedBlock& place) { return plain_payload(place); });
}

std::vector<ActionTimes> ArchiveReader::State::times(const LocatedBlock& place) const {
  const std::string plain = plain_payload(place);
  std::vector<ActionTimes> times;
  try {
    decode_times(plain, place.header.actions, times);
  } catch (const Error& problem) {
    fail(place, problem);
  }
  return times;
}

void ArchiveReader::State::check_ids(std::span<const Action> dictionary) const {
  for (const Action& action : dictionary) {
    const bool known =
        action.communicator < run.communicators.size() &&
        (action.new_communicator == no_communicator || action.new_communicator < run.communicators.size()) &&
        (action.kernel == no_kernel || action.kernel < run.kernels.size()) &&
        (action.region == no_region || action.region < run.regions.size());
    if (!known) throw Error(Failure::invalid_input, "an action of an undefined communicator, kernel or region");
  }
}

} // namespace timeless::trace
