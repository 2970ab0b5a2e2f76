#include "gather/parts/inventory.h"

#include "base/error.h"
#include "gather/parts/assembly.h"
#include "gather/parts/structures.h"
#include "tests/gather/synthetic_run.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

namespace timeless::gather {
namespace {

using test::SyntheticRun;
using test::TemporaryDirectory;
using test::write_rank_file;
using Path = std::filesystem::path;

std::string bytes_of(const Path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string read_all(const Inventory& inventory, trace::Rank rank) {
  const trace::ArchiveReader archive(inventory.path);
  BlockReader reader(archive, inventory, blocks_of(inventory, rank));
  std::string all;
  while (reader.next())
    if (reader.copied()) all += reader.bytes();
  return all;
}

TEST(Inventory, tells_how_many_bytes_the_blocks_have_that_are_then_read) {
  const TemporaryDirectory directory;
  const Path path = write_rank_file({.size = 3, .timed = true}, 1, directory.path());
  const Inventory found = inventory(path, "label");
  ASSERT_EQ(found.ranks.size(), 1U);
  const std::string all = read_all(found, 1);
  EXPECT_EQ(all.size(), found.ranks[0].bytes);
  EXPECT_NE(bytes_of(path).find(all.substr(0, 60)), std::string::npos);
  EXPECT_EQ(found.part.labels, (std::vector<std::string>{"label"}));
}

TEST(Inventory, holds_for_a_file_that_grows_afterwards) {
  const TemporaryDirectory directory;
  const Path path = write_rank_file({.size = 1}, 0, directory.path(), {.finish = false, .finalize = false});
  const std::string whole = bytes_of(path);
  std::filesystem::resize_file(path, whole.size() / 2);
  const Inventory half = inventory(path, "");
  const std::string before = read_all(half, 0);
  const auto structures = structures_of(trace::ArchiveReader(path), half, half.ranks[0], {});
  std::ofstream(path, std::ios::binary) << whole;
  EXPECT_EQ(read_all(half, 0), before);
  EXPECT_EQ(structures_of(trace::ArchiveReader(path), half, half.ranks[0], {}), structures);
  EXPECT_GT(inventory(path, "").ranks[0].bytes, before.size());
}

TEST(Inventory, does_not_hold_for_another_file_of_the_same_name) {
  const TemporaryDirectory directory;
  const Path path = write_rank_file({.size = 1}, 0, directory.path());
  const Inventory found = inventory(path, "");
  std::filesystem::remove(path);
  write_rank_file({.size = 1, .rounds = 60}, 0, directory.path());
  EXPECT_THROW(read_all(found, 0), Error);
  std::filesystem::remove(path);
  write_rank_file({.size = 1, .rounds = 40}, 0, directory.path());
  EXPECT_THROW(read_all(found, 0), Error);
}

TEST(LayOut, puts_one_rank_behind_the_other) {
  const std::vector<RankBlocks> ranks = {{.rank = 0, .bytes = 10}, {.rank = 3, .bytes = 0}, {.rank = 4, .bytes = 7}};
  const auto places = lay_out(ranks);
  ASSERT_EQ(places.size(), 3U);
  EXPECT_EQ(places[1].offset, 10U);
  EXPECT_EQ(places[2].offset, 10U);
  EXPECT_EQ(places[2].blocks.rank, 4);
}

} // namespace
} // namespace timeless::gather
