#include "gather/merge/merge.h"

#include "base/error.h"
#include "tests/gather/synthetic_run.h"
#include "trace/archive/reader.h"
#include "trace/codec/layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/resource.h>

#include <csignal>
#include <fstream>

namespace timeless::gather {
namespace {

using test::contents;
using test::SyntheticRun;
using test::TemporaryDirectory;
using test::write_rank_file;
using test::write_rank_files;
using ::testing::HasSubstr;
using Path = std::filesystem::path;

/// Returns the error a failing merge gives, after checking that it left no trace: sources as they were, nothing else
/// there.
Error error_of_merge(const std::vector<Path>& inputs, const TemporaryDirectory& directory,
                     const MergeOptions& options = {}) {
  const auto before = contents(directory.path());
  try {
    merge(inputs, directory / "run.tia", options);
  } catch (const Error& error) {
    EXPECT_EQ(contents(directory.path()), before);
    return error;
  }
  ADD_FAILURE() << "the merge succeeded";
  return Error(Failure::runtime, "none");
}

TEST(MergeErrors, ranks_profiled_differently_are_named) {
  const TemporaryDirectory directory;
  std::vector<Path> files = write_rank_files({.size = 2}, directory.path());
  std::filesystem::remove(files[1]);
  files[1] = write_rank_file({.size = 2}, 1, directory.path(), {.change = [](trace::Definitions& definitions) {
                               definitions.profile_events = {"CYCLES", "STALLS"};
                             }});
  const Error error = error_of_merge(files, directory);
  EXPECT_EQ(error.failure(), Failure::invalid_input);
  EXPECT_THAT(error.what(), HasSubstr("rank 0 with CYCLES, MISSES, rank 1 with CYCLES, STALLS"));
}

TEST(MergeErrors, files_of_two_runs_are_named) {
  const TemporaryDirectory directory;
  const std::vector<Path> files = {write_rank_file({.size = 2}, 0, directory.path()),
                                   write_rank_file({.size = 2, .identity = 8}, 1, directory.path())};
  const Error error = error_of_merge(files, directory);
  EXPECT_EQ(error.failure(), Failure::invalid_input);
  EXPECT_THAT(error.description(), HasSubstr("files of two runs"));
  EXPECT_THAT(error.where(), HasSubstr("rank-000000.tia"));
  EXPECT_THAT(error.where(), HasSubstr("rank-000001.tia"));
}

TEST(MergeErrors, different_counters_are_named_with_their_ranks) {
  const TemporaryDirectory directory;
  std::vector<Path> files = {write_rank_file({.size = 3}, 0, directory.path()),
                             write_rank_file({.size = 3}, 1, directory.path())};
  files.push_back(write_rank_file({.size = 3,
                                   .counter = {.name = "cputime",
                                               .version = "",
                                               .unit = trace::VolumeUnit::nanoseconds,
                                               .exactness = trace::Exactness::inexact}},
                                  2, directory.path()));
  const Error error = error_of_merge(files, directory);
  EXPECT_EQ(error.failure(), Failure::invalid_input);
  EXPECT_THAT(error.description(), HasSubstr("rank 0 with icount (instructions, exact)"));
  EXPECT_THAT(error.description(), HasSubstr("rank 2 with cputime (ns, inexact)"));
}

TEST(MergeErrors, another_version_of_the_counter_is_none) {
  const TemporaryDirectory directory;
  SyntheticRun newer{.size = 2};
  newer.counter.version = "2";
  merge(
      std::vector<Path>{write_rank_file({.size = 2}, 0, directory.path()), write_rank_file(newer, 1, directory.path())},
      directory / "run.tia");
  EXPECT_EQ(trace::ArchiveReader(directory / "run.tia").run().counter.version, "1");
}

TEST(MergeErrors, a_rank_in_two_files_is_named_with_both) {
  const TemporaryDirectory directory;
  std::filesystem::create_directory(directory / "other");
  const std::vector<Path> files = {write_rank_file({.size = 2}, 0, directory.path()),
                                   write_rank_file({.size = 2}, 1, directory.path()),
                                   write_rank_file({.size = 2}, 1, directory / "other")};
  const Error error = error_of_merge(files, directory);
  EXPECT_EQ(error.failure(), Failure::invalid_input);
  EXPECT_THAT(error.description(), HasSubstr("rank 1 stands in two files"));
  EXPECT_THAT(error.where(), HasSubstr("other/rank-000001.tia"));
}

TEST(MergeErrors, files_that_disagree_on_the_number_of_ranks_are_refused) {
  const TemporaryDirectory directory;
  const std::vector<Path> files = {write_rank_file({.size = 2}, 0, directory.path()),
                                   write_rank_file({.size = 3}, 1, directory.path())};
  EXPECT_THAT(error_of_merge(files, directory).description(), HasSubstr("number of ranks: 2 and 3"));
}

TEST(MergeErrors, one_identity_for_two_communicators_is_refused) {
  const TemporaryDirectory directory;
  const std::vector<Path> files = {
      write_rank_file({.size = 4}, 0, directory.path()),
      write_rank_file({.size = 4}, 1, directory.path(), {.change = [](trace::Definitions& definitions) {
                        for (trace::Communicator& communicator : definitions.communicators)
                          if (communicator.identity == 5000)
                            std::swap(communicator.members[0], communicator.members[1]);
                      }})};
  EXPECT_THAT(error_of_merge(files, directory).description(), HasSubstr("two communicators with one identity"));
}

TEST(MergeErrors, another_world_is_refused) {
  const TemporaryDirectory directory;
  const std::vector<Path> files = {
      write_rank_file({.size = 4}, 0, directory.path()),
      write_rank_file({.size = 4}, 1, directory.path(),
                      {.change = [](trace::Definitions& definitions) { definitions.communicators[0].identity = 99; }})};
  EXPECT_THAT(error_of_merge(files, directory).description(), HasSubstr("disagree on MPI_COMM_WORLD"));
}

TEST(MergeErrors, a_damaged_block_is_named_with_file_and_offset) {
  const TemporaryDirectory directory;
  const auto files = write_rank_files({.size = 2}, directory.path());
  std::uint64_t offset = 0;
  {
    const trace::ArchiveReader archive(files[1]);
    offset = archive.segments(archive.run().ranks.front().rank)[3].structure->offset + trace::block_header_bytes + 5;
  }
  {
    std::fstream file(files[1], std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(static_cast<std::streamoff>(offset));
    file.put('\x5a');
  }
  const Error error = error_of_merge(files, directory);
  EXPECT_EQ(error.failure(), Failure::invalid_input);
  EXPECT_THAT(error.where(), HasSubstr("rank-000001.tia"));
  EXPECT_THAT(error.where(), HasSubstr("block at byte"));
}

TEST(MergeErrors, a_hole_in_a_file_without_index_is_refused) {
  const TemporaryDirectory directory;
  const std::vector<Path> files = {write_rank_file({.size = 1}, 0, directory.path(), {.finish = false})};
  std::uint64_t offset = 0;
  {
    const trace::ArchiveReader archive(files[0]);
    offset = archive.segments(archive.run().ranks.front().rank)[3].structure->offset + trace::block_header_bytes + 5;
  }
  {
    std::fstream file(files[0], std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(static_cast<std::streamoff>(offset));
    file.put('\x5a');
  }
  const Error error = error_of_merge(files, directory);
  EXPECT_EQ(error.failure(), Failure::invalid_input);
  EXPECT_THAT(error.where(), HasSubstr("rank-000000.tia, byte"));
}

TEST(MergeErrors, a_gathered_archive_cut_short_is_refused_rather_than_taken_for_finished_ranks) {
  const TemporaryDirectory directory;
  merge(write_rank_files({.size = 3}, directory.path()), directory / "half.tia");
  std::filesystem::resize_file(directory / "half.tia", std::filesystem::file_size(directory / "half.tia") / 2);
  const Error error = error_of_merge({directory / "half.tia"}, directory);
  EXPECT_EQ(error.failure(), Failure::invalid_input);
  EXPECT_THAT(error.where(), HasSubstr("half.tia"));
}

TEST(MergeErrors, a_file_that_is_no_archive_is_named) {
  const TemporaryDirectory directory;
  auto files = write_rank_files({.size = 1}, directory.path());
  files.push_back(directory / "rank-000001.tia");
  std::ofstream(files.back()) << "#!/bin/sh\necho this is no archive at all\n";
  EXPECT_THAT(error_of_merge(files, directory).where(), HasSubstr("rank-000001.tia"));
}

/// Replaces the first structure's payload by noise of the same length, with the checksum that noise has.
void spoil_structure(const Path& file) {
  trace::LocatedBlock place;
  {
    const trace::ArchiveReader archive(file);
    place = archive.segments(archive.run().ranks.front().rank).front().structure.value();
  }
  std::string block;
  trace::put_block_header(block, place.header, std::string(place.header.stored_bytes, '\x5a'));
  block += std::string(place.header.stored_bytes, '\x5a');
  std::fstream out(file, std::ios::in | std::ios::out | std::ios::binary);
  out.seekp(static_cast<std::streamoff>(place.offset));
  out << block;
}

TEST(MergeErrors, a_payload_that_is_wrong_beneath_a_right_checksum_is_named) {
  const TemporaryDirectory directory;
  const auto files = write_rank_files({.size = 3}, directory.path());
  spoil_structure(files[1]);
  const Error error = error_of_merge(files, directory);
  EXPECT_EQ(error.failure(), Failure::invalid_input);
  EXPECT_THAT(error.where(), HasSubstr("rank-000001.tia"));
  EXPECT_THAT(error.advice(), HasSubstr("damaged"));
}

TEST(MergeErrors, an_existing_output_stays_unless_forced) {
  const TemporaryDirectory directory;
  const auto files = write_rank_files({.size = 2}, directory.path());
  std::ofstream(directory / "run.tia") << "precious";
  const Error error = error_of_merge(files, directory);
  EXPECT_EQ(error.failure(), Failure::usage);
  EXPECT_THAT(error.advice(), HasSubstr("--force"));
  merge(files, directory / "run.tia", {.force = true});
  EXPECT_TRUE(trace::ArchiveReader(directory / "run.tia").run().complete());
}

TEST(MergeErrors, a_forced_output_that_fails_leaves_the_old_one) {
  const TemporaryDirectory directory;
  const std::vector<Path> files = {write_rank_file({.size = 2}, 0, directory.path()),
                                   write_rank_file({.size = 2, .identity = 8}, 1, directory.path())};
  std::ofstream(directory / "run.tia") << "precious";
  error_of_merge(files, directory, {.force = true});
}

TEST(MergeErrors, an_input_is_never_the_output) {
  const TemporaryDirectory directory;
  const auto files = write_rank_files({.size = 1}, directory.path());
  const auto before = contents(directory.path());
  EXPECT_THROW(merge(files, files[0], {.force = true}), Error);
  std::filesystem::create_symlink(files[0], directory / "link");
  EXPECT_THROW(merge(files, directory / "link", {.force = true}), Error);
  std::filesystem::remove(directory / "link");
  EXPECT_EQ(contents(directory.path()), before);
}

TEST(MergeErrors, a_full_disk_leaves_sources_and_directory_as_they_were) {
  const TemporaryDirectory directory;
  const auto files = write_rank_files({.size = 6, .rounds = 400}, directory.path());
  const std::uint64_t needed = merge(files, directory / "run.tia").output_bytes;
  std::filesystem::remove(directory / "run.tia");
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
  for (const std::uint64_t room : {std::uint64_t{0}, needed / 20, needed / 2, needed - needed / 10, needed - 1}) {
    const rlimit small{.rlim_cur = room, .rlim_max = before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
    const Error error = error_of_merge(files, directory);
    setrlimit(RLIMIT_FSIZE, &before);
    EXPECT_EQ(error.failure(), Failure::runtime) << room;
  }
  std::signal(SIGXFSZ, handler);
  merge(files, directory / "run.tia");
}

TEST(MergeErrors, no_inputs_are_no_run) {
  const TemporaryDirectory directory;
  EXPECT_EQ(error_of_merge({}, directory).failure(), Failure::invalid_input);
}

} // namespace
} // namespace timeless::gather
