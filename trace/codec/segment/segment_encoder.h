#pragma once

#include "trace/codec/structure/folding.h"
#include "trace/codec/volumes/volume_codec.h"
#include "trace/model/action_block.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace timeless::trace {

/// Writes segments of a rank's actions as structure and volumes. Keeps its working memory from one to the next.
class SegmentEncoder {
public:
  /// Appends the plain payloads of the block's structure block and of its volumes block.
  void encode(const ActionBlock& block, std::string& structure, std::string& volumes);

private:
  void number_entries(const ActionBlock& block);
  void encode_structure(const ActionBlock& block, std::string& bytes);
  void encode_volumes(const ActionBlock& block, std::string& bytes);

  /// The dictionary entries the sequence uses, in the order of their first use; a receive that learnt its source late
  /// leaves an unused one behind.
  std::vector<std::uint32_t> entries_;
  std::vector<std::uint32_t> numbers_; ///< by dictionary index
  SequenceFolder folder_;
  FoldedSequence folded_;
  FoldedSequenceEncoder sequence_encoder_;
  std::vector<std::size_t> stream_ends_; ///< by number: where the entry's volumes end in the next
  std::vector<std::uint64_t> volumes_;   ///< those of each entry together
  std::vector<std::span<const std::uint64_t>> streams_;
  VolumeEncoder volume_encoder_;
};

} // namespace timeless::trace
