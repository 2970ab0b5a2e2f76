#include "gather/survey.h"

#include "gather/packing.h"
#include "trace/archive/input_file.h"
#include "trace/archive/layout.h"
#include "trace/error.h"

#include <algorithm>
#include <ranges>
#include <utility>

namespace timeless::gather {

namespace {

/// Those of the blocks, from the last back, that the file itself does not hold.
std::vector<std::string> blocks_in_journal(const trace::ArchiveReader& archive,
                                           const std::vector<trace::BlockPlace>& places) {
  const trace::InputFile file(archive.path());
  std::vector<std::string> blocks;
  for (const trace::BlockPlace& place : std::views::reverse(places)) {
    std::string bytes = archive.stored(place);
    if (file.read(place.offset, bytes.size()) == bytes) break;
    blocks.push_back(std::move(bytes));
  }
  std::ranges::reverse(blocks);
  return blocks;
}

} // namespace

RankBlocks measure(trace::Rank rank, const std::vector<trace::BlockPlace>& places) {
  RankBlocks result{.rank = rank, .blocks = places.size()};
  std::string headers;
  for (const trace::BlockPlace& place : places) {
    result.bytes += trace::block_header_bytes + place.header.stored_bytes;
    const bool data = place.header.type == trace::BlockType::actions || place.header.type == trace::BlockType::volumes;
    result.stretches += data ? 1 : 0;
    put_index_row(headers, place.header);
  }
  result.checksum = trace::checksum(headers);
  return result;
}

std::vector<trace::BlockPlace> blocks_to_copy(const trace::ArchiveReader& archive, trace::Rank rank) {
  std::vector<trace::BlockPlace> places;
  for (const trace::Stretch& stretch : archive.stretches(rank)) {
    if (stretch.structure) places.push_back(*stretch.structure);
    places.push_back(stretch.data);
    if (stretch.times) places.push_back(*stretch.times);
  }
  return places;
}

Survey survey(const std::filesystem::path& path, const std::string& label) {
  const trace::ArchiveReader archive(path);
  Survey result{.path = path,
                .label = label,
                .file_bytes = archive.file_bytes(),
                .part = part_of(archive, label),
                .ranks = {},
                .journal_blocks = {}};
  for (const trace::RankRecord& record : result.part.run.ranks) {
    const auto places = blocks_to_copy(archive, record.rank);
    result.ranks.push_back(measure(record.rank, places));
    if (archive.journaled()) result.journal_blocks = blocks_in_journal(archive, places);
  }
  return result;
}

const RankBlocks& blocks_of(const Survey& survey, trace::Rank rank) {
  return *std::ranges::lower_bound(survey.ranks, rank, {}, &RankBlocks::rank);
}

BlockReader::BlockReader(const trace::ArchiveReader& archive, const Survey& survey, const RankBlocks& rank)
    : archive_(archive), survey_(survey), expected_(rank), places_(blocks_to_copy(archive, rank.rank)) {
  const std::uint64_t in_file = rank.blocks - survey.journal_blocks.size();
  if (places_.size() > in_file) places_.resize(in_file);
  std::vector<trace::BlockPlace> all = places_;
  for (const std::string& block : survey.journal_blocks)
    all.push_back({.header = trace::decode_block_header(block).value().header});
  if (measure(rank.rank, all) != rank)
    throw Error(Failure::invalid_input, "the file has changed while it was gathered", survey.label,
                "gather again when nothing writes to it");
}

bool BlockReader::next(trace::BlockHeader& header, std::string& bytes) {
  if (next_ == expected_.blocks) return false;
  if (next_ < places_.size()) {
    header = places_[next_].header;
    bytes = archive_.stored(places_[next_]);
  } else {
    bytes = survey_.journal_blocks[next_ - places_.size()];
    header = trace::decode_block_header(bytes).value().header;
  }
  ++next_;
  headers_checksum_ = add_header(headers_checksum_, bytes);
  return true;
}

std::uint64_t add_header(std::uint64_t checksum, std::string_view block) {
  Packer both;
  both.put(checksum);
  both.put(block.substr(0, trace::block_header_bytes));
  return trace::checksum(both.bytes());
}

} // namespace timeless::gather
