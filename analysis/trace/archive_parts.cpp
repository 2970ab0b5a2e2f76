#include "analysis/trace/archive_parts.h"

#include "base/error.h"
#include "gather/parts/rank_files.h"
#include "trace/archive/reader.h"

#include <vector>

namespace timeless::analysis {

namespace {

void add_segments(const trace::ArchiveReader& archive, trace::Rank rank, ArchiveParts& parts) {
  for (const trace::ActionSegment& segment : archive.segments(rank)) {
    parts.volumes += segment.volumes.header.stored_bytes;
    if (segment.structure) parts.structure += segment.structure->header.stored_bytes;
    if (segment.times) parts.times += segment.times->header.stored_bytes;
  }
}

void add_archive(const std::filesystem::path& path, ArchiveParts& parts) {
  const trace::ArchiveReader archive(path);
  for (const trace::LocatedBlock& place : archive.common_blocks()) {
    const trace::BlockType type = place.header.type;
    if (type == trace::BlockType::definitions) parts.definitions += place.header.stored_bytes;
    if (type == trace::BlockType::shared || type == trace::BlockType::layout)
      parts.structure += place.header.stored_bytes;
  }
  for (const trace::RankRecord& record : archive.run().ranks) {
    try {
      add_segments(archive, record.rank, parts);
    } catch (const Error& problem) {
      if (problem.failure() != Failure::invalid_input) throw; // check tells of damage
    }
  }
}

} // namespace

ArchiveParts archive_parts(const std::filesystem::path& path) {
  std::vector<std::filesystem::path> files;
  if (std::filesystem::is_directory(path))
    for (const gather::RankFile& file : gather::list_rank_files(path))
      files.push_back(file.path);
  else
    files.push_back(path);
  ArchiveParts parts;
  std::uint64_t all = 0;
  for (const std::filesystem::path& file : files) {
    add_archive(file, parts);
    all += std::filesystem::file_size(file);
  }
  const std::uint64_t payloads = parts.structure + parts.volumes + parts.times + parts.definitions;
  parts.framing = all > payloads ? all - payloads : 0;
  return parts;
}

} // namespace timeless::analysis
