#include "gathered_archive.h"

#include "gather/merge/merge.h"
#include "trace/archive/writer.h"

#include <unistd.h>

#include <string>

namespace timeless::bench {

namespace {

void write_archive(const trace::Source& source, const std::filesystem::path& path) {
  trace::ArchiveWriter writer(path);
  writer.define(trace::definitions_of(source.run()));
  trace::ActionBlock block;
  for (const trace::RankRecord& record : source.run().ranks)
    for (const auto stream = source.open(record.rank); stream->next(block);)
      writer.write(record.rank, block);
  writer.finish();
}

std::filesystem::path unused_name() {
  static int number = 0;
  return std::filesystem::temp_directory_path() /
         ("timeless-bench-" + std::to_string(::getpid()) + "-" + std::to_string(number++) + ".tia");
}

} // namespace

void write_gathered(const trace::Source& source, const std::filesystem::path& path) {
  std::filesystem::path parts = path;
  parts += ".parts";
  write_archive(source, parts);
  gather::merge({&parts, 1}, path);
  std::filesystem::remove(parts);
}

TemporaryArchive::TemporaryArchive(const trace::Source& source) : path_(unused_name()) {
  write_gathered(source, path_);
}

TemporaryArchive::~TemporaryArchive() {
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
}

} // namespace timeless::bench
