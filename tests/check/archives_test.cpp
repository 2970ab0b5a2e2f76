#include "checked_program.h"

#include "trace/archive/writer.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace timeless::trace::test {
namespace {

using ::testing::HasSubstr;

TEST(CheckArchives, a_damaged_block_is_a_finding_and_the_rest_is_still_checked) {
  const auto path = std::filesystem::temp_directory_path() / ("timeless-check-" + std::to_string(::getpid()) + ".tia");
  Program program = random_program(1, 3, 2000);
  {
    ArchiveWriter writer(path);
    writer.define(definitions_of(program.run()));
    for (Rank rank = 0; rank < 3; ++rank) {
      const auto stream = program.open(rank);
      ActionBlock block;
      while (stream->next(block))
        writer.write(rank, block);
    }
    writer.finish();
  }
  EXPECT_EQ(check(ArchiveReader(path)).inconsistent, 0U);
  const ArchiveReader archive(path);
  const LocatedBlock damaged = archive.segments(1).at(1).volumes;
  {
    std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(static_cast<std::streamoff>(damaged.offset + block_header_bytes));
    file.put('\x33');
  }
  const CheckReport report = check(ArchiveReader(path));
  EXPECT_EQ(report.inconsistent, 1U);
  EXPECT_EQ(report.findings.front().rank, 1);
  EXPECT_THAT(report.findings.front().words, HasSubstr("block at byte " + std::to_string(damaged.offset)));

  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 40);
  CheckReport cut;
  add_damage(ArchiveReader(path), cut);
  EXPECT_GE(cut.incomplete, 1U);
  std::filesystem::remove(path);
}

} // namespace
} // namespace timeless::trace::test
