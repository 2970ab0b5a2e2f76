#pragma once

#include "trace/codec/definitions/definitions.h"
#include "trace/codec/format.h"
#include "trace/codec/structure/structure.h"
#include "trace/model/source.h"

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
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
/// Opens whatever is there: a file cut short, or damaged in the middle, gives every segment that is still whole up to
/// the first that is not, and damage() lists what is not. Streams throw Error(invalid_input) naming file, block and
/// offset where a rank's actions have a hole. Memory: the definitions, some dozen bytes a rank, and for each open
/// stream a segment as stored and a window of actions, which is the smaller the more ranks the run has.
///
/// May be used by several threads at once (see Source).
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

  /// Returns true when the file ends with its index and footer, as finish() leaves it.
  bool finished() const;
  const std::vector<Damage>& damage() const;
  /// Returns true when the blocks, or the rank's ending, come from a journal in part: the file alone does not say all.
  bool journaled() const;
  std::uint64_t file_bytes() const;

  /// Returns the rank's own numbers, as its blocks use them; empty lists when they are the run's.
  const RankNumbers& numbers(Rank rank) const;
  /// Returns the blocks that belong to no rank, but the index, in file order.
  const std::vector<LocatedBlock>& common_blocks() const;
  /// Returns where the last block of any rank ends; 0 when there is none.
  std::uint64_t end_of_blocks() const;

  /// Returns a rank's segments, in order: up to the first `most`, from the one on that holds the action `from`. Throws
  /// Error(invalid_input) where actions are missing.
  std::vector<ActionSegment> segments(Rank rank, std::uint64_t from = 0, std::size_t most = ~std::size_t{0}) const;
  /// Returns a block's payload as stored, its checksum verified.
  std::string payload(const LocatedBlock& place) const;
  /// Returns header and payload as the file holds them, both checksums verified.
  std::string stored(const LocatedBlock& place) const;
  /// Decodes a segment, with the run's numbers.
  void read(const ActionSegment& segment, ActionBlock& block) const;
  /// Gives a block read from this segment its times, where there are any.
  void read_times(const ActionSegment& segment, ActionBlock& block) const;

  /// Returns the structure of a segment that has one of its own, with the rank's own numbers. Throws
  /// Error(invalid_input) when it is damaged.
  std::shared_ptr<const Structure> structure(const ActionSegment& segment) const;
  /// Returns the same of such a block's bytes, header and payload, that came from an archive before.
  static Structure structure(std::string_view stored_block);
  /// Returns the shared structure that all actions of a rank follow, with numbers and partners as the archive stores
  /// them; null where there is none, or more than one. Throws Error(invalid_input) when it is damaged.
  std::shared_ptr<const Structure> whole_structure(Rank rank) const;
  /// Returns the numbers of the shared structures that a rank's segments without one of their own follow, one after
  /// the other.
  std::vector<std::uint32_t> shared_structures(Rank rank) const;
  /// Returns how many shared structures there are.
  std::uint32_t shared_structures() const;
  /// Returns a shared structure's bytes. Reading them by rising number is the fastest.
  std::string shared_structure(std::uint32_t number) const;

private:
  friend class ArchiveStream;
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace timeless::trace
