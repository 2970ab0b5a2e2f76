#include "gather/merge/merge.h"

#include "base/error.h"
#include "base/rank_ranges.h"
#include "gather/merge/files_source.h"
#include "gather/parts/rank_files.h"
#include "gather/parts/run_union.h"
#include "tests/gather/synthetic_run.h"
#include "trace/archive/reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/resource.h>

#include <algorithm>
#include <random>

namespace timeless::gather {
namespace {

using test::actions_in_words;
using test::SyntheticRun;
using test::TemporaryDirectory;
using test::write_rank_file;
using test::write_rank_files;
using ::testing::HasSubstr;
using Path = std::filesystem::path;

void expect_same_actions(const std::vector<Path>& rank_files, const trace::Source& merged) {
  for (const Path& path : rank_files) {
    const trace::ArchiveReader alone(path);
    const trace::Rank rank = alone.run().ranks.front().rank;
    EXPECT_EQ(actions_in_words(merged, rank), actions_in_words(alone, rank)) << "rank " << rank;
  }
}

TEST(Merge, every_rank_has_the_same_actions_before_and_after) {
  const TemporaryDirectory directory;
  const auto files = write_rank_files({.size = 7}, directory.path());
  merge(files, directory / "run.tia");
  expect_same_actions(files, trace::ArchiveReader(directory / "run.tia"));
}

TEST(Merge, copies_volumes_verbatim) {
  const TemporaryDirectory directory;
  const auto files = write_rank_files({.size = 3}, directory.path());
  merge(files, directory / "run.tia");
  const trace::ArchiveReader merged(directory / "run.tia");
  for (const Path& path : files) {
    const trace::ArchiveReader alone(path);
    const trace::Rank rank = alone.run().ranks.front().rank;
    const auto before = alone.segments(rank);
    const auto after = merged.segments(rank);
    ASSERT_EQ(after.size(), before.size());
    for (std::size_t each = 0; each < before.size(); ++each) {
      EXPECT_EQ(after[each].volumes.header, before[each].volumes.header);
      EXPECT_EQ(merged.payload(after[each].volumes), alone.payload(before[each].volumes));
    }
  }
}

TEST(Merge, unites_what_is_equal_and_keeps_each_ranks_self_apart) {
  const TemporaryDirectory directory;
  const trace::Run run = merge(write_rank_files({.size = 6}, directory.path()), directory / "run.tia").run;
  // World, backwards, two parities, three pairs, six selves.
  EXPECT_EQ(run.communicators.size(), 1U + 1U + 2U + 3U + 6U);
  EXPECT_EQ(run.communicators[0].members, (std::vector<trace::Rank>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(run.communicators[0].identity, 1U);
  EXPECT_EQ(run.hosts.size(), 3U);
  EXPECT_EQ(run.hosts[run.ranks[5].host].name, "node2");
  EXPECT_EQ(run.modules.size(), 3U);
  EXPECT_EQ(run.callers.size(), 3U);
  EXPECT_EQ(run.kernels.size(), 3U + 6U);
  EXPECT_EQ(run.provenance.program, "/bin/program-of-0");
  EXPECT_EQ(run.ranks[3].unrecorded_calls.at("MPI_Put"), 3U);
  EXPECT_TRUE(run.complete());
}

TEST(Merge, keeps_modules_of_one_path_apart_that_are_not_the_same_file) {
  const TemporaryDirectory directory;
  const SyntheticRun run{.size = 2};
  const auto rebuilt = [](trace::Definitions& definitions) {
    definitions.modules[1].build_id = "made on another host"; // the odd rank's number of /bin/program
  };
  const std::vector<Path> files = {write_rank_file(run, 0, directory.path()),
                                   write_rank_file(run, 1, directory.path(), {.change = rebuilt})};
  const trace::Run merged = merge(files, directory / "run.tia").run;
  EXPECT_EQ(merged.modules.size(), 3U + 1U);
  EXPECT_EQ(merged.callers.size(), 3U + 3U);
  expect_same_actions(files, trace::ArchiveReader(directory / "run.tia"));
}

TEST(Merge, in_steps_gives_the_same_actions_as_at_once) {
  const TemporaryDirectory directory;
  const auto files = write_rank_files({.size = 9}, directory.path());
  const trace::Run once = merge(files, directory / "once.tia").run;
  std::mt19937 random(1);
  for (int attempt = 0; attempt < 10; ++attempt) {
    std::vector<Path> heap = files;
    int made = 0;
    while (heap.size() > 1) {
      std::ranges::shuffle(heap, random);
      const std::size_t count = std::min<std::size_t>(heap.size(), 2 + random() % 3);
      const std::vector<Path> some(heap.end() - static_cast<std::ptrdiff_t>(count), heap.end());
      heap.resize(heap.size() - count);
      heap.push_back(directory / ("step-" + std::to_string(attempt) + "-" + std::to_string(made++)));
      merge(some, heap.back());
    }
    const trace::ArchiveReader stepwise(heap.front());
    EXPECT_EQ(stepwise.run().communicators.size(), once.communicators.size());
    EXPECT_EQ(stepwise.run().kernels.size(), once.kernels.size());
    expect_same_actions(files, stepwise);
  }
}

TEST(Merge, in_steps_is_not_misled_by_a_rank_that_died_before_its_first_action) {
  const TemporaryDirectory directory;
  auto files = write_rank_files({.size = 4}, directory.path());
  std::filesystem::remove(files[0]);
  write_rank_file({.size = 4, .rounds = 0}, 0, directory.path(), {.finish = false, .finalize = false});
  merge(std::vector<Path>{files[0], files[2]}, directory / "step.tia");
  merge(std::vector<Path>{directory / "step.tia", files[1], files[3]}, directory / "stepwise.tia");
  expect_same_actions(files, trace::ArchiveReader(directory / "stepwise.tia"));
}

/// Unites parts as the processes of a gathering tree do, in any order, and through bytes as they send them.
UnitedRun unite_in_steps(std::vector<RunPart> parts, std::mt19937& random) {
  while (true) {
    std::ranges::shuffle(parts, random);
    const std::size_t count = std::min<std::size_t>(parts.size(), 2 + random() % 3);
    RunUnion some;
    for (std::size_t i = 0; i < count; ++i) {
      some.add(decode_run_part(encode(parts.back())));
      parts.pop_back();
    }
    UnitedRun united = some.finish();
    if (parts.empty()) return united;
    parts.push_back(part_of(std::move(united)));
  }
}

void expect_the_same_in_steps(const std::vector<Path>& files) {
  std::vector<RunPart> parts;
  RunUnion all;
  for (const Path& file : files) {
    parts.push_back(part_of(trace::ArchiveReader(file), file.string()));
    all.add(parts.back());
  }
  const UnitedRun once = all.finish();
  std::mt19937 random(1);
  for (int attempt = 0; attempt < 20; ++attempt) {
    const UnitedRun stepwise = unite_in_steps(parts, random);
    EXPECT_EQ(definitions_of(stepwise.run), definitions_of(once.run));
    EXPECT_EQ(stepwise.numbers, once.numbers);
    EXPECT_EQ(stepwise.labels, once.labels);
  }
}

TEST(RunUnion, in_steps_gives_what_uniting_at_once_gives) {
  const TemporaryDirectory directory;
  expect_the_same_in_steps(write_rank_files({.size = 9}, directory.path()));
}

TEST(RunUnion, in_steps_is_not_misled_by_a_rank_that_died_before_its_first_action) {
  const TemporaryDirectory directory;
  auto files = write_rank_files({.size = 4}, directory.path());
  std::filesystem::remove(files[0]);
  write_rank_file({.size = 4, .rounds = 0}, 0, directory.path(), {.finish = false, .finalize = false});
  expect_the_same_in_steps(files);
}

TEST(Merge, of_one_rank_file_keeps_its_numbers) {
  const TemporaryDirectory directory;
  const auto files = write_rank_files({.size = 1}, directory.path());
  merge(files, directory / "run.tia");
  const trace::ArchiveReader merged(directory / "run.tia");
  EXPECT_TRUE(merged.numbers(0).communicators.empty());
  EXPECT_TRUE(merged.numbers(0).kernels.empty());
  expect_same_actions(files, merged);
}

std::vector<trace::ActionTimes> times_of(const trace::Source& source, trace::Rank rank) {
  std::vector<trace::ActionTimes> times;
  const auto stream = source.open(rank);
  trace::ActionBlock block;
  while (stream->next(block)) {
    stream->read_times(block);
    times.insert(times.end(), block.times().begin(), block.times().end());
  }
  return times;
}

TEST(Merge, keeps_the_times_of_every_rank) {
  const TemporaryDirectory directory;
  const auto files = write_rank_files({.size = 5, .timed = true}, directory.path());
  const Merged merged = merge(files, directory / "run.tia");
  const trace::ArchiveReader archive(directory / "run.tia");
  std::size_t segments = 0;
  for (trace::Rank rank = 0; rank < 5; ++rank)
    segments += archive.segments(rank).size();
  EXPECT_EQ(merged.segments, segments);
  const FilesSource beside(files);
  for (trace::Rank rank = 0; rank < 5; ++rank) {
    const trace::ArchiveReader alone(files[static_cast<std::size_t>(rank)]);
    EXPECT_EQ(times_of(alone, rank).size(), alone.run().ranks[0].actions);
    EXPECT_EQ(times_of(archive, rank), times_of(alone, rank));
    EXPECT_EQ(times_of(beside, rank), times_of(alone, rank));
  }
}

TEST(Merge, makes_one_region_of_all_with_one_name) {
  const TemporaryDirectory directory;
  const trace::Run run = merge(write_rank_files({.size = 4}, directory.path()), directory / "run.tia").run;
  EXPECT_THAT(run.regions, ::testing::UnorderedElementsAre("setup", "solve", "only rank 0", "only rank 1",
                                                           "only rank 2", "only rank 3"));
}

TEST(Merge, keeps_each_ranks_profile_with_the_kernels_it_is_of) {
  const TemporaryDirectory directory;
  const trace::Run run = merge(write_rank_files({.size = 4}, directory.path()), directory / "run.tia").run;
  EXPECT_EQ(run.profile_events, (std::vector<std::string>{"CYCLES", "MISSES"}));
  for (const trace::RankRecord& record : run.ranks) {
    ASSERT_EQ(record.profile.size(), 4U);
    for (const trace::KernelProfile& profile : record.profile)
      EXPECT_EQ(profile.sums, test::profile_of(record.rank, run.kernels[profile.kernel]));
  }
}

TEST(Merge, makes_one_communicator_of_the_two_sides_of_an_intercommunicator) {
  const TemporaryDirectory directory;
  const SyntheticRun run{.size = 4};
  std::vector<Path> files;
  for (trace::Rank rank = 0; rank < 4; ++rank)
    files.push_back(write_rank_file(run, rank, directory.path(), {.change = [rank](trace::Definitions& definitions) {
                                      std::vector<trace::Rank> odd = {3, 1};
                                      std::vector<trace::Rank> even = {2, 0};
                                      if (rank % 2 == 0) std::swap(odd, even);
                                      definitions.communicators.push_back(
                                          {.members = odd, .remote_members = even, .identity = 77});
                                    }}));
  const trace::Run united = merge(files, directory / "run.tia").run;
  const auto found = std::ranges::find(united.communicators, 77U, &trace::Communicator::identity);
  ASSERT_NE(found, united.communicators.end());
  EXPECT_EQ(found->members, (std::vector<trace::Rank>{2, 0}));
  EXPECT_EQ(found->remote_members, (std::vector<trace::Rank>{3, 1}));
  EXPECT_EQ(std::ranges::count(united.communicators, 77U, &trace::Communicator::identity), 1);
}

TEST(Merge, keeps_the_own_side_of_a_communicator_with_another_world_first) {
  const TemporaryDirectory directory;
  constexpr trace::Rank other = trace::foreign_rank;
  const SyntheticRun run{.size = 2};
  std::vector<Path> files;
  for (trace::Rank rank = 0; rank < 2; ++rank)
    files.push_back(write_rank_file(
        run, rank, directory.path(), {.change = [](trace::Definitions& definitions) {
          definitions.communicators.push_back({.members = {0, 1}, .remote_members = {other, other}, .identity = 78});
          definitions.communicators.push_back({.members = {other, other, 0, 1}, .remote_members = {}, .identity = 79});
        }}));
  const trace::Run united = merge(files, directory / "run.tia").run;
  const auto found = std::ranges::find(united.communicators, 78U, &trace::Communicator::identity);
  ASSERT_NE(found, united.communicators.end());
  EXPECT_EQ(found->members, (std::vector<trace::Rank>{0, 1}));
  EXPECT_EQ(found->remote_members, (std::vector<trace::Rank>{other, other}));
  EXPECT_EQ(std::ranges::count(united.communicators, 79U, &trace::Communicator::identity), 1);
}

TEST(Merge, of_more_files_than_may_be_open_at_once_works) {
  const TemporaryDirectory directory;
  const auto files = write_rank_files({.size = 150, .rounds = 2}, directory.path());
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  const rlimit few{.rlim_cur = 100, .rlim_max = before.rlim_max};
  setrlimit(RLIMIT_NOFILE, &few);
  EXPECT_EQ(merge(files, directory / "run.tia").run.ranks.size(), 150U);
  EXPECT_EQ(actions_in_words(FilesSource(files), 149), actions_in_words(trace::ArchiveReader(files[149]), 149));
  setrlimit(RLIMIT_NOFILE, &before);
}

TEST(Merge, gathers_what_there_is_when_ranks_are_missing) {
  const TemporaryDirectory directory;
  auto files = write_rank_files({.size = 8}, directory.path());
  files.erase(files.begin() + 4, files.begin() + 7);
  files.erase(files.begin() + 1);
  const trace::Run run = merge(files, directory / "run.tia").run;
  EXPECT_EQ(run.missing_ranks(), (std::vector<trace::Rank>{1, 4, 5, 6}));
  EXPECT_FALSE(run.complete());
  EXPECT_EQ(trace::ArchiveReader(directory / "run.tia").run().missing_ranks(), run.missing_ranks());
  expect_same_actions(files, trace::ArchiveReader(directory / "run.tia"));
}

TEST(Merge, carries_over_how_ranks_ended_and_why) {
  const TemporaryDirectory directory;
  const SyntheticRun run{.size = 4};
  std::vector<Path> files = {
      write_rank_file(run, 0, directory.path()),
      write_rank_file(run, 1, directory.path(), {.finalize = false, .stopped_because = "disk full"}),
      write_rank_file(run, 2, directory.path(), {.finish = false, .finalize = false}),
      write_rank_file(run, 3, directory.path(), {.finish = false, .finalize = false})};
  std::filesystem::resize_file(files[3], std::filesystem::file_size(files[3]) - 5);
  merge(files, directory / "run.tia");
  const trace::ArchiveReader merged(directory / "run.tia");
  const auto& ranks = merged.run().ranks;
  EXPECT_EQ(ranks[0].ending, trace::Ending::finalized);
  EXPECT_EQ(ranks[1].ending, trace::Ending::stopped);
  EXPECT_EQ(ranks[1].ending_reason, "disk full");
  EXPECT_EQ(ranks[2].ending, trace::Ending::unknown);
  EXPECT_THAT(ranks[2].ending_reason, HasSubstr("not closed"));
  EXPECT_EQ(ranks[3].ending, trace::Ending::unknown);
  EXPECT_THAT(ranks[3].ending_reason, HasSubstr("cut short at byte"));
  EXPECT_LT(ranks[3].actions, ranks[2].actions);
  expect_same_actions(files, merged);
  // The reason is settled once: another merge does not add to it.
  merge(std::vector<Path>{directory / "run.tia"}, directory / "again.tia");
  EXPECT_EQ(definitions_of(trace::ArchiveReader(directory / "again.tia").run()), definitions_of(merged.run()));
}

TEST(FilesSource, reads_rank_files_as_their_merge_reads) {
  const TemporaryDirectory directory;
  const auto files = write_rank_files({.size = 5}, directory.path());
  const auto together = open_run(directory.path());
  merge(files, directory / "run.tia");
  const trace::ArchiveReader merged(directory / "run.tia");
  EXPECT_EQ(definitions_of(together->run()), definitions_of(merged.run()));
  for (trace::Rank rank = 0; rank < 5; ++rank)
    EXPECT_EQ(actions_in_words(*together, rank), actions_in_words(merged, rank));
}

TEST(FilesSource, an_empty_directory_is_no_run) {
  const TemporaryDirectory directory;
  EXPECT_THROW(open_run(directory.path()), Error);
}

TEST(RankFiles, are_known_by_their_names) {
  EXPECT_EQ(rank_of_file_name("rank-000042.tia"), 42);
  EXPECT_EQ(rank_of_file_name("rank-1234567.tia"), 1234567);
  EXPECT_EQ(rank_of_file_name("rank-42.tia"), std::nullopt);
  EXPECT_EQ(rank_of_file_name("rank-00004x.tia"), std::nullopt);
  EXPECT_EQ(rank_of_file_name("rank-000042.tia.bak"), std::nullopt);
  EXPECT_EQ(rank_of_file_name(".timeless-merge-rank-000042.tia"), std::nullopt);
  EXPECT_EQ(rank_of_file_name("run.tia"), std::nullopt);
}

TEST(SpawnedWorlds, are_listed_by_their_numbers) {
  const TemporaryDirectory directory;
  for (const char* name : {"spawned-10", "spawned-9", "spawned-", "spawned-1x", "unspawned-1"})
    std::filesystem::create_directory(directory / name);
  EXPECT_EQ(list_spawned_worlds(directory.path()),
            (std::vector<Path>{directory / "spawned-9", directory / "spawned-10"}));
  EXPECT_TRUE(list_spawned_worlds(directory / "none").empty());
}

TEST(RankRanges, are_compact) {
  EXPECT_EQ(rank_ranges(std::vector<trace::Rank>{}), "");
  EXPECT_EQ(rank_ranges(std::vector<trace::Rank>{3, 7, 8, 9, 10, 11, 12}), "3, 7-12");
  EXPECT_EQ(rank_ranges(std::vector<trace::Rank>{0, 1, 5}), "0, 1, 5");
  EXPECT_EQ(rank_ranges(std::vector<trace::Rank>{0, 2, 4, 6, 8}, 2), "0, 2 and 3 more");
}

} // namespace
} // namespace timeless::gather
