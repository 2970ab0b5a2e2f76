#include "trace/archive/reader.h"
#include "trace/archive/writer.h"

#include "base/error.h"
#include "tests/trace/samples.h"

#include <gtest/gtest.h>

#include <sys/resource.h>

#include <csignal>
#include <filesystem>

namespace timeless::trace {
namespace {

using test::actions_of;
using test::same_actions;

TEST(Archive, a_run_reads_back_as_it_was_written) {
  const test::TemporaryDirectory directory;
  const MemorySource run = test::varied_run();
  test::write_archive(run, directory / "run.tia");
  const ArchiveReader archive(directory / "run.tia");
  EXPECT_TRUE(archive.finished());
  EXPECT_TRUE(archive.damage().empty());
  EXPECT_TRUE(archive.run().complete());
  EXPECT_EQ(definitions_of(archive.run()), definitions_of(run.run()));
  for (Rank rank = 0; rank < 3; ++rank)
    EXPECT_TRUE(same_actions(actions_of(archive, rank), actions_of(run, rank))) << rank;
}

TEST(Archive, ranks_can_be_read_in_any_interleaving) {
  const test::TemporaryDirectory directory;
  const MemorySource run = test::varied_run();
  test::write_archive(run, directory / "run.tia");
  const ArchiveReader archive(directory / "run.tia");
  const auto first = archive.open(0);
  const auto second = archive.open(1);
  ActionBlock block;
  ASSERT_TRUE(first->next(block));
  ASSERT_TRUE(second->next(block));
  ASSERT_TRUE(first->next(block));
  EXPECT_TRUE(same_actions(actions_of(archive, 2), actions_of(run, 2)));
}

TEST(Archive, copied_blocks_with_renumbering_mean_the_same_actions) {
  const test::TemporaryDirectory directory;
  const MemorySource run = test::varied_run(2);
  test::write_archive(run, directory / "run.tia");
  const ArchiveReader original(directory / "run.tia");

  Definitions definitions = definitions_of(run.run());
  std::swap(definitions.communicators[0], definitions.communicators[1]);
  std::swap(definitions.kernels[0], definitions.kernels[1]);
  for (const Rank rank : {0, 1})
    definitions.numbers.push_back({.rank = rank, .communicators = {1, 0}, .kernels = {1, 0}});
  ArchiveWriter writer(directory / "copy.tia");
  writer.define(definitions);
  for (const Rank rank : {0, 1})
    for (const ActionSegment& segment : original.segments(rank))
      for (const LocatedBlock& place : {*segment.structure, segment.volumes})
        writer.copy(place.header, original.payload(place));
  writer.finish();

  const ArchiveReader copy(directory / "copy.tia");
  const auto before = actions_of(run, 1);
  const auto after = actions_of(copy, 1);
  ASSERT_EQ(before.size(), after.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(before[i].volume, after[i].volume);
    EXPECT_EQ(before[i].action.communicator, 1 - after[i].action.communicator);
    if (before[i].action.kernel != no_kernel) {
      EXPECT_EQ(before[i].action.kernel, 1 - after[i].action.kernel);
    }
  }
}

TEST(Archive, a_block_too_large_for_the_format_is_split) {
  const test::TemporaryDirectory directory;
  MemorySource run(1, 2000000);
  std::vector<Bytes> counts(1000000);
  for (std::size_t i = 0; i < counts.size(); ++i)
    counts[i] = i * 7919 % 1000003 << 20U;
  for (Bytes variant = 0; variant < 6; ++variant) {
    counts[0] = variant;
    run.add(0, {.kind = ActionKind::alltoallv, .counts = counts});
  }
  for (int i = 0; i < 1200000; ++i)
    run.add(0, {.kind = ActionKind::barrier});
  run.finalize();
  test::write_archive(run, directory / "run.tia");
  const ArchiveReader archive(directory / "run.tia");
  EXPECT_GT(archive.segments(0).size(), 2U);
  EXPECT_TRUE(same_actions(actions_of(archive, 0), actions_of(run, 0)));
}

TEST(Archive, definitions_too_large_for_one_block_are_spread_over_several) {
  const test::TemporaryDirectory directory;
  MemorySource run(1);
  for (std::uint64_t i = 0; i < 2000000; ++i)
    run.add_kernel({{0, i << 32U}, {0, i << 33U}});
  run.finalize();
  test::write_archive(run, directory / "run.tia");
  EXPECT_EQ(ArchiveReader(directory / "run.tia").run().kernels, run.run().kernels);
}

TEST(Archive, an_existing_file_is_not_overwritten) {
  const test::TemporaryDirectory directory;
  test::write_bytes(directory / "run.tia", "precious");
  EXPECT_THROW(ArchiveWriter(directory / "run.tia"), Error);
  EXPECT_EQ(test::file_bytes(directory / "run.tia"), "precious");
}

TEST(Archive, a_disk_that_is_full_from_the_start_is_an_error_and_leaves_no_file) {
  const test::TemporaryDirectory directory;
  struct rlimit before {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  struct rlimit limit = before;
  limit.rlim_cur = 1;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  EXPECT_THROW(ArchiveWriter(directory / "run.tia"), Error);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_FALSE(std::filesystem::exists(directory / "run.tia"));
}

TEST(Archive, a_full_disk_is_an_error_and_leaves_the_blocks_before_readable) {
  const test::TemporaryDirectory directory;
  const MemorySource run = test::varied_run(1, 2000, 64);
  struct rlimit before {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, SIG_IGN);
  struct rlimit limit = before;
  limit.rlim_cur = 20000;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  EXPECT_THROW(test::write_archive(run, directory / "run.tia"), Error);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);

  const ArchiveReader archive(directory / "run.tia");
  EXPECT_FALSE(archive.finished());
  EXPECT_TRUE(archive.damage().empty());
  EXPECT_GT(archive.segments(0).size(), 10U);
  ActionBlock block;
  for (const ActionSegment& segment : archive.segments(0))
    EXPECT_NO_THROW(archive.read(segment, block));
}

TEST(Archive, what_is_no_archive_is_refused_by_name) {
  const test::TemporaryDirectory directory;
  EXPECT_THROW(ArchiveReader(directory / "absent.tia"), Error);
  EXPECT_THROW(ArchiveReader("/"), Error);
  EXPECT_THROW(ArchiveReader("/dev/zero"), Error);
  for (const std::string_view bytes : {"", "TIMELESS", "#!/bin/sh\necho this is no archive\n"}) {
    test::write_bytes(directory / "other", bytes);
    try {
      const ArchiveReader archive(directory / "other");
      FAIL() << bytes;
    } catch (const Error& problem) {
      EXPECT_EQ(problem.failure(), Failure::invalid_input);
      EXPECT_NE(std::string(problem.what()).find("other"), std::string::npos);
    }
  }
}

TEST(Archive, a_version_from_the_future_is_named) {
  const test::TemporaryDirectory directory;
  test::write_archive(test::varied_run(1, 1), directory / "run.tia");
  std::string bytes = test::file_bytes(directory / "run.tia");
  bytes[archive_magic.size()] = 77;
  test::write_bytes(directory / "run.tia", bytes);
  try {
    const ArchiveReader archive(directory / "run.tia");
    FAIL();
  } catch (const Error& problem) {
    EXPECT_NE(std::string(problem.what()).find("version 77"), std::string::npos);
  }
}

} // namespace
} // namespace timeless::trace
