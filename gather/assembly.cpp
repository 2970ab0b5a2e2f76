#include "gather/assembly.h"

#include "trace/archive/layout.h"
#include "trace/archive/reader.h"
#include "trace/encoding/bytes.h"
#include "trace/error.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>

namespace timeless::gather {

namespace {

bool translates(const trace::RankNumbers& numbers) {
  return !numbers.communicators.empty() || !numbers.kernels.empty() || !numbers.regions.empty();
}

[[noreturn]] void fail_to_write(const std::filesystem::path& path, int code) {
  throw Error(Failure::runtime, std::string("cannot write the archive: ") + std::strerror(code), path.string(),
              code == ENOSPC || code == EDQUOT ? "free some space or choose another directory" : "");
}

std::vector<trace::BlockHeader> headers_of(const RankPlace& place, std::string_view rows) {
  std::string counted;
  trace::put_varint(counted, place.blocks.blocks);
  std::vector<trace::BlockHeader> headers;
  trace::decode_index(counted.append(rows), headers);
  return headers;
}

} // namespace

std::vector<RankPlace> lay_out(std::span<const RankBlocks> ranks) {
  std::vector<RankPlace> places;
  RankPlace next;
  for (const RankBlocks& rank : ranks) {
    next.blocks = rank;
    places.push_back(next);
    next.offset += rank.bytes;
    next.row_offset += rank.row_bytes;
  }
  return places;
}

Assembly::Assembly(const std::filesystem::path& path, const UnitedRun& united, std::span<const RankBlocks> ranks)
    : path_(path), definitions_(definitions_of(united.run)), places_(lay_out(ranks)), writer_(path) {
  trace::Definitions all = definitions_;
  std::ranges::copy_if(united.numbers, std::back_inserter(all.numbers), translates);
  writer_.define(all);
  std::uint64_t row_bytes = 0;
  for (const RankBlocks& rank : ranks) {
    block_bytes_ += rank.bytes;
    row_bytes += rank.row_bytes;
  }
  rows_.resize(row_bytes);
  room_ = writer_.leave_room(block_bytes_);
  file_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (file_ < 0) fail_to_write(path, errno);
}

Assembly::~Assembly() {
  if (file_ >= 0) ::close(file_);
}

void Assembly::put(std::uint64_t offset, std::string_view bytes) const {
  if (offset > block_bytes_ || bytes.size() > block_bytes_ - offset)
    throw Error(Failure::runtime, "blocks that were not announced", path_.string());
  offset += room_;
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(file_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_to_write(path_, errno);
    offset += static_cast<std::uint64_t>(written);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void Assembly::put_rows(std::uint64_t offset, std::string_view rows) {
  if (offset > rows_.size() || rows.size() > rows_.size() - offset)
    throw Error(Failure::runtime, "rows of the index that were not announced", path_.string());
  std::ranges::copy(rows, rows_.begin() + static_cast<std::ptrdiff_t>(offset));
}

std::string_view Assembly::rows_of(const RankPlace& place) const {
  return std::string_view(rows_).substr(place.row_offset, place.blocks.row_bytes);
}

std::uint64_t Assembly::finish() {
  std::uint64_t blocks = 0;
  for (const RankPlace& place : places_) {
    const std::string_view rows = rows_of(place);
    if (trace::checksum(rows) != place.blocks.row_checksum)
      throw Error(Failure::runtime, "the index of rank " + std::to_string(place.blocks.rank) + " did not come whole",
                  path_.string(), "gather again; the sources are untouched");
    for (const trace::BlockHeader& header : headers_of(place, rows)) {
      writer_.adopt(header);
      if (header.type == trace::BlockType::actions) ++blocks;
    }
  }
  const int file = file_;
  file_ = -1;
  if (::close(file) != 0) fail_to_write(path_, errno);
  writer_.finish();
  return blocks;
}

void Assembly::verify(bool every_block) const {
  const auto fail = [&] {
    throw Error(Failure::runtime, "the archive just written does not read as what was to be written", path_.string(),
                "the sources are untouched; try another disk");
  };
  const trace::ArchiveReader written(path_);
  if (!written.finished() || !written.damage().empty() || definitions_of(written.run()) != definitions_) fail();
  for (const RankPlace& place : places_) {
    std::string rows;
    for (const trace::BlockPlace& block : blocks_to_copy(written, place.blocks.rank)) {
      put_index_row(rows, block.header);
      if (every_block) written.stored(block);
    }
    if (rows != rows_of(place)) fail();
  }
}

} // namespace timeless::gather
