#pragma once

#include "trace/codec/format.h"
#include "trace/codec/structure/structure.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace timeless::trace {

/// Which shared structures each rank of a run follows: ranks with equal lists one after the other share a row.
class Layout {
public:
  /// Adds the next rank's structures.
  void add(std::span<const std::uint32_t> structures);
  /// Returns the structures of the rank with this place among those present; none beyond the last.
  std::span<const std::uint32_t> structures(std::size_t rank) const;
  std::size_t ranks() const { return ranks_; }

  /// Appends the plain payload of a layout block.
  void encode(std::string& bytes) const;
  /// Adds what such a payload says. Throws Error(invalid_input) when it is malformed, or says more than `most_ranks`
  /// ranks.
  void decode(std::string_view bytes, std::size_t most_ranks);

private:
  struct Row {
    std::size_t first_rank = 0;
    std::size_t begin = 0; ///< of its structures in numbers_
  };
  std::vector<Row> rows_;
  std::vector<std::uint32_t> numbers_;
  std::size_t ranks_ = 0;
};

/// The shared structures of an archive, read when they are asked for.
///
/// Keeps the block that was unpacked last, and no structure that nobody holds. Not thread-safe: ArchiveReader has a
/// lock around it.
class SharedStructures {
public:
  using PlainPayload = std::function<std::string(const LocatedBlock&)>;

  /// Adds a block of shared structures. Throws Error(invalid_input) when it does not continue their numbers.
  void add(const LocatedBlock& place);

  std::uint32_t size() const { return size_; }
  /// Returns a structure's bytes. Throws Error(invalid_input) when there is none of this number, or its block is
  /// malformed.
  std::string bytes(std::uint32_t number, const PlainPayload& plain_payload);
  /// Returns the structure, shared with all who hold it.
  std::shared_ptr<const Structure> get(std::uint32_t number, const PlainPayload& plain_payload);

private:
  void unpack(const LocatedBlock& place, const PlainPayload& plain_payload);

  std::vector<LocatedBlock> blocks_;
  std::uint32_t size_ = 0;
  std::vector<std::weak_ptr<const Structure>> held_; ///< by number
  // The block last unpacked: ranks that follow on one another need structures that do.
  std::string unpacked_;
  std::uint32_t first_unpacked_ = 0;
  std::vector<std::string_view> structures_; ///< of the block, in unpacked_
};

} // namespace timeless::trace
