#include "tests/trace/samples.h"
#include "trace/archive/reader.h"
#include "trace/archive/writer.h"
#include "trace/error.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace timeless::trace {
namespace {

using test::OwnedAction;

/// An intact archive's bytes and blocks, to be damaged and compared with.
class ArchiveDamage : public testing::Test {
protected:
  ArchiveDamage() {
    test::write_archive(test::varied_run(2, 12, 32), path());
    bytes_ = test::file_bytes(path());
    const ArchiveReader whole(path());
    places_ = whole.blocks();
    for (const BlockPlace& place : places_)
      contents_.push_back(read(whole, place));
  }

  std::filesystem::path path() const { return directory_ / "run.tia"; }

  static std::vector<OwnedAction> read(const ArchiveReader& archive, const BlockPlace& place) {
    ActionBlock block;
    archive.read(place, block);
    std::vector<OwnedAction> actions;
    for_each_action(block, [&](const Action& action, std::uint64_t volume) { actions.emplace_back(action, volume); });
    return actions;
  }

  static std::uint64_t end_of(const BlockPlace& place) {
    return place.offset + block_header_bytes + place.header.stored_bytes;
  }

  /// Every block the damaged file still offers must be one of the original's, unchanged.
  void expect_unchanged(const ArchiveReader& archive, const BlockPlace& place) const {
    const auto original = std::ranges::find(places_, place);
    ASSERT_NE(original, places_.end());
    EXPECT_TRUE(
        test::same_actions(read(archive, place), contents_[static_cast<std::size_t>(original - places_.begin())]));
  }

  test::TemporaryDirectory directory_;
  std::string bytes_;
  std::vector<BlockPlace> places_;
  std::vector<std::vector<OwnedAction>> contents_;
};

TEST_F(ArchiveDamage, cut_at_any_byte_the_file_gives_every_whole_block_and_says_what_is_wrong) {
  ASSERT_GT(places_.size(), 6U);
  const std::uint64_t first_block = places_.front().offset;
  for (std::size_t size = 0; size < bytes_.size(); ++size) {
    test::write_bytes(path(), std::string_view(bytes_).substr(0, size));
    if (size < first_block) {
      EXPECT_THROW(ArchiveReader{path()}, Error) << size;
      continue;
    }
    const ArchiveReader archive(path());
    EXPECT_FALSE(archive.finished()) << size;
    const auto whole = static_cast<std::size_t>(
        std::ranges::count_if(places_, [size](const BlockPlace& place) { return end_of(place) <= size; }));
    ASSERT_EQ(archive.blocks().size(), whole) << size;
    for (const BlockPlace& place : archive.blocks())
      expect_unchanged(archive, place);
    const bool at_a_block_end = std::ranges::any_of(
        places_, [size, first_block](const BlockPlace& place) { return end_of(place) == size || first_block == size; });
    if (!at_a_block_end && size < end_of(places_.back())) {
      EXPECT_EQ(archive.damage().size(), 1U) << size;
    }
    if (whole == places_.size()) continue;
    EXPECT_THROW((void)(test::actions_of(archive, 0), test::actions_of(archive, 1)), Error) << size;
  }
}

TEST_F(ArchiveDamage, one_changed_byte_costs_at_most_one_block_and_never_changes_an_action) {
  for (std::size_t position = 0; position < bytes_.size(); ++position) {
    std::string bytes = bytes_;
    bytes[position] = static_cast<char>(bytes[position] ^ 0x20);
    test::write_bytes(path(), bytes);
    try {
      const ArchiveReader archive(path());
      std::size_t lost = places_.size() - archive.blocks().size();
      for (const BlockPlace& place : archive.blocks()) {
        try {
          expect_unchanged(archive, place);
        } catch (const Error& problem) {
          EXPECT_NE(std::string(problem.what()).find("byte " + std::to_string(place.offset)), std::string::npos);
          ++lost;
        }
      }
      EXPECT_LE(lost, 1U) << position;
    } catch (const Error& problem) {
      EXPECT_LT(position, places_.front().offset) << problem.what();
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
      places_, [](const BlockPlace& place) { return place.header.rank == 1 && place.header.first_action > 0; });
  ASSERT_NE(damaged, places_.end());
  bytes_[damaged->offset + block_header_bytes + 3] ^= 1;
  test::write_bytes(path(), bytes_);
  const ArchiveReader archive(path());
  EXPECT_NO_THROW(test::actions_of(archive, 0));
  try {
    test::actions_of(archive, 1);
    FAIL();
  } catch (const Error& problem) {
    const std::string text = problem.what();
    EXPECT_NE(text.find("run.tia"), std::string::npos) << text;
    EXPECT_NE(text.find("rank 1"), std::string::npos) << text;
    EXPECT_NE(text.find("byte " + std::to_string(damaged->offset)), std::string::npos) << text;
  }
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
