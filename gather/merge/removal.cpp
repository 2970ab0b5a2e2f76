#include "gather/merge/removal.h"

#include "base/error.h"
#include "base/files/input_file.h"
#include "gather/parts/inventory.h"
#include "trace/codec/layout.h"
#include "trace/journal/image.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <string>

namespace timeless::gather {

namespace {

void demand_removed(const std::filesystem::path& path) {
  if (::unlink(path.c_str()) == 0 || errno == ENOENT || errno == ESTALE) return;
  throw Error(Failure::runtime, std::string("gathered, but cannot remove a source: ") + std::strerror(errno),
              path.string(), "the archive is whole; remove the rank files by hand");
}

} // namespace

bool remove_rank_file(const std::filesystem::path& path, const SeenFile& seen) {
  std::error_code unknown;
  if (!std::filesystem::exists(path, unknown) || see(path) != seen) return false;
  demand_removed(trace::journal_beside(path));
  demand_removed(path);
  return true;
}

void remove_if_empty(const std::filesystem::path& directory) noexcept {
  ::rmdir(directory.c_str());
}

std::optional<std::uint64_t> headers_checksum(const std::filesystem::path& path) {
  try {
    const trace::ArchiveReader archive(path);
    const trace::InputFile file(path);
    std::uint64_t sum = 0;
    for (const trace::RankRecord& record : archive.run().ranks)
      for (const trace::LocatedBlock& place : blocks_of(archive, record.rank))
        sum = trace::checksum(std::to_string(sum) + file.read(place.offset, trace::block_header_bytes));
    return sum;
  } catch (const Error&) {
    return std::nullopt;
  }
}

} // namespace timeless::gather
