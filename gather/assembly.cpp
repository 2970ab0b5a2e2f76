#include "gather/assembly.h"

#include "trace/archive/reader.h"
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

} // namespace

std::vector<RankPlace> lay_out(std::span<const RankBlocks> ranks) {
  std::vector<RankPlace> places;
  RankPlace next;
  for (const RankBlocks& rank : ranks) {
    next.blocks = rank;
    places.push_back(next);
    next.offset += rank.bytes;
  }
  return places;
}

Assembly::Assembly(const std::filesystem::path& path, const UnitedRun& united, std::span<const RankBlocks> ranks)
    : path_(path), definitions_(definitions_of(united.run)), places_(lay_out(ranks)), writer_(path) {
  trace::Definitions all = definitions_;
  std::ranges::copy_if(united.numbers, std::back_inserter(all.numbers), translates);
  writer_.define(all);
  for (const RankBlocks& rank : ranks)
    block_bytes_ += rank.bytes;
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

std::uint64_t Assembly::finish() {
  std::uint64_t stretches = 0;
  for (const RankPlace& place : places_) {
    writer_.adopt(place.blocks.rank, place.blocks.bytes);
    stretches += place.blocks.stretches;
  }
  const int file = file_;
  file_ = -1;
  if (::close(file) != 0) fail_to_write(path_, errno);
  writer_.finish();
  return stretches;
}

void Assembly::verify(bool every_block) const {
  const auto fail = [&] {
    throw Error(Failure::runtime, "the archive just written does not read as what was to be written", path_.string(),
                "the sources are untouched; try another disk");
  };
  const trace::ArchiveReader written(path_);
  if (!written.finished() || !written.damage().empty() || definitions_of(written.run()) != definitions_) fail();
  for (const RankPlace& place : places_) {
    const auto blocks = blocks_to_copy(written, place.blocks.rank);
    if (measure(place.blocks.rank, blocks) != place.blocks) fail();
    for (const trace::BlockPlace& block : blocks)
      if (every_block) written.stored(block);
  }
}

} // namespace timeless::gather
