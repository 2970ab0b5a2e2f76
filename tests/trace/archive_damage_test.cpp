#include "base/error.h"
#include "tests/trace/samples.h"
#include "trace/archive/reader.h"
#include "trace/archive/writer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace timeless::trace {
namespace {

using test::OwnedAction;

/// What of a rank can be read, and why no more can.
struct Readable {
  std::vector<OwnedAction> actions;
  std::string problem;
};

Readable readable(const ArchiveReader& archive, Rank rank) {
  Readable result;
  ActionBlock block;
  try {
    for (const auto stream = archive.open(rank); stream->next(block);)
      for_each_action(block,
                      [&](const Action& action, std::uint64_t volume) { result.actions.emplace_back(action, volume); });
  } catch (const Error& problem) {
    EXPECT_EQ(problem.failure(), Failure::invalid_input);
    result.problem = problem.what();
  }
  return result;
}

std::uint64_t begin_of(const ActionSegment& segment) {
  return segment.structure->offset;
}

/// An intact archive's bytes, segments and actions, to be damaged and compared with.
class ArchiveDamage : public testing::Test {
protected:
  ArchiveDamage() {
    test::write_archive(test::varied_run(2, 12, 32), path());
    bytes_ = test::file_bytes(path());
    const ArchiveReader whole(path());
    for (const Rank rank : {0, 1}) {
      actions_.push_back(readable(whole, rank).actions);
      for (const ActionSegment& segment : whole.segments(rank))
        segments_.push_back(segment);
    }
  }

  std::filesystem::path path() const { return directory_ / "run.tia"; }

  /// What can be read of a rank must be what stood there, from the first action on.
  void expect_unchanged(const Readable& found, Rank rank) const {
    const std::span<const OwnedAction> whole = actions_[static_cast<std::size_t>(rank)];
    ASSERT_LE(found.actions.size(), whole.size());
    EXPECT_TRUE(test::same_actions(found.actions, whole.first(found.actions.size())));
  }

  /// Returns actions of a rank in the segments before the first that `bad` is true of.
  template <typename Bad>
  std::size_t actions_before(Rank rank, Bad bad) const {
    std::size_t actions = 0;
    for (const ActionSegment& segment : segments_) {
      if (segment.rank != rank) continue;
      if (bad(segment)) break;
      actions += segment.actions;
    }
    return actions;
  }

