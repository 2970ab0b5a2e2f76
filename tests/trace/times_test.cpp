#include "base/bytes.h"
#include "base/error.h"
#include "trace/archive/reader.h"
#include "trace/archive/writer.h"
#include "trace/codec/compression.h"
#include "trace/codec/layout.h"
#include "trace/codec/times_codec.h"
#include "trace/model/memory_source.h"

#include "tests/trace/samples.h"

#include <gtest/gtest.h>

#include <fstream>

namespace timeless::trace {
namespace {

constexpr std::uint64_t latest = ~std::uint64_t{0};

std::vector<ActionTimes> decoded_times(std::string_view bytes, std::size_t actions) {
  std::vector<ActionTimes> times;
  decode_times(bytes, actions, times);
  return times;
}

std::string encoded(std::span<const ActionTimes> times) {
  std::string bytes;
  encode_times(times, bytes);
  return bytes;
}

/// Two ranks that compute and meet; every action has its times.
MemorySource timed_run(std::size_t actions_per_block = 4) {
  MemorySource run(2, actions_per_block);
  for (const Rank rank : {0, 1}) {
    std::uint64_t now = 1000 * static_cast<std::uint64_t>(rank);
    for (std::uint64_t round = 0; round < 7; ++round) {
      run.compute(rank, 50 + round);
      run.times(rank, {now, now + 100});
      run.add(rank, {.kind = ActionKind::barrier});
      run.times(rank, {now + 110, now + 300});
      now += 350;
    }
  }
  run.finalize();
  for (const Rank rank : {0, 1})
    run.times(rank, {5000, 5000});
  return run;
}

std::vector<ActionTimes> times_of(const Source& source, Rank rank) {
  std::vector<ActionTimes> times;
  const auto stream = source.open(rank);
  ActionBlock block;
  while (stream->next(block)) {
    EXPECT_TRUE(block.times().empty()) << "times that nobody asked for";
    stream->read_times(block);
    times.insert(times.end(), block.times().begin(), block.times().end());
  }
  return times;
}

void write_timed(const Source& source, const std::filesystem::path& path) {
  test::write_archive(source, path, true);
}

TEST(Times, read_back_as_they_were_written) {
  const std::vector<ActionTimes> times = {{0, 0},   {5, 9},      {9, 9},           {3, 4}, // another thread's
                                          {4, 100}, {0, latest}, {latest, latest}, {7, 7}};
  EXPECT_EQ(decoded_times(encoded(times), times.size()), times);
}

TEST(Times, of_a_call_behind_the_last_take_two_small_numbers) {
  const std::vector<ActionTimes> times = {{0, 40}, {40, 60}, {70, 130}};
  EXPECT_EQ(encoded(times).size(), 6U);
}

TEST(Times, that_are_malformed_are_refused) {
  const std::string bytes = encoded(std::vector<ActionTimes>{{0, 300}, {400, 500}});
  EXPECT_THROW(decoded_times(bytes, 1), Error);
  EXPECT_THROW(decoded_times(bytes, 3), Error);
  EXPECT_THROW(decoded_times(bytes.substr(0, bytes.size() - 1), 2), Error);
  EXPECT_THROW(decoded_times(bytes + '\0', 2), Error);
  EXPECT_THROW(decoded_times(bytes, std::size_t{1} << 40U), Error);
  std::string beyond = encoded(std::vector<ActionTimes>{{latest, latest}});
  beyond.back() = 1; // a duration after the end of time
  EXPECT_THROW(decoded_times(beyond, 1), Error);
}

TEST(Times, stand_in_an_archive_beside_the_actions) {
  const test::TemporaryDirectory directory;
  const MemorySource run = timed_run();
  write_timed(run, directory / "run.tia");
  const ArchiveReader archive(directory / "run.tia");
  EXPECT_TRUE(archive.finished());
  EXPECT_TRUE(archive.damage().empty());
  for (const Rank rank : {0, 1}) {
    EXPECT_TRUE(test::same_actions(test::actions_of(archive, rank), test::actions_of(run, rank)));
    EXPECT_EQ(times_of(archive, rank), times_of(run, rank));
    EXPECT_EQ(times_of(archive, rank).size(), 15U);
  }
}

TEST(Times, change_no_byte_of_the_actions) {
  const test::TemporaryDirectory directory;
  const MemorySource run = timed_run();
  write_timed(run, directory / "with.tia");
  test::write_archive(run, directory / "without.tia");
  const ArchiveReader with(directory / "with.tia");
  const ArchiveReader without(directory / "without.tia");
  const auto timed = with.segments(0);
  const auto untimed = without.segments(0);
  ASSERT_EQ(timed.size(), untimed.size());
  for (std::size_t each = 0; each < timed.size(); ++each) {
    EXPECT_EQ(with.payload(*timed[each].structure), without.payload(*untimed[each].structure));
    EXPECT_EQ(with.payload(timed[each].volumes), without.payload(untimed[each].volumes));
    EXPECT_TRUE(timed[each].times.has_value());
    EXPECT_FALSE(untimed[each].times.has_value());
  }
  EXPECT_TRUE(times_of(without, 0).empty());
}

TEST(Times, follow_their_actions_when_a_block_is_split) {
  const test::TemporaryDirectory directory;
  MemorySource run(1, 2000000);
  std::vector<Bytes> counts(1000000);
  for (std::size_t round = 0; round < 20; ++round) {
    for (std::size_t i = 0; i < counts.size(); ++i)
      counts[i] = i * 7919 % 1000003 + round;
    run.add(0, {.kind = ActionKind::alltoallv, .counts = counts});
    run.times(0, {10 * round, 10 * round + 5});
  }
  run.finalize();
  run.times(0, {1000, 1000});
  write_timed(run, directory / "run.tia");
  const ArchiveReader archive(directory / "run.tia");
  EXPECT_GT(archive.segments(0).size(), 1U);
  EXPECT_EQ(times_of(archive, 0), times_of(run, 0));
}

TEST(Times, of_some_of_a_blocks_actions_only_are_not_written) {
  const test::TemporaryDirectory directory;
  MemorySource run(1);
  run.add(0, {.kind = ActionKind::barrier});
  run.times(0, {1, 2});
  run.finalize();
  EXPECT_THROW(write_timed(run, directory / "run.tia"), Error);
}

/// Returns a block as it stands in a file.
std::string stored_block(BlockHeader header, std::string_view plain) {
  std::string payload;
  compress(plain, 1, payload);
  header.stored_bytes = static_cast<std::uint32_t>(payload.size());
  header.plain_bytes = static_cast<std::uint32_t>(plain.size());
  std::string bytes;
  put_block_header(bytes, header, payload);
  return bytes + payload;
}

TEST(Times, of_no_actions_are_damage) {
  const test::TemporaryDirectory directory;
  const MemorySource run = timed_run();
  {
    ArchiveWriter writer(directory / "run.tia");
    writer.define(definitions_of(run.run()));
  }
  std::ofstream(directory / "run.tia", std::ios::binary | std::ios::app)
      << stored_block({.type = BlockType::times, .rank = 0, .actions = 1, .first_action = 9},
                      encoded(std::vector<ActionTimes>{{1, 2}}));
  const ArchiveReader archive(directory / "run.tia");
  ASSERT_EQ(archive.damage().size(), 1U);
  EXPECT_EQ(archive.damage().front().what, "times of no segment of actions");
}

/// Returns an archive's bytes without index and footer, a block of a type to come, and then index and footer again.
std::string with_a_block_of_the_future(const std::string& archive, bool finished) {
  const std::string future =
      stored_block({.type = static_cast<BlockType>(99), .rank = 1}, "what a later version has to say");
  const auto footer = decode_footer(std::string_view(archive).substr(archive.size() - footer_bytes));
  std::string bytes = archive.substr(0, file_header_bytes) + future;
  bytes += archive.substr(file_header_bytes, footer->index_offset - file_header_bytes);
  if (!finished) return bytes;
  std::string rows;
  std::uint64_t count = 0;
  for (std::string_view rest = std::string_view(bytes).substr(file_header_bytes); !rest.empty();) {
    const BlockHeader header = decode_block_header(rest)->header;
    put_index_row(rows, header);
    ++count;
    rest.remove_prefix(block_header_bytes + header.stored_bytes);
  }
  const std::uint64_t at = bytes.size();
  std::string index;
  put_varint(index, count);
  bytes += stored_block({.type = BlockType::index}, index + rows);
  return bytes + encode_footer({.index_offset = at, .rows = count});
}

TEST(Archive, passes_over_blocks_of_a_type_it_does_not_know) {
  const test::TemporaryDirectory directory;
  const MemorySource run = timed_run();
  write_timed(run, directory / "run.tia");
  for (const bool finished : {true, false}) {
    test::write_bytes(directory / "later.tia",
                      with_a_block_of_the_future(test::file_bytes(directory / "run.tia"), finished));
    const ArchiveReader archive(directory / "later.tia");
    EXPECT_EQ(archive.finished(), finished);
    EXPECT_TRUE(archive.damage().empty());
    for (const Rank rank : {0, 1}) {
      EXPECT_TRUE(test::same_actions(test::actions_of(archive, rank), test::actions_of(run, rank)));
      EXPECT_EQ(times_of(archive, rank), times_of(run, rank));
    }
  }
}

} // namespace
} // namespace timeless::trace
