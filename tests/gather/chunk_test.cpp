#include "gather/tree/chunk.h"

#include "base/error.h"
#include "trace/codec/layout.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <tuple>
#include <vector>

namespace timeless::gather {
namespace {

using Pieces = std::vector<std::tuple<Space, std::uint64_t, std::string>>;

Pieces pieces_of(const Chunk& chunk) {
  Pieces pieces;
  chunk.for_each_piece(
      [&](Space space, std::uint64_t offset, std::string_view bytes) { pieces.emplace_back(space, offset, bytes); });
  return pieces;
}

/// Returns what arrives when these bytes are received.
Pieces sent_over(const std::string& message, std::size_t capacity) {
  Chunk other(capacity);
  std::memcpy(other.buffer(), message.data(), message.size());
  other.open(message.size(), trace::checksum);
  return pieces_of(other);
}

TEST(Chunk, brings_pieces_to_where_they_belong_and_joins_what_is_continued) {
  Chunk chunk(1000);
  EXPECT_TRUE(chunk.empty());
  EXPECT_EQ(chunk.add(Space::blocks, 5, "abc"), 3U);
  EXPECT_EQ(chunk.add(Space::blocks, 8, "de"), 2U);
  EXPECT_EQ(chunk.add(Space::structures, 10, "fg"), 2U);
  EXPECT_EQ(chunk.add(Space::blocks, 12, "h"), 1U);
  chunk.seal(trace::checksum);
  EXPECT_EQ(sent_over(std::string(chunk.message()), 1000),
            (Pieces{{Space::blocks, 5, "abcde"}, {Space::structures, 10, "fg"}, {Space::blocks, 12, "h"}}));
}

TEST(Chunk, takes_no_more_than_fits) {
  Chunk chunk(100);
  const std::string much(1000, 'x');
  std::size_t taken = 0;
  for (std::size_t last = 1; last > 0; taken += last)
    last = chunk.add(Space::blocks, taken, std::string_view(much).substr(taken, 30));
  EXPECT_EQ(chunk.message().size(), 100U);
  chunk.seal(trace::checksum);
  EXPECT_EQ(sent_over(std::string(chunk.message()), 100), (Pieces{{Space::blocks, 0, much.substr(0, taken)}}));
  chunk.clear();
  EXPECT_TRUE(chunk.empty());
}

TEST(Chunk, with_any_bit_turned_or_cut_short_is_refused) {
  Chunk chunk(200);
  chunk.add(Space::blocks, 7, "some bytes");
  chunk.seal(trace::checksum);
  const std::string message(chunk.message());
  for (std::size_t bit = 0; bit < 8 * message.size(); ++bit) {
    std::string damaged = message;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_THROW(sent_over(damaged, 200), Error) << bit;
  }
  for (std::size_t size = 0; size < message.size(); ++size)
    EXPECT_THROW(sent_over(message.substr(0, size), 200), Error) << size;
}

} // namespace
} // namespace timeless::gather
