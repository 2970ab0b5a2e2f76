#include "gather/parts/inventory.h"

#include "base/error.h"
#include "base/files/input_file.h"
#include "trace/codec/layout.h"

#include <algorithm>
#include <ranges>
#include <utility>

namespace timeless::gather {

namespace {

/// Returns those of the blocks, from the last back, that the file itself does not hold.
std::vector<std::string> blocks_in_journal(const trace::ArchiveReader& archive,
                                           const std::vector<trace::LocatedBlock>& places) {
  const trace::InputFile file(archive.path());
  std::vector<std::string> blocks;
  for (const trace::LocatedBlock& place : std::views::reverse(places)) {
    std::string bytes = archive.stored(place);
    if (file.read(place.offset, bytes.size()) == bytes) break;
    blocks.push_back(std::move(bytes));
  }
  std::ranges::reverse(blocks);
  return blocks;
}

} // namespace

RankBlocks count_blocks(trace::Rank rank, const std::vector<trace::LocatedBlock>& places) {
  RankBlocks result{.rank = rank, .blocks = places.size()};
  std::string headers;
  std::string structure_headers;
  for (const trace::LocatedBlock& place : places) {
    const bool copied = goes_as_it_is(place.header);
    if (copied) result.bytes += trace::block_header_bytes + place.header.stored_bytes;
    if (place.header.type == trace::BlockType::volumes) ++result.segments;
    put_index_row(copied ? headers : structure_headers, place.header);
  }
  result.checksum = trace::checksum(headers);
  result.structure_checksum = trace::checksum(structure_headers);
  return result;
}

std::vector<trace::LocatedBlock> blocks_of(const trace::ArchiveReader& archive, trace::Rank rank) {
  std::vector<trace::LocatedBlock> places;
  for (const trace::ActionSegment& segment : archive.segments(rank)) {
    if (segment.structure) places.push_back(*segment.structure);
    places.push_back(segment.volumes);
    if (segment.times) places.push_back(*segment.times);
  }
  return places;
}

bool goes_as_it_is(const trace::BlockHeader& header) {
  return header.type != trace::BlockType::structure;
}

Inventory inventory(const std::filesystem::path& path, const std::string& label) {
  const trace::ArchiveReader archive(path);
  Inventory result{.path = path,
                   .label = label,
                   .file_bytes = archive.file_bytes(),
                   .part = part_of(archive, label),
                   .ranks = {},
                   .journal_blocks = {}};
  for (const trace::RankRecord& record : result.part.run.ranks) {
    const auto places = blocks_of(archive, record.rank);
    result.ranks.push_back(count_blocks(record.rank, places));
    if (archive.journaled()) result.journal_blocks = blocks_in_journal(archive, places);
  }
  return result;
}

const RankBlocks& blocks_of(const Inventory& inventory, trace::Rank rank) {
  return *std::ranges::lower_bound(inventory.ranks, rank, {}, &RankBlocks::rank);
}

BlockReader::BlockReader(const trace::ArchiveReader& archive, const Inventory& inventory, const RankBlocks& rank)
    : archive_(archive), inventory_(inventory), expected_(rank), places_(blocks_of(archive, rank.rank)) {
  const std::uint64_t in_file = rank.blocks - inventory.journal_blocks.size();
  if (places_.size() > in_file) places_.resize(in_file);
  std::vector<trace::LocatedBlock> all = places_;
  for (const std::string& block : inventory.journal_blocks)
    all.push_back({.header = trace::decode_block_header(block).value().header});
  if (count_blocks(rank.rank, all) != rank)
    throw Error(Failure::invalid_input, "the file has changed while it was gathered", inventory.label,
                "gather again when nothing writes to it");
}

bool BlockReader::next() {
  if (next_ == expected_.blocks) return false;
  header_ = next_ < places_.size()
                ? places_[next_].header
                : trace::decode_block_header(inventory_.journal_blocks[next_ - places_.size()]).value().header;
  ++next_;
  return true;
}

std::string BlockReader::bytes() const {
  const std::uint64_t current = next_ - 1;
  return current < places_.size() ? archive_.stored(places_[current])
                                  : inventory_.journal_blocks[current - places_.size()];
}

} // namespace timeless::gather
