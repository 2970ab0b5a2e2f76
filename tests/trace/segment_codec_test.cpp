#include "trace/codec/segment/segment_decoder.h"
#include "trace/codec/segment/segment_encoder.h"

#include "base/bytes.h"
#include "base/error.h"
#include "tests/trace/samples.h"
#include "trace/codec/format.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <random>

namespace timeless::trace {
namespace {

using test::OwnedAction;

std::vector<OwnedAction> contents(const ActionBlock& block) {
  std::vector<OwnedAction> actions;
  for_each_action(block, [&](const Action& action, std::uint64_t volume) { actions.emplace_back(action, volume); });
  return actions;
}

struct Encoded {
  std::string structure;
  std::string volumes;
};

Encoded encoded(const ActionBlock& block) {
  Encoded bytes;
  SegmentEncoder().encode(block, bytes.structure, bytes.volumes);
  return bytes;
}

/// All of it, in windows of this many actions.
std::vector<OwnedAction> decoded(const Encoded& bytes, std::size_t window = 1000) {
  auto structure = std::make_shared<const Structure>(decode_structure(bytes.structure, max_block_actions));
  ActionBlock block;
  Dictionary dictionary;
  for (const Action& action : structure->dictionary.entries())
    dictionary.add(action);
  block.use_dictionary(std::move(dictionary));
  SegmentDecoder decoder;
  decoder.open(structure, 0, static_cast<std::uint32_t>(structure->sequence.size()), bytes.volumes);
  std::vector<OwnedAction> actions;
  while (decoder.next(block, window))
    for_each_action(block, [&](const Action& action, std::uint64_t volume) { actions.emplace_back(action, volume); });
  return actions;
}

Action random_action(std::mt19937_64& random, std::vector<RequestId>& requests, std::vector<Bytes>& counts) {
  const auto some = [&random] { return random() >> (random() % 64); };
  std::optional<ActionKind> kind;
  while (!kind || has_volume(*kind))
    kind = action_kind(static_cast<std::uint8_t>(random() % 256));
  requests.assign(some() % 4, static_cast<RequestId>(some()));
  counts.resize(some() % 4);
  for (Bytes& count : counts)
    count = some();
  return {.kind = *kind,
          .mode = static_cast<SendMode>(random() % 4),
          .flags = static_cast<std::uint16_t>(some()),
          .communicator = static_cast<CommunicatorId>(some()),
          .peer = static_cast<Rank>(some()),
          .tag = static_cast<Tag>(some()),
          .bytes = some(),
          .receive_peer = static_cast<Rank>(some()),
          .receive_tag = static_cast<Tag>(some()),
          .receive_bytes = some(),
          .element_bytes = static_cast<std::uint32_t>(some()),
          .request = static_cast<RequestId>(some()),
          .kernel = no_kernel,
          .new_communicator = static_cast<CommunicatorId>(some()),
          .region = static_cast<RegionId>(some()),
          .requests = requests,
          .counts = counts,
          .receive_counts = counts};
}

RC_GTEST_PROP(SegmentCodec, any_block_reads_back_as_it_was_written, (std::uint64_t seed)) {
  std::mt19937_64 random(seed);
  ActionBlock block;
  std::vector<RequestId> requests;
  std::vector<Bytes> counts;
  const std::size_t distinct = 1 + random() % 400;
  std::vector<std::uint32_t> entries;
  for (std::size_t i = 0; i < distinct; ++i)
    entries.push_back(block.intern(random_action(random, requests, counts)));
  for (std::size_t i = random() % 2000; i > 0; --i) {
    if (random() % 2 == 0)
      block.append_volume(static_cast<ActionKind>(1 + random() % 3), static_cast<KernelId>(random() % 5),
                          random() >> (random() % 64));
    else
      block.append_entry(entries[random() % distinct]);
  }
  RC_ASSERT(test::same_actions(contents(block), decoded(encoded(block), 1 + random() % 700)));
}

TEST(SegmentCodec, every_prefix_of_a_payload_is_refused) {
  const MemorySource run = test::varied_run(2, 3, 1000);
  ActionBlock block;
  ASSERT_TRUE(run.open(1)->next(block));
  const Encoded whole = encoded(block);
  for (std::size_t size = 0; size < whole.structure.size(); ++size)
    EXPECT_THROW(decoded({whole.structure.substr(0, size), whole.volumes}), Error) << size;
  for (std::size_t size = 0; size < whole.volumes.size(); ++size)
    EXPECT_THROW(decoded({whole.structure, whole.volumes.substr(0, size)}), Error) << size;
  EXPECT_NO_THROW(decoded(whole));
  EXPECT_THROW(decoded({whole.structure + '\0', whole.volumes}), Error);
  EXPECT_THROW(decoded({whole.structure, whole.volumes + '\0'}), Error);
}

TEST(SegmentCodec, a_count_larger_than_the_bytes_left_is_refused_before_memory_is_taken) {
  std::string bytes;
  put_varint(bytes, std::uint64_t{1} << 60U);
  EXPECT_THROW(decode_structure(bytes, max_block_actions), Error);
}

TEST(SegmentCodec, volumes_of_another_segment_are_refused) {
  ActionBlock one;
  ActionBlock other;
  for (KernelId kernel = 0; kernel < 3; ++kernel) {
    one.append_compute(kernel, 100);
    other.append_compute(kernel % 2, 100);
  }
  EXPECT_THROW(decoded({encoded(one).structure, encoded(other).volumes}), Error);
  EXPECT_THROW(decoded({encoded(other).structure, encoded(one).volumes}), Error);
}

TEST(SegmentCodec, damaged_payloads_never_do_more_than_throw) {
  const MemorySource run = test::varied_run(2, 5, 1000);
  ActionBlock block;
  ASSERT_TRUE(run.open(0)->next(block));
  const Encoded whole = encoded(block);
  std::mt19937_64 random(7);
  std::size_t refused = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    Encoded bytes = whole;
    std::string& damaged = random() % 2 == 0 ? bytes.structure : bytes.volumes;
    for (std::size_t changes = 1 + random() % 4; changes > 0; --changes)
      damaged[random() % damaged.size()] = static_cast<char>(random());
    try {
      decoded(bytes);
    } catch (const Error& problem) {
      EXPECT_EQ(problem.failure(), Failure::invalid_input);
      ++refused;
    }
  }
  EXPECT_GT(refused, 0U);
}

TEST(Bytes, numbers_survive_at_their_extremes) {
  for (const std::int64_t value : {std::int64_t{0}, std::int64_t{-1}, INT64_MIN, INT64_MAX})
    EXPECT_EQ(unzigzag(zigzag(value)), value);
  std::string bytes;
  put_varint(bytes, ~std::uint64_t{0});
  EXPECT_EQ(ByteReader(bytes).varint(), ~std::uint64_t{0});
  EXPECT_THROW(ByteReader(std::string(9, '\xff') + '\x02').varint(), Error);
  EXPECT_THROW(ByteReader(std::string(11, '\xff')).varint(), Error);
}

} // namespace
} // namespace timeless::trace
