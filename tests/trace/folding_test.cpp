#include "trace/codec/structure/folding.h"

#include "base/bytes.h"
#include "trace/codec/structure/unfolding.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace timeless::trace {
namespace {

using Symbols = std::vector<std::uint32_t>;

constexpr std::uint32_t most_symbols = 64;

FoldedSequence fold(std::span<const std::uint32_t> symbols) {
  SequenceFolder folder;
  for (const std::uint32_t symbol : symbols)
    folder.append(symbol);
  return folder.finish();
}

Symbols unfold(const FoldedSequence& sequence, std::uint64_t start = 0, std::size_t window = 1000) {
  Symbols symbols;
  Symbols some(window);
  Unfolder unfolder(sequence, start);
  while (const std::size_t got = unfolder.next(some))
    symbols.insert(symbols.end(), some.begin(), some.begin() + static_cast<std::ptrdiff_t>(got));
  return symbols;
}

std::string encoded(const FoldedSequence& sequence) {
  std::string bytes;
  sequence.encode(bytes);
  return bytes;
}

FoldedSequence decoded(std::string_view bytes, std::uint64_t most_size, std::uint32_t symbols = most_symbols) {
  ByteReader reader(bytes);
  FoldedSequence sequence = FoldedSequence::decode(reader, symbols, most_size);
  if (reader.remaining() != 0) reader.fail("bytes are left");
  return sequence;
}

Symbols repeated(const Symbols& body, std::size_t times) {
  Symbols symbols;
  for (; times > 0; --times)
    symbols.insert(symbols.end(), body.begin(), body.end());
  return symbols;
}

Symbols operator+(Symbols first, const Symbols& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

/// Returns what a program of loops within loops does.
Symbols random_program(std::mt19937_64& random, unsigned depth, std::uint32_t symbols) {
  Symbols program;
  for (std::size_t items = 1 + random() % 6; items > 0; --items) {
    if (depth > 0 && random() % 2 == 0) {
      const Symbols loop = repeated(random_program(random, depth - 1, symbols), random() % 12);
      if (program.size() + loop.size() < 20'000) program.insert(program.end(), loop.begin(), loop.end());
    } else {
      program.push_back(static_cast<std::uint32_t>(random() % symbols));
    }
  }
  return program;
}

Symbols random_symbols(std::mt19937_64& random) {
  Symbols symbols(random() % 3000);
  const std::uint32_t distinct = 1 + static_cast<std::uint32_t>(random() % most_symbols);
  for (std::uint32_t& symbol : symbols)
    symbol = static_cast<std::uint32_t>(random() % distinct);
  return symbols;
}

Symbols any_symbols(std::mt19937_64& random) {
  if (random() % 4 == 0) return random_symbols(random);
  return random_program(random, static_cast<unsigned>(random() % 5),
                        1 + static_cast<std::uint32_t>(random() % (random() % 2 ? 3 : 30)));
}

/// Returns the sequence cut into segments of up to so many symbols, each folded alone, then appended to one another.
FoldedSequence fold_cut(const Symbols& symbols, std::mt19937_64& random, std::size_t longest) {
  Symbols same(most_symbols);
  std::iota(same.begin(), same.end(), 0U);
  SequenceFolder whole;
  for (std::size_t at = 0, length = 0; at < symbols.size(); at += length) {
    length = std::min(1 + random() % longest, symbols.size() - at);
    whole.append(fold(std::span(symbols).subspan(at, length)), same);
  }
  return whole.finish();
}

/// 250 time steps of two sweeps over 62 planes, a norm computed after each 20th.
Symbols sweeps() {
  const Symbols step = repeated({0, 1, 2, 3}, 62) + repeated({4, 5, 6, 7}, 62) + Symbols{8, 9, 10, 11, 12};
  Symbols symbols;
  for (int i = 1; i <= 250; ++i)
    symbols = std::move(symbols) + step + (i % 20 == 0 ? Symbols{13, 14} : Symbols{});
  return symbols;
}

RC_GTEST_PROP(Folding, any_sequence_unfolds_to_what_was_folded, (std::uint64_t seed)) {
  std::mt19937_64 random(seed);
  const Symbols symbols = any_symbols(random);
  const FoldedSequence folded = fold(symbols);
  RC_ASSERT(folded.size() == symbols.size());
  RC_ASSERT(unfold(folded, 0, 1 + random() % 5000) == symbols);
}

RC_GTEST_PROP(Folding, any_sequence_reads_back_as_it_was_written, (std::uint64_t seed)) {
  std::mt19937_64 random(seed);
  const Symbols symbols = any_symbols(random);
  const std::string bytes = encoded(fold(symbols));
  const FoldedSequence read = decoded(bytes, symbols.size());
  RC_ASSERT(unfold(read) == symbols);
  RC_ASSERT(encoded(read) == bytes);
}

RC_GTEST_PROP(Folding, unfolding_from_anywhere_is_unfolding_all_and_dropping_what_is_before, (std::uint64_t seed)) {
  std::mt19937_64 random(seed);
  const Symbols symbols = any_symbols(random);
  const FoldedSequence folded = fold(symbols);
  const std::size_t start = random() % (symbols.size() + 2);
  const Symbols rest(symbols.begin() + static_cast<std::ptrdiff_t>(std::min(start, symbols.size())), symbols.end());
  RC_ASSERT(unfold(folded, start, 1 + random() % 300) == rest);
}

RC_GTEST_PROP(Folding, segments_appended_to_one_another_are_as_if_never_cut, (std::uint64_t seed)) {
  std::mt19937_64 random(seed);
  const Symbols symbols = any_symbols(random);
  const FoldedSequence joined = fold_cut(symbols, random, 1 + random() % 2000);
  RC_ASSERT(unfold(joined) == symbols);
  RC_ASSERT(encoded(joined) == encoded(fold(symbols)));
}

RC_GTEST_PROP(Folding, appending_translates_symbols, (std::uint64_t seed)) {
  std::mt19937_64 random(seed);
  const Symbols symbols = any_symbols(random);
  Symbols translation(most_symbols);
  for (std::uint32_t& to : translation)
    to = static_cast<std::uint32_t>(random() % 5);
  SequenceFolder folder;
  folder.append(fold(symbols), translation);
  Symbols translated = symbols;
  for (std::uint32_t& symbol : translated)
    symbol = translation[symbol];
  RC_ASSERT(unfold(folder.finish()) == translated);
}

RC_GTEST_PROP(Folding, random_damage_is_refused_or_gives_another_sequence_of_the_size_allowed, (std::uint64_t seed)) {
  std::mt19937_64 random(seed);
  const Symbols symbols = any_symbols(random);
  std::string bytes = encoded(fold(symbols));
  for (std::size_t damage = 1 + random() % 5; damage > 0; --damage)
    bytes[random() % bytes.size()] = static_cast<char>(random());
  try {
    const FoldedSequence read = decoded(bytes, symbols.size());
    RC_ASSERT(read.size() <= symbols.size());
    RC_ASSERT(unfold(read).size() == read.size());
  } catch (const Error& error) {
    RC_ASSERT(error.failure() == Failure::invalid_input);
  }
}

TEST(Folding, every_prefix_of_the_bytes_is_refused) {
  const Symbols symbols = sweeps();
  const std::string bytes = encoded(fold(symbols));
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_THROW(decoded(std::string_view(bytes).substr(0, size), symbols.size()), Error) << size;
}

TEST(Folding, a_million_equal_iterations_take_one_body) {
  SequenceFolder folder;
  for (int i = 0; i < 1'000'000; ++i)
    for (std::uint32_t symbol = 0; symbol < 7; ++symbol)
      folder.append(symbol);
  const FoldedSequence folded = folder.finish();
  EXPECT_EQ(folded.items(), 8U);
  EXPECT_LE(encoded(folded).size(), 14U);
}

TEST(Folding, sweeps_in_time_steps_take_some_items_however_many_steps) {
  const FoldedSequence folded = fold(sweeps());
  EXPECT_EQ(folded.size(), 250U * (124 * 4 + 5) + 12 * 2);
  EXPECT_LE(folded.items(), 40U);
  EXPECT_LE(encoded(folded).size(), 70U);
}

TEST(Folding, a_body_of_thousands_of_symbols_folds) {
  std::mt19937_64 random(1);
  Symbols body(5000);
  for (std::uint32_t& symbol : body)
    symbol = static_cast<std::uint32_t>(random() % 64);
  EXPECT_LE(fold(repeated(body, 20)).items(), 10'010U);
}

TEST(Folding, segments_of_nested_loops_cut_anywhere_grow_into_one_another) {
  const Symbols symbols = sweeps();
  const std::string whole = encoded(fold(symbols));
  std::mt19937_64 random(1);
  for (const std::size_t longest : {1U, 2U, 3U, 10U, 100U, 600U, 3000U, 20'000U})
    EXPECT_EQ(encoded(fold_cut(symbols, random, longest)), whole) << longest;
}

TEST(Folding, nothing_folds_to_nothing) {
  const FoldedSequence folded = fold({});
  EXPECT_EQ(folded.size(), 0U);
  EXPECT_TRUE(unfold(decoded(encoded(folded), 0)).empty());
}

TEST(Folding, a_folder_starts_anew_after_finish) {
  SequenceFolder folder;
  for (const std::uint32_t symbol : repeated({1, 2, 3}, 10) + Symbols{1, 2})
    folder.append(symbol);
  folder.finish();
  for (const std::uint32_t symbol : {2U, 3U, 1U, 2U, 3U})
    folder.append(symbol);
  EXPECT_EQ(unfold(folder.finish()), (Symbols{2, 3, 1, 2, 3}));
}

std::string varints(std::initializer_list<std::uint64_t> values) {
  std::string bytes;
  for (const std::uint64_t value : values)
    put_varint(bytes, value);
  return bytes;
}

TEST(Folding, a_few_bytes_cannot_claim_more_symbols_than_allowed) {
  const std::string loop = varints({1, 3, 998, 0}); // the next symbol, 1000 times
  EXPECT_EQ(decoded(loop, 1000).size(), 1000U);
  EXPECT_THROW(decoded(loop, 999), Error);
  // A body of 2^40 symbols, of which a loop of 2^40 iterations is more than 64 bits count.
  const std::uint64_t many = std::uint64_t{1} << 40U;
  EXPECT_THROW(decoded(varints({1, 3, many, 1, 2, 3, many, 0, 0}), ~std::uint64_t{0}), Error);
}

TEST(Folding, sequences_too_long_to_count_do_not_append) {
  const std::uint64_t many = std::uint64_t{1} << 62U;
  const FoldedSequence loop = decoded(varints({1, 3, many, 0}), ~std::uint64_t{0});
  SequenceFolder folder;
  folder.append(loop, Symbols{0});
  EXPECT_THROW(folder.append(loop, Symbols{0}), Error);
  EXPECT_EQ(folder.finish().size(), many + 2);
}

TEST(Folding, loops_too_deep_in_one_another_are_refused) {
  std::string bytes = varints({1});
  for (std::uint32_t depth = 0; depth <= FoldedSequence::max_depth; ++depth)
    bytes += varints({1, 2});
  bytes += std::string(1000, '\0');
  EXPECT_THROW(decoded(bytes, 1 << 20U), Error);
}

TEST(Folding, unknown_items_and_symbols_are_refused) {
  EXPECT_THROW(decoded(varints({1, 4}), 100), Error);               // nothing is known yet
  EXPECT_THROW(decoded(varints({1, 2, most_symbols}), 100), Error); // a symbol there is not
  EXPECT_THROW(decoded(varints({1, 1, 2, 0, 5}), 100), Error);      // the body that is being read
  EXPECT_THROW(decoded(varints({1, 1, 1, 0}), 100), Error);         // a body of one item
  EXPECT_THROW(decoded(varints({1, 3, 0, 3, 0, 0}), 100), Error);   // times twice
  EXPECT_EQ(unfold(decoded(varints({1, 2, most_symbols - 1}), 100)), Symbols{most_symbols - 1});
}

} // namespace
} // namespace timeless::trace
