// What a kind of action is: the rows of action_kinds.def hold together.
#include "trace/model/action.h"

#include <gtest/gtest.h>

namespace timeless::trace {
namespace {

constexpr ActionKind all_kinds[] = {
#define ACTION_KIND(code, name, ...) ActionKind::name,
#include "trace/model/action_kinds.def"
#undef ACTION_KIND
};

TEST(ActionTraits, only_collectives_have_roots_and_neighbours) {
  for (const ActionKind kind : all_kinds) {
    if (!rooted(kind) && !neighbourhood(kind)) continue;
    EXPECT_EQ(family(kind), ActionFamily::collective) << name(kind);
  }
}

TEST(ActionTraits, a_root_alone_has_the_sizes_of_all_on_its_side) {
  const auto of_all = [](Sizes sizes) { return sizes == Sizes::each || sizes == Sizes::list; };
  for (const ActionKind kind : all_kinds) {
    const ActionTraits& of = traits(kind);
    if (of.root == Root::none || of.sent == Sizes::buffer) continue;
    EXPECT_EQ(of_all(of.sent), of.root == Root::sends) << name(kind);
    EXPECT_EQ(of_all(of.received), of.root == Root::receives) << name(kind);
  }
}

TEST(ActionTraits, a_result_is_received_only) {
  for (const ActionKind kind : all_kinds) {
    EXPECT_NE(traits(kind).sent, Sizes::result) << name(kind);
    EXPECT_NE(traits(kind).received, Sizes::said) << name(kind);
  }
}

TEST(ActionTraits, a_collective_that_reduces_receives_a_result) {
  for (const ActionKind kind : all_kinds) {
    if (family(kind) != ActionFamily::collective || !traits(kind).reduces) continue;
    EXPECT_EQ(traits(kind).received, Sizes::result) << name(kind);
  }
}

TEST(ActionTraits, each_split_call_that_begins_has_one_that_ends_it) {
  int begun = 0;
  for (const ActionKind kind : all_kinds) {
    if (traits(kind).split == SplitCall::begins) ++begun;
    if (traits(kind).split == SplitCall::ends) --begun;
  }
  EXPECT_EQ(begun, 0);
}

TEST(ActionTraits, only_what_begins_a_request_is_nonblocking) {
  for (const ActionKind kind : all_kinds) {
    const bool of_others = family(kind) == ActionFamily::completion || family(kind) == ActionFamily::request;
    EXPECT_EQ(nonblocking({.kind = kind, .request = 3}), !of_others) << name(kind);
    EXPECT_FALSE(nonblocking({.kind = kind})) << name(kind);
  }
}

} // namespace
} // namespace timeless::trace