  test::TemporaryDirectory directory_;
  std::string bytes_;
  std::vector<ActionSegment> segments_;
  std::vector<std::vector<OwnedAction>> actions_; ///< by rank
};

TEST_F(ArchiveDamage, cut_at_any_byte_the_file_gives_every_whole_segment_and_says_what_is_wrong) {
  ASSERT_GT(segments_.size(), 6U);
  const std::uint64_t first = begin_of(segments_.front());
  for (std::size_t size = 0; size < bytes_.size(); ++size) {
    test::write_bytes(path(), std::string_view(bytes_).substr(0, size));
    if (size < first) {
      EXPECT_THROW(ArchiveReader{path()}, Error) << size;
      continue;
    }
    const ArchiveReader archive(path());
    EXPECT_FALSE(archive.finished()) << size;
    for (const Rank rank : {0, 1}) {
      const Readable found = readable(archive, rank);
      expect_unchanged(found, rank);
      const auto cut = [size](const ActionSegment& segment) { return end_of(segment.volumes) > size; };
      EXPECT_EQ(found.actions.size(), actions_before(rank, cut)) << size;
      EXPECT_EQ(found.problem.empty(), found.actions.size() == actions_[static_cast<std::size_t>(rank)].size()) << size;
    }
    const bool at_an_end = size == first || std::ranges::any_of(segments_, [size](const ActionSegment& segment) {
                             return end_of(segment.volumes) == size;
                           });
    if (!at_an_end && size < end_of(segments_.back().volumes)) {
      EXPECT_GE(archive.damage().size(), 1U) << size;
    }
  }
}

TEST_F(ArchiveDamage, one_changed_byte_stops_one_rank_there_and_never_changes_an_action) {
  for (std::size_t position = 0; position < bytes_.size(); ++position) {
    std::string bytes = bytes_;
    bytes[position] = static_cast<char>(bytes[position] ^ 0x20);
    test::write_bytes(path(), bytes);
    try {
      const ArchiveReader archive(path());
      int stopped = 0;
      for (const Rank rank : {0, 1}) {
        const Readable found = readable(archive, rank);
        expect_unchanged(found, rank);
        const auto hit = [position](const ActionSegment& segment) {
          return position >= begin_of(segment) && position < end_of(segment.volumes);
        };
        EXPECT_EQ(found.actions.size(), actions_before(rank, hit)) << position;
        if (!found.problem.empty()) ++stopped;
      }
      EXPECT_LE(stopped, 1) << position;
    } catch (const Error& problem) {
      EXPECT_LT(position, begin_of(segments_.front())) << problem.what();
    }
  }
}

TEST_F(ArchiveDamage, random_damage_never_does_more_than_throw) {
  std::mt19937_64 random(3);
  for (int trial = 0; trial < 400; ++trial) {
    std::string bytes = bytes_.substr(0, random() % bytes_.size());
    for (std::size_t changes = 1 + random() % 20; changes > 0 && !bytes.empty(); --changes) {
      const std::size_t at = random() % bytes.size();
      if (random() % 3 == 0)
        bytes.insert(at, bytes.substr(random() % bytes.size(), random() % 100));
      else
        bytes[at] = static_cast<char>(random());
    }
    test::write_bytes(path(), bytes);
    try {
      const ArchiveReader archive(path());
      for (const RankRecord& record : archive.run().ranks)
        test::actions_of(archive, record.rank);
    } catch (const Error& problem) {
      EXPECT_EQ(problem.failure(), Failure::invalid_input);
    }
  }
}

TEST_F(ArchiveDamage, a_damaged_block_in_the_middle_stops_its_rank_and_no_other) {
  const auto damaged = std::ranges::find_if(
      segments_, [](const ActionSegment& segment) { return segment.rank == 1 && segment.first_action > 0; });
  ASSERT_NE(damaged, segments_.end());
  bytes_[damaged->volumes.offset + block_header_bytes + 3] ^= 1;
  test::write_bytes(path(), bytes_);
  const ArchiveReader archive(path());
  EXPECT_EQ(readable(archive, 0).problem, "");
  const std::string text = readable(archive, 1).problem;
  EXPECT_NE(text.find("run.tia"), std::string::npos) << text;
  EXPECT_NE(text.find("rank 1"), std::string::npos) << text;
  EXPECT_NE(text.find("byte " + std::to_string(damaged->volumes.offset)), std::string::npos) << text;
}

TEST(UnfinishedArchive, a_file_whose_writer_was_killed_reads_up_to_its_last_block) {
  const test::TemporaryDirectory directory;
  const MemorySource run = test::varied_run(1, 20, 50);
  Definitions definitions = definitions_of(run.run());
  definitions.ranks[0].ending = Ending::unknown;
  definitions.ranks[0].actions = 0;
  ArchiveWriter writer(directory / "rank.tia");
  writer.define(definitions);
  const auto stream = run.open(0);
  ActionBlock block;
  std::uint64_t written = 0;
  for (int i = 0; i < 3 && stream->next(block); ++i) {
    writer.write(0, block);
    written += block.size();
  }
  const ArchiveReader archive(directory / "rank.tia");
  EXPECT_FALSE(archive.finished());
  EXPECT_TRUE(archive.damage().empty());
  EXPECT_FALSE(archive.run().complete());
  EXPECT_EQ(archive.run().find(0)->actions, written);
  EXPECT_EQ(test::actions_of(archive, 0).size(), written);
}

} // namespace
} // namespace timeless::trace
