#include "trace/model/action_block.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace timeless::trace {
namespace {

using testing::ElementsAre;

TEST(ActionBlock, equal_actions_share_one_dictionary_entry) {
  ActionBlock block;
  block.append({.kind = ActionKind::send, .peer = 1, .bytes = 8});
  block.append_compute(3, 100);
  block.append({.kind = ActionKind::send, .peer = 1, .bytes = 8});
  block.append_compute(3, 101);
  block.append({.kind = ActionKind::send, .peer = 2, .bytes = 8});
  EXPECT_EQ(block.dictionary().size(), 3U);
  EXPECT_THAT(block.sequence(), ElementsAre(0, 1, 0, 1, 2));
  EXPECT_THAT(block.volumes(), ElementsAre(100, 101));
}

TEST(ActionBlock, owns_the_lists_of_its_actions) {
  ActionBlock block;
  {
    const std::vector<RequestId> requests = {4, 5};
    block.append({.kind = ActionKind::wait_all, .requests = requests});
  }
  EXPECT_THAT(block.dictionary()[0].requests, ElementsAre(4, 5));
}

TEST(ActionBlock, a_replaced_action_changes_at_its_position_only) {
  ActionBlock block;
  const Action open{.kind = ActionKind::receive, .peer = any_rank, .request = 0};
  const std::size_t first = block.append(open);
  block.append(open);
  block.replace(first, {.kind = ActionKind::receive, .peer = 7, .request = 0});
  std::vector<Rank> peers;
  for_each_action(block, [&](const Action& action, std::uint64_t) { peers.push_back(action.peer); });
  EXPECT_THAT(peers, ElementsAre(7, any_rank));
}

TEST(ActionBlock, thousands_of_distinct_actions_are_all_found_again) {
  ActionBlock block;
  for (int pass = 0; pass < 2; ++pass)
    for (Rank peer = 0; peer < 5000; ++peer)
      EXPECT_EQ(block.intern({.kind = ActionKind::send, .peer = peer}), static_cast<std::uint32_t>(peer));
  EXPECT_EQ(block.dictionary().size(), 5000U);
}

TEST(ActionBlock, renumbering_touches_communicators_kernels_and_regions_and_leaves_none_alone) {
  ActionBlock block;
  block.append_compute(1, 5);
  block.append({.kind = ActionKind::comm_dup, .communicator = 1, .new_communicator = no_communicator});
  const std::vector<CommunicatorId> communicators = {0, 9};
  const std::vector<KernelId> kernels = {4, 8};
  block.append({.kind = ActionKind::region_begin, .region = 0});
  const std::vector<RegionId> regions = {3};
  block.renumber(communicators, kernels, regions);
  EXPECT_EQ(block.dictionary()[2].region, 3U);
  EXPECT_EQ(block.dictionary()[0].region, no_region);
  EXPECT_EQ(block.dictionary()[0].kernel, 8U);
  EXPECT_EQ(block.dictionary()[1].communicator, 9U);
  EXPECT_EQ(block.dictionary()[1].new_communicator, no_communicator);
  EXPECT_EQ(block.intern({.kind = ActionKind::compute, .kernel = 8}), 0U);
}

TEST(ActionBlock, a_cleared_block_starts_over) {
  ActionBlock block;
  block.append({.kind = ActionKind::barrier});
  block.clear();
  EXPECT_TRUE(block.empty());
  block.append({.kind = ActionKind::finalize});
  EXPECT_EQ(block.dictionary().size(), 1U);
  EXPECT_EQ(block.dictionary()[0].kind, ActionKind::finalize);
}

TEST(Action, is_called_by_the_name_of_its_mpi_call) {
  EXPECT_EQ(mpi_name({.kind = ActionKind::send}), "Send");
  EXPECT_EQ(mpi_name({.kind = ActionKind::send, .mode = SendMode::synchronous, .request = 2}), "Issend");
  EXPECT_EQ(mpi_name({.kind = ActionKind::receive, .request = 0}), "Irecv");
  EXPECT_EQ(mpi_name({.kind = ActionKind::receive, .flags = flag_matched, .request = 0}), "Imrecv");
  EXPECT_EQ(mpi_name({.kind = ActionKind::poll, .flags = flag_matched}), "Improbe");
  EXPECT_EQ(mpi_name({.kind = ActionKind::allreduce, .request = 1}), "Iallreduce");
  EXPECT_EQ(mpi_name({.kind = ActionKind::request_free, .request = 1}), "Request_free");
  EXPECT_EQ(mpi_name({.kind = ActionKind::compute}), "compute");
}

TEST(Action, kinds_are_stored_by_rising_codes_and_found_again) {
  int previous = 0;
#define ACTION_KIND(code, name, family_name, mpi_name, ...)                                                            \
  EXPECT_LT(previous, code);                                                                                           \
  previous = code;                                                                                                     \
  EXPECT_EQ(action_kind(code), ActionKind::name);                                                                      \
  EXPECT_EQ(family(ActionKind::name), ActionFamily::family_name);
#include "trace/model/action_kinds.def"
#undef ACTION_KIND
  EXPECT_EQ(action_kind(0), std::nullopt);
  EXPECT_EQ(action_kind(255), std::nullopt);
}

} // namespace
} // namespace timeless::trace
