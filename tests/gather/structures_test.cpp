#include "gather/parts/structures.h"

#include "base/error.h"
#include "gather/merge/merge.h"
#include "gather/parts/spool.h"
#include "tests/gather/synthetic_run.h"
#include "trace/archive/reader.h"
#include "trace/archive/writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace timeless::gather {
namespace {

using test::TemporaryDirectory;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Path = std::filesystem::path;

TEST(StructureNumbering, numbers_in_the_order_of_first_use_and_asks_whoever_comes_first) {
  const StructureName a = name_of("first");
  const StructureName b = name_of("another one");
  const StructureName c = name_of("third");
  StructureNumbering numbering;
  EXPECT_THAT(numbering.add(std::vector{a, b}), ElementsAre(WantedStructure{0, 0}, WantedStructure{1, 5}));
  EXPECT_THAT(numbering.add(std::vector{b, a}), IsEmpty());
  EXPECT_THAT(numbering.add({}), IsEmpty());
  EXPECT_THAT(numbering.add(std::vector{a, c, c}), ElementsAre(WantedStructure{1, 16}));
  EXPECT_THAT(numbering.names(), ElementsAre(a, b, c));
  EXPECT_EQ(numbering.bytes(), 21U);
  EXPECT_THAT(numbering.layout().structures(1), ElementsAre(1U, 0U));
  EXPECT_THAT(numbering.layout().structures(2), IsEmpty());
  EXPECT_THAT(numbering.layout().structures(3), ElementsAre(0U, 2U, 2U));
}

TEST(StructureName, tells_bytes_apart) {
  EXPECT_EQ(name_of("same"), name_of("same"));
  EXPECT_NE(name_of("same"), name_of("Same"));
  EXPECT_NE(name_of(""), name_of(std::string_view("\0", 1)));
}

/// Pieces of a text in any order, and the text from the spool.
std::string through_spool(const TemporaryDirectory& directory, std::uint64_t most_in_memory) {
  std::string text(100000, ' ');
  std::mt19937 random(1);
  for (char& character : text)
    character = static_cast<char>('a' + random() % 26);
  std::vector<std::size_t> places;
  for (std::size_t place = 0; place < text.size(); place += 1000)
    places.push_back(place);
  std::ranges::shuffle(places, random);
  Spool spool(directory.path(), most_in_memory);
  for (const std::size_t place : places)
    spool.put(place, std::string_view(text).substr(place, 1000));
  EXPECT_EQ(spool.arrived(), text.size());
  EXPECT_EQ(spool.get(0, text.size()), text);
  EXPECT_EQ(spool.get(text.size() - 5, 100), text.substr(text.size() - 5));
  return spool.get(1234, 4567) == text.substr(1234, 4567) ? "same" : "other";
}

TEST(Spool, gives_back_what_came_in_any_order_from_memory_or_from_a_file_without_a_name) {
  const TemporaryDirectory directory;
  for (const std::uint64_t most_in_memory : {0U, 1U, 50000U, 99999U, 100000U, 1U << 20U})
    EXPECT_EQ(through_spool(directory, most_in_memory), "same");
  EXPECT_TRUE(std::filesystem::is_empty(directory.path()));
}

TEST(Spool, says_when_there_is_no_place_for_its_file) {
  const TemporaryDirectory directory;
  Spool spool(directory / "nowhere", 10);
  spool.put(0, "0123456789");
  EXPECT_THROW(spool.put(10, "0"), Error);
}

/// A rank that passes messages around a ring, as all others do; the last ends with one action more.
Path write_ring_file(trace::Rank rank, trace::Rank size, const TemporaryDirectory& directory) {
  const Path path = directory / ("rank-" + std::to_string(rank) + ".tia");
  trace::ArchiveWriter writer(path);
  trace::Definitions definitions;
  definitions.size = size;
  definitions.counter = trace::Counter();
  definitions.provenance = trace::Provenance{.run_identity = 1};
  definitions.hosts = {{.name = "node"}};
  definitions.communicators = {{.members = {}, .remote_members = {}, .identity = 1}};
  for (trace::Rank member = 0; member < size; ++member)
    definitions.communicators[0].members.push_back(member);
  definitions.ranks = {{.rank = rank}};
  writer.define(definitions);
  for (int segment = 0; segment < 3; ++segment) {
    trace::ActionBlock block;
    for (int round = 0; round < 100; ++round) {
      block.append({.kind = trace::ActionKind::send, .peer = (rank + 1) % size, .tag = 1, .bytes = 8});
      block.append({.kind = trace::ActionKind::receive, .peer = (rank + size - 1) % size, .tag = 1, .bytes = 8});
    }
    if (rank == size - 1 && segment == 2) block.append({.kind = trace::ActionKind::barrier});
    writer.write(rank, block);
  }
  writer.finish();
  return path;
}

TEST(SharedStructures, of_ranks_that_did_the_same_are_stored_once) {
  const TemporaryDirectory directory;
  constexpr trace::Rank size = 8;
  std::vector<Path> files;
  for (trace::Rank rank = 0; rank < size; ++rank)
    files.push_back(write_ring_file(rank, size, directory));
  merge(files, directory / "run.tia");
  const trace::ArchiveReader archive(directory / "run.tia");
  EXPECT_EQ(archive.shared_structures(), 2U);
  for (trace::Rank rank = 0; rank < size; ++rank) {
    EXPECT_THAT(archive.shared_structures(rank), ElementsAre(rank == size - 1 ? 1U : 0U));
    for (const trace::ActionSegment& segment : archive.segments(rank))
      EXPECT_FALSE(segment.structure);
    EXPECT_EQ(test::actions_in_words(archive, rank),
              test::actions_in_words(trace::ArchiveReader(files[static_cast<std::size_t>(rank)]), rank));
  }
}

} // namespace
} // namespace timeless::gather
