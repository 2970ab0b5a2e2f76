#pragma once

#include "trace/archive/reader.h"
#include "trace/codec/definitions/definitions.h"
#include "trace/codec/relative_ranks.h"
#include "trace/codec/structure/folding.h"
#include "trace/codec/structure/structure.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace timeless::trace {

/// Puts the structures of one rank's segments together into structures of its whole run, such as ranks share: loops go
/// on from segment to segment, kernels and regions have the run's numbers, partners are relative to the rank. Ranks
/// that did the same thus get the same bytes, but for their communicators, which keep the rank's own numbers.
///
/// A structure ends where it would become too large for a block to hold, not with the number of actions. Memory: one
/// such structure, some megabytes.
class StructureBuilder {
public:
  /// Builds the structures of this archive's rank. `numbers` says what its own kernels and regions are in the gathered
  /// run; empty lists where they are the same. The communicators are those of the archive.
  StructureBuilder(const ArchiveReader& archive, Rank rank, const RankNumbers& numbers);

  /// Appends the next segment's structure, with the rank's own numbers and absolute ranks. Throws Error(invalid_input)
  /// when it does not suit the run.
  void append(const Structure& segment);
  /// Appends the next structure as an archive gathered before shares it: it stays one of its own.
  void append_shared(const Structure& structure);

  /// Returns what has come, encoded.
  std::vector<std::string> finish();

private:
  void end();
  Action translated(const Action& action) const;
  std::uint32_t number(const Action& action);

  std::vector<RankPosition> places_; ///< by the rank's own communicators
  RankNumbers numbers_;
  std::vector<std::string> finished_;
  // The one being put together.
  Structure structure_;
  Dictionary absolute_; ///< its entries, not relative
  std::size_t dictionary_bytes_ = 0;
  SequenceFolder folder_;
  // Kept from segment to segment.
  std::vector<std::uint32_t> translation_;
  std::vector<Rank> list_;
  std::string entry_;
};

} // namespace timeless::trace
