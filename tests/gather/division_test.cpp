#include "gather/tree/division.h"

#include "base/error.h"
#include "tests/gather/synthetic_run.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <utility>

namespace timeless::gather {
namespace {

using Seen = std::vector<std::vector<SeenFile>>;

SeenFile file(int rank, std::uint64_t bytes = 100, std::uint64_t fingerprint = 0) {
  return {.name = "rank-" + std::to_string(rank), .bytes = bytes, .fingerprint = fingerprint};
}

/// Every node with a list of its own.
VisibleFiles apart(std::vector<std::vector<SeenFile>> lists) {
  std::vector<std::size_t> nodes(lists.size());
  std::iota(nodes.begin(), nodes.end(), 0U);
  return {.lists = std::move(lists), .list_of_node = std::move(nodes)};
}

/// Returns how often each file is gathered.
std::map<SeenFile, int> gathered(const Seen& seen) {
  std::map<SeenFile, int> times;
  const auto parts = divide(apart(seen));
  for (std::size_t node = 0; node < seen.size(); ++node)
    for (const std::size_t index : parts[node])
      ++times[seen[node].at(index)];
  return times;
}

TEST(Division, is_the_same_whether_equal_lists_are_held_once_or_for_each_node) {
  const std::vector<SeenFile> shared = {file(0, 5), file(1, 50), file(2, 7), file(3, 7), file(4, 1)};
  const std::vector<SeenFile> other = {file(1, 50), file(7, 20)};
  const std::vector<SeenFile> none;
  EXPECT_EQ(divide({.lists = {shared, other, none}, .list_of_node = {0, 1, 0, 2, 0, 1}}),
            divide(apart({shared, other, shared, none, shared, other})));
}

TEST(Division, every_node_gathers_its_own_files_where_directories_are_private) {
  const Seen seen = {{file(0), file(1)}, {file(2)}, {}};
  EXPECT_EQ(divide(apart(seen)), (std::vector<std::vector<std::size_t>>{{0, 1}, {0}, {}}));
}

TEST(Division, a_shared_directory_is_divided_evenly) {
  std::vector<SeenFile> all;
  for (int rank = 0; rank < 30; ++rank)
    all.push_back(file(rank));
  const auto parts = divide(apart({all, all, all}));
  for (const auto& part : parts)
    EXPECT_EQ(part.size(), 10U);
}

TEST(Division, a_node_with_much_of_its_own_takes_less_of_what_is_shared) {
  const auto parts = divide(apart({{file(0, 1000), file(1), file(2)}, {file(1), file(2)}}));
  EXPECT_EQ(parts, (std::vector<std::vector<std::size_t>>{{0}, {0, 1}}));
}

TEST(Division, whatever_nodes_see_each_file_is_gathered_exactly_once) {
  std::mt19937 random(5);
  for (int attempt = 0; attempt < 200; ++attempt) {
    Seen seen(1 + random() % 6);
    std::set<SeenFile> all;
    for (auto& node : seen)
      for (int rank = 0; rank < 12; ++rank)
        if (random() % 3 == 0) {
          node.push_back(file(rank, 1 + random() % 2));
          all.insert(node.back());
        }
    const auto times = gathered(seen);
    EXPECT_EQ(times.size(), all.size());
    for (const auto& [seen_file, count] : times)
      EXPECT_EQ(count, 1) << seen_file.name;
  }
}

TEST(Division, files_of_one_name_that_differ_are_both_gathered_for_the_clash_to_be_found) {
  EXPECT_EQ(gathered({{file(0, 100, 1)}, {file(0, 100, 2)}, {file(0, 101, 1)}}).size(), 3U);
}

TEST(Division, a_copy_is_the_same_file_and_another_runs_file_is_not) {
  const test::TemporaryDirectory one;
  const test::TemporaryDirectory copy;
  const test::TemporaryDirectory other;
  const auto path = test::write_rank_file({.size = 2}, 1, one.path());
  std::filesystem::copy_file(path, copy.path() / path.filename());
  test::write_rank_file({.size = 2, .identity = 8}, 1, other.path());
  EXPECT_EQ(see_files(one.path()), see_files(copy.path()));
  EXPECT_NE(see_files(one.path()), see_files(other.path()));
}

TEST(Division, only_rank_files_are_seen_and_an_absent_directory_shows_none) {
  const test::TemporaryDirectory directory;
  std::ofstream(directory / "run.tia") << "x";
  std::ofstream(directory / ".timeless-received-host-1-0") << "x";
  EXPECT_TRUE(see_files(directory.path()).empty());
  EXPECT_TRUE(see_files(directory / "nowhere").empty());
}

TEST(Division, lists_travel_as_bytes_and_cut_ones_are_refused) {
  const std::vector<SeenFile> files = {file(0), file(7, 1ULL << 40U, ~0ULL)};
  const std::string bytes = encode(files);
  EXPECT_EQ(decode_seen_files(bytes), files);
  for (std::size_t length = 0; length < bytes.size(); ++length)
    EXPECT_THROW(decode_seen_files(std::string_view(bytes).substr(0, length)), Error);
}

} // namespace
} // namespace timeless::gather
