#pragma once

#include "trace/action_block.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace timeless::trace {

/// Writes blocks, and keeps its working memory from one to the next.
class BlockEncoder {
public:
  /// Writes the block's plain payload (docs/archive-format.md, "Actions payload") to the end of `bytes`.
  void encode(const ActionBlock& block, std::string& bytes);

private:
  void number_entries(const ActionBlock& block);
  void put_sequence(const ActionBlock& block, std::string& bytes) const;
  void put_volumes(const ActionBlock& block, std::string& bytes);

  /// The dictionary entries the sequence uses, in the order of their first use; a receive that learnt its source late
  /// leaves an unused one behind.
  std::vector<std::uint32_t> entries_;
  std::vector<std::uint32_t> numbers_;   ///< by dictionary index
  std::vector<std::size_t> volume_ends_; ///< by number: where the entry's volumes end in the next
  std::vector<std::uint64_t> volumes_;   ///< those of each entry together
};

/// Writes one block's plain payload to the end of `bytes`.
void encode_block(const ActionBlock& block, std::string& bytes);

/// Reads a plain payload into `block`, replacing what it held. Throws Error(invalid_input) on anything malformed: an
/// unknown kind, an index out of range, a count that does not fit the bytes, trailing bytes.
void decode_block(std::string_view bytes, ActionBlock& block);

class ByteReader;

/// Writes one dictionary entry ("Entry" there) to the end of `bytes`.
void encode_entry(const Action& action, std::string& bytes);
/// Reads one into the block's dictionary and returns its index. Throws Error(invalid_input).
std::uint32_t decode_entry(ByteReader& reader, ActionBlock& block);

} // namespace timeless::trace
