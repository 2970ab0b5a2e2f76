#include "trace/archive/scan.h"

#include "base/error.h"
#include "trace/codec/compression.h"
#include "trace/codec/layout.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace timeless::trace {

namespace {

struct StoredBlock {
  StoredHeader stored;
  std::string payload;
};

/// Returns the block at an offset with its checksums verified, or nothing.
std::optional<StoredBlock> whole_block(const InputFile& file, std::uint64_t offset) {
  const auto stored = decode_block_header(file.read(offset, block_header_bytes));
  if (!stored || stored->header.stored_bytes > file.size() - offset - block_header_bytes) return std::nullopt;
  std::string payload = file.read(offset + block_header_bytes, stored->header.stored_bytes);
  if (checksum(payload) != stored->payload_checksum) return std::nullopt;
  return StoredBlock{*stored, std::move(payload)};
}

/// Enters blocks that follow on one another in the file.
void enter(const IndexRow& row, std::uint64_t offset, Contents& contents) {
  const auto type = static_cast<std::uint8_t>(row.header.type);
  if (type != 0 && !of_rank(row.header.type)) {
    contents.blocks.push_back({row.header, offset});
    return;
  }
  std::vector<Extent>& extents = contents.extents;
  const bool goes_on = !extents.empty() && extents.back().rank == row.header.rank &&
                       extents.back().offset + extents.back().bytes == offset;
  if (!goes_on) extents.push_back({.rank = row.header.rank, .offset = offset, .bytes = 0});
  extents.back().bytes += row.bytes;
}

/// Returns the rows of the index, or nothing when it is not intact.
std::optional<std::vector<IndexRow>> read_index(const InputFile& file, const Footer& footer) {
  std::vector<IndexRow> rows;
  const std::uint64_t end = file.size() - footer_bytes;
  std::uint64_t offset = footer.index_offset;
  while (offset < end) {
    const auto block = whole_block(file, offset);
    if (!block || block->stored.header.type != BlockType::index) return std::nullopt;
    try {
      decode_index(decompress(block->payload, block->stored.header.plain_bytes), rows);
    } catch (const Error&) {
      return std::nullopt;
    }
    offset = end_of({block->stored.header, offset});
  }
  if (offset != end || rows.size() != footer.rows) return std::nullopt;
  return rows;
}

/// Returns what is there by the index; nothing when there is no intact index, or it does not describe this file.
std::optional<Contents> by_index(const InputFile& file) {
  if (file.size() < file_header_bytes + footer_bytes) return std::nullopt;
  const auto footer = decode_footer(file.read(file.size() - footer_bytes, footer_bytes));
  if (!footer || footer->index_offset > file.size()) return std::nullopt;
  const auto rows = read_index(file, *footer);
  if (!rows) return std::nullopt;
  Contents contents;
  std::uint64_t offset = file_header_bytes;
  for (const IndexRow& row : *rows) {
    if (row.bytes > file.size() - offset) return std::nullopt;
    enter(row, offset, contents);
    offset += row.bytes;
  }
  if (offset != footer->index_offset) return std::nullopt;
  contents.finished = true;
  return contents;
}

/// Returns where the next intact block header starts, or the file's end.
std::uint64_t next_header(const InputFile& file, std::uint64_t offset) {
  constexpr std::size_t window_bytes = std::size_t{1} << 20U;
  while (offset < file.size()) {
    const std::string window = file.read(offset, window_bytes + block_header_bytes);
    for (std::size_t at = window.find(block_magic); at != std::string::npos; at = window.find(block_magic, at + 1))
      if (decode_block_header(std::string_view(window).substr(at))) return offset + at;
    offset += window_bytes;
  }
  return file.size();
}

/// Enters whole segments only: a structure waits for its volumes, times come after those.
class SegmentAssembler {
public:
  explicit SegmentAssembler(Contents& contents) : contents_(contents) {}

  void add(const LocatedBlock& place) {
    const bool follows = same_segment(last_, place);
    if (waiting_) {
      waiting_ = false;
      if (place.header.type == BlockType::volumes && follows)
        enter_block(last_);
      else
        lament(last_, "a structure without its volumes");
    }
    if (place.header.type == BlockType::structure)
      waiting_ = true;
    else if (place.header.type == BlockType::times && !follows)
      lament(place, "times of no segment of actions");
    else
      enter_block(place);
    last_ = place;
  }

  /// Ends after the last block, on which nothing follows.
  void end() {
    if (waiting_) lament(last_, "a structure without its volumes");
    waiting_ = false;
    last_ = {};
  }

private:
  static bool same_segment(const LocatedBlock& left, const LocatedBlock& right) {
    return left.header.rank == right.header.rank && left.header.first_action == right.header.first_action &&
           left.header.actions == right.header.actions && end_of(left) == right.offset;
  }

  void enter_block(const LocatedBlock& place) {
    enter({.header = place.header, .bytes = end_of(place) - place.offset}, place.offset, contents_);
  }

  void lament(const LocatedBlock& place, const std::string& what) { contents_.damage.push_back({place.offset, what}); }

  Contents& contents_;
  LocatedBlock last_;
  bool waiting_ = false; ///< the last one is a structure
};

Contents by_reading(const InputFile& file) {
  Contents contents;
  SegmentAssembler segments(contents);
  std::uint64_t offset = file_header_bytes;
  while (offset < file.size()) {
    const auto block = whole_block(file, offset);
    if (block) {
      const LocatedBlock place{block->stored.header, offset};
      if (place.header.type != BlockType::index) segments.add(place);
      offset = end_of(place);
      continue;
    }
    segments.end();
    const std::uint64_t next = next_header(file, offset + 1);
    const bool footer = next == file.size() && next - offset == footer_bytes &&
                        decode_footer(file.read(offset, footer_bytes)).has_value();
    if (!footer)
      contents.damage.push_back({offset, next == file.size() ? "the file ends within a block" : "a damaged block"});
    offset = next;
  }
  segments.end();
  std::ranges::sort(contents.damage, {}, &Damage::offset);
  return contents;
}

} // namespace

Contents read_contents(const InputFile& file) {
  try {
    check_file_header(file.read(0, file_header_bytes));
  } catch (const Error& problem) {
    throw Error(problem.failure(), problem.description(), file.path().string(), problem.advice());
  }
  if (auto contents = by_index(file)) return std::move(*contents);
  return by_reading(file);
}

std::optional<BlockHeader> block_header(const InputFile& file, std::uint64_t offset) {
  const auto stored = decode_block_header(file.read(offset, block_header_bytes));
  if (!stored || stored->header.stored_bytes > file.size() - offset - block_header_bytes) return std::nullopt;
  return stored->header;
}

} // namespace timeless::trace
