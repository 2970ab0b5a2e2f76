#include "gather/parts/assembly.h"

#include "base/descriptors.h"
#include "base/error.h"
#include "base/files/temporary_file.h"
#include "trace/archive/reader.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace timeless::gather {

namespace {

/// Returns what the archive has to say of a rank's numbers.
trace::RankNumbers left_to_translate(trace::RankNumbers numbers) {
  numbers.kernels.clear();
  numbers.regions.clear();
  return numbers;
}

bool translates(const trace::RankNumbers& numbers) {
  return !numbers.communicators.empty() || !numbers.kernels.empty() || !numbers.regions.empty();
}

[[noreturn]] void fail_to_write(const std::filesystem::path& path, int code) {
  throw Error(Failure::runtime, std::string("cannot write the archive: ") + std::strerror(code),
              output_of(path).string(),
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
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    trace::RankNumbers numbers = left_to_translate(united.numbers[i]);
    if (translates(numbers)) all.numbers.push_back(std::move(numbers));
  }
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
  if (write_at(file_, offset + room_, bytes) < bytes.size()) fail_to_write(path_, errno);
}

void Assembly::share(const StructureNumbering& structures, const Spool& spool) {
  if (structures.names().empty()) return;
  constexpr std::uint64_t most_bytes_at_once = std::uint64_t{16} << 20U;
  std::vector<std::string> some;
  std::uint64_t bytes = 0;
  std::uint64_t offset = 0;
  const auto write = [&] {
    writer_.share(some);
    some.clear();
    bytes = 0;
  };
  for (const StructureName& name : structures.names()) {
    some.push_back(spool.get(offset, name.bytes));
    if (name_of(some.back()) != name)
      throw Error(Failure::runtime, "a structure that ranks share did not come whole", path_.string(),
                  "gather again; the sources are untouched");
    offset += name.bytes;
    bytes += name.bytes;
    if (bytes >= most_bytes_at_once) write();
  }
  if (!some.empty()) write();
  writer_.write(structures.layout());
}

std::uint64_t Assembly::finish(const StructureNumbering& structures, const Spool& spool) {
  std::uint64_t segments = 0;
  for (const RankPlace& place : places_) {
    writer_.adopt(place.blocks.rank, place.blocks.bytes);
    segments += place.blocks.segments;
  }
  share(structures, spool);
  const int file = file_;
  file_ = -1;
  if (::close(file) != 0) fail_to_write(path_, errno);
  writer_.finish();
  return segments;
}

namespace {

/// Returns whether these blocks of a rank are those that were to be copied.
bool same(const RankBlocks& found, const RankBlocks& expected) {
  return found.segments == expected.segments && found.bytes == expected.bytes && found.checksum == expected.checksum;
}

/// Returns whether the archive's structures are these, and the ranks with these places have those that they should.
bool same_structures(const trace::ArchiveReader& written, const std::vector<RankPlace>& places,
                     const StructureNumbering& structures) {
  if (written.shared_structures() != structures.names().size()) return false;
  for (std::uint32_t number = 0; number < written.shared_structures(); ++number)
    if (name_of(written.shared_structure(number)) != structures.names()[number]) return false;
  for (std::size_t i = 0; i < places.size(); ++i)
    if (!std::ranges::equal(written.shared_structures(places[i].blocks.rank), structures.layout().structures(i)))
      return false;
  return true;
}

} // namespace

void Assembly::verify(const StructureNumbering& structures, bool every_block) const {
  const auto fail = [&] {
    throw Error(Failure::runtime, "the archive just written does not read as what was to be written", path_.string(),
                "the sources are untouched; try another disk");
  };
  const trace::ArchiveReader written(path_);
  if (!written.finished() || !written.damage().empty() || definitions_of(written.run()) != definitions_ ||
      !same_structures(written, places_, structures))
    fail();
  for (const RankPlace& place : places_) {
    const auto blocks = blocks_of(written, place.blocks.rank);
    if (!same(count_blocks(place.blocks.rank, blocks), place.blocks)) fail();
    for (const trace::LocatedBlock& block : blocks)
      if (every_block) written.stored(block);
  }
}

} // namespace timeless::gather
