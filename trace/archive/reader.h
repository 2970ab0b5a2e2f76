#pragma once

#include "trace/archive/definitions.h"
#include "trace/archive/format.h"
#include "trace/source.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace timeless::trace {

/// Something wrong with an archive, where in the file, in words.
struct Damage {
  std::uint64_t offset = 0;
  std::string what;
};

/// Reads an archive: one rank's file while or after recording, or a gathered run.
///
/// A rank's file that its recorder has not finished is continued by the journal beside it, as if the actions there
/// stood in further blocks of the file; RankRecord::ending_reason then says what the journal knows of the end.
///
/// Opens whatever is there: a file cut short, or damaged in the middle, gives every block that is still whole, and
/// damage() lists what is not. Streams throw Error(invalid_input) naming file, block and offset where a rank's actions
/// have a hole. Memory is bounded by the definitions, the index and one block per open stream.
class ArchiveReader : public Source {
public:
  /// Throws Error when the file cannot be read at all: absent, no archive, a version too new, no definitions.
  explicit ArchiveReader(const std::filesystem::path& path);
  ~ArchiveReader() override;
  ArchiveReader(ArchiveReader&&) noexcept;
  ArchiveReader& operator=(ArchiveReader&&) noexcept;

  const std::filesystem::path& path() const;
  const Run& run() const override;
  std::unique_ptr<RankStream> open(Rank rank) const override;

  /// True when the file ends with its index and footer, as finish() leaves it.
  bool finished() const;
  const std::vector<Damage>& damage() const;
  /// True when the blocks, or the rank's ending, come from a journal in part: the file alone does not say all.
  bool journaled() const;
  /// The whole actions blocks, by rank and then in order.
  const std::vector<BlockPlace>& blocks() const;
  std::uint64_t file_bytes() const;

  /// The rank's own numbers, as its blocks use them; empty lists when they are the run's.
  const RankNumbers& numbers(Rank rank) const;
  /// A block's payload as stored, its checksum verified.
  std::vector<std::byte> payload(const BlockPlace& place) const;
  /// Header and payload as the file holds them, both checksums verified.
  std::string stored(const BlockPlace& place) const;
  /// A block decoded, with the run's numbers.
  void read(const BlockPlace& place, ActionBlock& block) const;
  /// The block with the times of an actions block's actions; nothing where none were recorded.
  std::optional<BlockPlace> times_of(const BlockPlace& place) const;
  /// Gives a block read from this place its times, where there are any.
  void read_times(const BlockPlace& place, ActionBlock& block) const;

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace timeless::trace
