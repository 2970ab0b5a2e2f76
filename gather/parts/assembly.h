#pragma once

#include "gather/parts/inventory.h"
#include "gather/parts/run_union.h"
#include "gather/parts/spool.h"
#include "gather/parts/structures.h"
#include "trace/archive/writer.h"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// A gathered archive as it is put together: definitions, the ranks' blocks as they were recorded, by rank, then the
/// structures they share and the index. Where every block goes is known before the first is read, so they may come in
/// any order.
namespace timeless::gather {

/// Where a rank's blocks go, in the part of the file that holds all ranks' blocks.
struct RankPlace {
  RankBlocks blocks;
  std::uint64_t offset = 0;
};

/// Returns where the ranks' blocks go, by rising rank; the first begins at 0. The ranks must be rising.
std::vector<RankPlace> lay_out(std::span<const RankBlocks> ranks);

/// The archive while it is put together: put() each block in its place, then finish(), then verify().
///
/// One thread uses it, but for put(), which may run in another.
class Assembly {
public:
  /// Creates the file, writes the definitions and reserves the room for the ranks' blocks (which must be of
  /// united.run's ranks). Throws Error(runtime) when the file cannot be written or, where the system can tell, its disk
  /// is too small.
  Assembly(const std::filesystem::path& path, const UnitedRun& united, std::span<const RankBlocks> ranks);
  ~Assembly();
  Assembly(const Assembly&) = delete;
  Assembly& operator=(const Assembly&) = delete;

  const std::vector<RankPlace>& places() const { return places_; }
  std::uint64_t block_bytes() const { return block_bytes_; }

  /// Writes blocks, or a part of them, where RankPlace::offset says. Throws Error(runtime) when the disk is full.
  /// May run in another thread than the rest.
  void put(std::uint64_t offset, std::string_view bytes) const;

  /// Writes, once everything was put, the structures, which the spool holds by number, and the index, and closes the
  /// file. Returns how many segments there are.
  std::uint64_t finish(const StructureNumbering& structures, const Spool& spool);

  /// Reads back what was written, to be called after finish(): a disk that lies is found before anybody deletes the
  /// sources. With `every_block`, verifies the blocks' checksums too. Throws Error(runtime).
  void verify(const StructureNumbering& structures, bool every_block) const;

private:
  void share(const StructureNumbering& structures, const Spool& spool);

  std::filesystem::path path_;
  trace::Definitions definitions_;
  std::vector<RankPlace> places_;
  std::uint64_t block_bytes_ = 0;
  trace::ArchiveWriter writer_;
  std::uint64_t room_ = 0; ///< where it begins
  int file_ = -1;
};

} // namespace timeless::gather
