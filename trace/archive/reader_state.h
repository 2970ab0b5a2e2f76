#pragma once

#include "base/error.h"
#include "base/files/input_file.h"
#include "trace/archive/reader.h"
#include "trace/archive/scan.h"
#include "trace/archive/segments.h"
#include "trace/archive/shared_structures.h"
#include "trace/codec/layout.h"
#include "trace/journal/tail.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace timeless::trace {

/// What a reader knows of its archive. After construction all but `shared` and the last cursor stays as it is; those
/// are used under `mutex`.
struct ArchiveReader::State {
  InputFile file;
  Contents contents;
  Run run;
  std::map<Rank, RankNumbers> numbers;
  Layout layout;
  bool journaled = false;
  bool torn = false; ///< the journal changed while it was read
  /// Of the rest, which streams of several threads share.
  std::mutex mutex;
  SharedStructures shared;
  std::optional<SegmentCursor> last_cursor;
  Rank last_cursor_rank = no_rank;

  explicit State(const std::filesystem::path& path) : file(path) {}

  /// Reads all that is there. What a journal says has to be read before the file, which takes over what leaves the
  /// journal.
  State(const std::filesystem::path& path, const std::optional<JournalImage>& journal);

  std::string where(const LocatedBlock& place) const;

  const RankRecord& record(Rank rank) const;

  /// Throws as fail() does, unless the problem tells its place already.
  [[noreturn]] void fail_at(const LocatedBlock& place, const Error& problem) const;

  [[noreturn]] void fail(const LocatedBlock& place, const Error& problem) const;

  /// Returns header and payload of a block as the file holds them, both checksums verified.
  std::string stored(const LocatedBlock& place) const;

  std::string stored_payload(const LocatedBlock& place) const { return stored(place).substr(block_header_bytes); }

  std::string plain_payload(const LocatedBlock& place) const;

  void read_definitions();

  /// Returns where the file's last whole block ends.
  std::uint64_t whole_end() const;

  void add_journal(const JournalImage& journal);

  void check_numbers() const;

  void read_layout();

  /// Puts the ranks' blocks in order; a rank whose recorder never wrote its totals has what its blocks hold.
  void order_extents();

  std::span<const Extent> extents(Rank rank) const;

  /// Returns how many actions of a rank these hold, up to the first that is missing.
  std::uint64_t whole_actions(Rank rank, std::span<const Extent> all) const;

  /// Returns a cursor that has not passed this action of a rank: the last one, where it can, for callers that ask for
  /// segment after segment.
  SegmentCursor& cursor_before(Rank rank, std::uint64_t action);

  const RankNumbers& numbers_of(Rank rank) const;

  /// Returns a segment's own structure.
  std::shared_ptr<const Structure> own_structure(const LocatedBlock& place) const;

  std::span<const std::uint32_t> structures_of(Rank rank) const;

  std::shared_ptr<const Structure> shared_structure(std::uint32_t number);

  std::vector<ActionTimes> times(const LocatedBlock& place) const;

  /// Throws Error(invalid_input) when an action names what the run does not have.
  void check_ids(std::span<const Action> dictionary) const;
};

} // namespace timeless::trace
