#include "analysis/trace/message_sizes.h"

#include "base/error.h"
#include "trace/model/memory_source.h"

#include <gmock/gmock.h>

#include <array>
#include <vector>

namespace timeless::analysis {
namespace {

using testing::ElementsAre;
using trace::ActionKind;

/// Returns three ranks, of which the first two are on one node: 10 messages of 8 bytes within it, one of 1000 to the
/// other node, and an alltoall of 200 bytes to each.
trace::MemorySource some_messages() {
  trace::MemorySource run(3);
  for (int message = 0; message < 10; ++message) {
    run.add(0, {.kind = ActionKind::send, .peer = 1, .bytes = 8});
    run.add(1, {.kind = ActionKind::receive, .peer = 0, .bytes = 8});
  }
  run.add(0, {.kind = ActionKind::send, .peer = 2, .bytes = 1000});
  run.add(2, {.kind = ActionKind::receive, .peer = 0, .bytes = 1000});
  for (const trace::Rank rank : {0, 1, 2})
    run.add(rank, {.kind = ActionKind::alltoall, .bytes = 200, .receive_bytes = 200});
  run.finalize();
  return run;
}

constexpr std::array<std::uint32_t, 3> nodes{0, 0, 1};

TEST(MessageSizes, above_a_limit_are_those_of_their_link) {
  const trace::MemorySource run = some_messages();
  const LargeMessages none = messages_above(run, nodes, 200, 1000);
  EXPECT_EQ(none.large, 0U);
  EXPECT_EQ(none.messages, 14U);
  EXPECT_EQ(none.bytes, 80 + 1000 + 600);
  EXPECT_EQ(none.largest, 1000U);
  const LargeMessages far = messages_above(run, nodes, 1000, 999);
  EXPECT_EQ(far.large, 1U);
  EXPECT_EQ(far.large_bytes, 1000);
  EXPECT_EQ(messages_above(run, nodes, 7, 1000).large, 13U) << "within the node, and collectives";
  EXPECT_EQ(messages_above(run, std::array<std::uint32_t, 3>{0, 1, 2}, 7, 1000).large, 0U) << "no two share a node";
  EXPECT_EQ(messages_above(run, {}, 7, 1000).large, 3U) << "of an unknown place";
}

TEST(MessageSizes, that_are_typical_are_frequent_or_carry_much) {
  const trace::MemorySource run = some_messages();
  EXPECT_EQ(largest_message(run), 1000U);
  EXPECT_THAT(typical_sizes(run, 1), ElementsAre(8, 1000));
  EXPECT_THAT(typical_sizes(run, 8), ElementsAre(8, 200, 1000));
  trace::MemorySource silent(1);
  silent.finalize();
  EXPECT_THAT(typical_sizes(silent, 8), ElementsAre());
}

TEST(MessageSizes, of_a_partner_that_is_none_are_refused) {
  trace::MemorySource run(2);
  run.add(0, {.kind = ActionKind::send, .peer = 7, .bytes = 8});
  run.finalize();
  EXPECT_THROW(messages_above(run, nodes, 1, 1), Error);
}

} // namespace
} // namespace timeless::analysis
