#include "recorded.h"

#include "trace/model/action.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

/// A program that makes every call of one-sided communication, in C and in Fortran three ways.
namespace timeless::test {

namespace {

using trace::Action;
using trace::ActionKind;
using trace::Rank;

/// The communicators of the program, in the order it makes them.
enum : trace::CommunicatorId {
  world,
  self,
  fenced,
  reversed,
  grouped,
  locked,
  requested,
  node,
  shared,
  dynamic,
  alone,
  failing,
  paused,
  last,
};

/// What one rank of the program does, as its source says.
class Expected {
public:
  explicit Expected(Rank rank)
      : rank_(rank), partner_(rank ^ 1), next_((rank + 1) % recorded_ranks),
        previous_((rank + recorded_ranks - 1) % recorded_ranks) {
    fences();
    groups();
    locks();
    requests();
    kinds();
    failures();
    pauses();
    add({.kind = ActionKind::allreduce, .bytes = 8, .element_bytes = 4});
    add({.kind = ActionKind::finalize});
  }

  const std::vector<Kept>& actions() const { return actions_; }

private:
  void add(const Action& action, std::vector<Rank> group = {}, std::vector<trace::RequestId> completed = {}) {
    actions_.push_back({action, std::move(completed), {}, {}, std::move(group)});
  }
  /// A call on the window at hand.
  void on_window(Action action, std::vector<Rank> group = {}) {
    action.communicator = window_;
    add(action, std::move(group));
  }
  void call(ActionKind kind, Rank target = trace::no_rank) { on_window({.kind = kind, .peer = target}); }
  void create(ActionKind kind, trace::CommunicatorId parent, trace::CommunicatorId window, trace::Bytes bytes) {
    window_ = window;
    add({.kind = kind, .communicator = parent, .bytes = bytes, .new_communicator = window});
  }
  void put(Rank target, trace::Bytes bytes) { on_window({.kind = ActionKind::put, .peer = target, .bytes = bytes}); }

  void fences() {
    create(ActionKind::win_create, world, fenced, 32);
    on_window({.kind = ActionKind::win_fence, .flags = trace::flag_no_precede});
    put(next_, 8);
    call(ActionKind::win_fence);
    on_window({.kind = ActionKind::get, .peer = next_, .receive_bytes = 8});
    call(ActionKind::win_fence);
    on_window({.kind = ActionKind::accumulate, .peer = 0, .bytes = 4, .element_bytes = 4});
    on_window({.kind = ActionKind::accumulate, .peer = partner_, .bytes = 8, .element_bytes = 4});
    on_window({.kind = ActionKind::accumulate,
               .flags = trace::flag_replace,
               .peer = partner_,
               .bytes = 4,
               .element_bytes = 4});
    on_window({.kind = ActionKind::win_fence, .flags = trace::flag_no_succeed});
    call(ActionKind::win_free);
  }

  void groups() {
    const auto place = [](Rank rank) { return recorded_ranks - 1 - rank; };
    const auto epoch = [&](std::uint16_t flags, const std::vector<Rank>& origins, const std::vector<Rank>& targets,
                           Rank target, ActionKind end) {
      on_window({.kind = ActionKind::win_post, .flags = flags}, origins);
      if (flags != 0) add({.kind = ActionKind::barrier, .communicator = reversed});
      on_window({.kind = ActionKind::win_start, .flags = flags}, targets);
      put(target, 4);
      call(ActionKind::win_complete);
      call(end);
    };
    add({.kind = ActionKind::comm_split, .communicator = world, .new_communicator = reversed});
    create(ActionKind::win_allocate, reversed, grouped, 8);
    epoch(trace::flag_no_check, {place(previous_)}, {place(next_)}, place(next_), ActionKind::win_test);
    epoch(0, {place(previous_)}, {place(next_)}, place(next_), ActionKind::win_wait);
    epoch(0, {3, 2, 1, 0}, {3, 2, 1, 0}, place(rank_), ActionKind::win_wait);
    call(ActionKind::win_start);
    call(ActionKind::win_complete);
    call(ActionKind::win_free);
    add({.kind = ActionKind::comm_free, .communicator = reversed});
  }

  void locks() {
    const auto fetch = [&](ActionKind kind, trace::Bytes bytes, trace::Bytes back, std::uint16_t flags = 0) {
      const bool combines = bytes > 0 && kind != ActionKind::compare_and_swap;
      on_window({.kind = kind,
                 .flags = flags,
                 .peer = partner_,
                 .bytes = bytes,
                 .receive_bytes = back,
                 .element_bytes = combines ? 4U : 0U});
    };
    create(ActionKind::win_allocate, world, locked, 24);
    on_window({.kind = ActionKind::win_lock, .flags = trace::flag_exclusive, .peer = rank_});
    call(ActionKind::win_unlock, rank_);
    add({.kind = ActionKind::barrier});
    on_window({.kind = ActionKind::win_lock, .flags = trace::flag_exclusive, .peer = partner_});
    put(partner_, 8);
    call(ActionKind::win_flush_local, partner_);
    call(ActionKind::win_flush, partner_);
    on_window({.kind = ActionKind::get, .peer = partner_, .receive_bytes = 8});
    call(ActionKind::win_unlock, partner_);
    add({.kind = ActionKind::barrier});
    on_window({.kind = ActionKind::win_lock, .flags = trace::flag_no_check, .peer = partner_});
    call(ActionKind::win_unlock, partner_);
    add({.kind = ActionKind::barrier});
    call(ActionKind::win_lock_all);
    fetch(ActionKind::fetch_and_op, 4, 4);
    call(ActionKind::win_flush, partner_);
    fetch(ActionKind::fetch_and_op, 0, 4, trace::flag_no_operation);
    call(ActionKind::win_flush_all);
    for (int i = 0; i < 2; ++i) {
      fetch(ActionKind::compare_and_swap, 8, 4);
      call(ActionKind::win_flush, partner_);
    }
    fetch(ActionKind::get_accumulate, 8, 8, trace::flag_replace);
    call(ActionKind::win_flush, partner_);
    fetch(ActionKind::get_accumulate, 4, 4);
    call(ActionKind::win_flush_local_all);
    fetch(ActionKind::get_accumulate, 0, 8, trace::flag_no_operation);
    call(ActionKind::win_flush, partner_);
    call(ActionKind::win_sync);
    call(ActionKind::win_unlock_all);
    on_window({.kind = ActionKind::win_lock_all, .flags = trace::flag_no_check});
    call(ActionKind::win_unlock_all);
    call(ActionKind::win_free);
  }

  void requests() {
    create(ActionKind::win_create, world, requested, 16);
    call(ActionKind::win_lock_all);
    on_window({.kind = ActionKind::put, .peer = partner_, .bytes = 8, .request = 0});
    on_window({.kind = ActionKind::accumulate, .peer = partner_, .bytes = 4, .element_bytes = 4, .request = 1});
    add({.kind = ActionKind::wait_all}, {}, {0, 1});
    call(ActionKind::win_flush, partner_);
    on_window({.kind = ActionKind::get, .peer = partner_, .receive_bytes = 8, .request = 0});
    add({.kind = ActionKind::wait}, {}, {0});
    on_window({.kind = ActionKind::get_accumulate,
               .peer = partner_,
               .bytes = 4,
               .receive_bytes = 4,
               .element_bytes = 4,
               .request = 0});
    add({.kind = ActionKind::test}, {}, {0});
    call(ActionKind::win_unlock_all);
    add({.kind = ActionKind::barrier});
    call(ActionKind::win_free);
  }

  void kinds() {
    add({.kind = ActionKind::comm_split_type, .communicator = world, .new_communicator = node});
    create(ActionKind::win_allocate_shared, node, shared, rank_ % 2 == 0 ? 4 : 8);
    call(ActionKind::win_lock_all);
    call(ActionKind::win_sync);
    add({.kind = ActionKind::barrier, .communicator = node});
    call(ActionKind::win_sync);
    call(ActionKind::win_unlock_all);
    add({.kind = ActionKind::barrier, .communicator = node});
    call(ActionKind::win_free);
    add({.kind = ActionKind::comm_free, .communicator = node});

    create(ActionKind::win_create_dynamic, world, dynamic, 0);
    add({.kind = ActionKind::exchange, .peer = partner_, .bytes = 8, .receive_peer = partner_, .receive_bytes = 8});
    call(ActionKind::win_fence);
    put(partner_, 4);
    call(ActionKind::win_fence);
    call(ActionKind::win_free);

    create(ActionKind::win_allocate, self, alone, 4);
    call(ActionKind::win_lock, 0);
    put(0, 4);
    call(ActionKind::win_unlock, 0);
    call(ActionKind::win_free);
  }

  void failures() {
    create(ActionKind::win_create, world, failing, 4);
    call(ActionKind::win_fence);
    call(ActionKind::win_fence);
    call(ActionKind::win_free);
  }

  /// Neither half of the epoch that begins unrecorded, both of the one that does not; nothing of the rest.
  void pauses() {
    window_ = paused;
    put(partner_, 4);
    call(ActionKind::win_lock, partner_);
    put(partner_, 4);
    call(ActionKind::win_unlock, partner_);
    add({.kind = ActionKind::comm_dup, .communicator = world, .new_communicator = last});
    add({.kind = ActionKind::comm_free, .communicator = last});
  }

  Rank rank_;
  Rank partner_;
  Rank next_;
  Rank previous_;
  trace::CommunicatorId window_ = world;
  std::vector<Kept> actions_;
};

/// Shows the first difference only.
void expect_actions(const RecordedRank& rank, const std::vector<Kept>& expected) {
  const auto [actual, wanted] = std::ranges::mismatch(rank.actions, expected);
  const std::string place =
      "rank " + std::to_string(rank.record().rank) + " action " + std::to_string(actual - rank.actions.begin());
  if (actual != rank.actions.end() && wanted != expected.end()) {
    EXPECT_EQ(*actual, *wanted) << place;
  } else {
    EXPECT_EQ(rank.actions.size(), expected.size()) << place;
  }
}

class EveryFormOfWindows : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Windows, EveryFormOfWindows,
                         testing::Values("windows_c", "windows_mpif", "windows_mpi", "windows_f08"),
                         [](const auto& tested) { return std::string(tested.param); });

TEST_P(EveryFormOfWindows, finds_in_its_windows_what_belongs_there_traced_and_untraced) {
  const Recording& recording = recording_of(GetParam());
  EXPECT_EQ(recording.plain.status, 0) << recording.plain.output << recording.plain.errors;
  EXPECT_EQ(recording.traced.status, 0) << recording.traced.output << recording.traced.errors;
  EXPECT_EQ(recording.plain.output, "152 comparisons, 0 failed\n");
  EXPECT_EQ(recording.traced.output, recording.plain.output);
  EXPECT_THAT(recording.traced.errors, testing::HasSubstr("timeless: recorded 4 ranks"));
  EXPECT_THAT(recording.traced.errors, testing::Not(testing::HasSubstr("NOT recorded")));
}

TEST_P(EveryFormOfWindows, makes_the_actions_its_source_says) {
  const auto& trace = recording_of(GetParam()).trace;
  ASSERT_EQ(trace.size(), std::size_t{recorded_ranks});
  for (Rank rank = 0; rank < recorded_ranks; ++rank)
    expect_actions(trace[static_cast<std::size_t>(rank)], Expected(rank).actions());
}

TEST_P(EveryFormOfWindows, gives_each_window_a_communicator_that_its_ranks_agree_on) {
  std::map<std::uint64_t, std::vector<Rank>> members_of;
  std::map<trace::CommunicatorId, std::set<std::uint64_t>> identities_of;
  const auto& trace = recording_of(GetParam()).trace;
  ASSERT_EQ(trace.size(), std::size_t{recorded_ranks});
  for (const RecordedRank& rank : trace) {
    ASSERT_EQ(rank.run.communicators.size(), std::size_t{last} + 1);
    for (trace::CommunicatorId id = 0; id <= last; ++id) {
      const trace::Communicator& known = rank.run.communicators[id];
      const auto [entry, fresh] = members_of.emplace(known.identity, known.members);
      EXPECT_EQ(entry->second, known.members);
      identities_of[id].insert(known.identity);
    }
    EXPECT_THAT(rank.run.communicators[grouped].members, testing::ElementsAre(3, 2, 1, 0));
    EXPECT_THAT(rank.run.communicators[paused].members, testing::ElementsAre(0, 1, 2, 3));
    EXPECT_THAT(rank.run.communicators[alone].members, testing::ElementsAre(rank.record().rank));
  }
  for (trace::CommunicatorId id = 0; id <= last; ++id)
    EXPECT_EQ(identities_of[id].size(), id == self || id == alone ? std::size_t{recorded_ranks} : 1U) << id;
  EXPECT_EQ(members_of.size(), last + 1 - 2 + 2 * std::size_t{recorded_ranks});
}

// Each of Open MPI's components does it with other calls of its own, none of which is the program's.
TEST(Windows, hold_no_calls_of_mpi_itself_whatever_moves_the_bytes) {
  bool one_is_there = false;
  for (const char* components : {"rdma,sm", "pt2pt,sm"}) {
    const Job job{
        .ranks = recorded_ranks, .program = "windows_c", .environment = std::string("OMPI_MCA_osc=") + components};
    if (run_plain(job).status != 0) continue; // Open MPI 5 has no pt2pt
    one_is_there = true;
    const Recording recording = record_beside_plain(job);
    EXPECT_EQ(recording.traced.output, "152 comparisons, 0 failed\n") << components << recording.traced.errors;
    ASSERT_EQ(recording.trace.size(), std::size_t{recorded_ranks});
    for (const RecordedRank& rank : recording.trace)
      expect_actions(rank, Expected(rank.record().rank).actions());
  }
  EXPECT_TRUE(one_is_there);
}

TEST(Windows, of_threads_in_mpi_at_once_hold_their_calls_in_order) {
  const TemporaryDirectory directory;
  const Job job{.ranks = 2, .program = "cases", .arguments = "windows_of_threads"};
  const Outcome outcome = run_traced(job, directory / "trace");
  ASSERT_EQ(outcome.status, 0) << outcome.output << outcome.errors;
  std::vector<ActionKind> life;
  for (int round = 0; round < 100; ++round)
    for (const ActionKind kind :
         {ActionKind::win_lock, ActionKind::put, ActionKind::win_flush, ActionKind::get, ActionKind::win_unlock})
      life.push_back(kind);
  life.push_back(ActionKind::win_free);
  std::set<std::set<std::uint64_t>> identities;
  for (const RecordedRank& rank : read_recording(directory / "trace")) {
    EXPECT_TRUE(rank.record().unrecorded_calls.empty());
    const auto created = rank.of_kind(ActionKind::win_allocate);
    EXPECT_EQ(created.size(), 8U);
    std::set<std::uint64_t> of_rank;
    for (const Kept& creation : created) {
      const trace::CommunicatorId window = creation.action.new_communicator;
      of_rank.insert(rank.run.communicators.at(window).identity);
      std::vector<ActionKind> calls;
      for (const Kept& kept : rank.actions)
        if (kept.action.communicator == window) calls.push_back(kept.action.kind);
      EXPECT_EQ(calls, life);
    }
    EXPECT_EQ(of_rank.size(), 8U);
    identities.insert(of_rank);
  }
  EXPECT_EQ(identities.size(), 1U) << "the ranks call the same windows by different names";
}

TEST(Windows, hold_every_kind_of_one_sided_action) {
  std::set<ActionKind> found;
  std::set<std::string> names;
  for (const RecordedRank& rank : recording_of("windows_c").trace)
    for (const Kept& kept : rank.actions) {
      found.insert(kept.action.kind);
      names.insert(trace::mpi_name(kept.action));
    }
  const auto one_sided = [](trace::ActionFamily of) {
    return of == trace::ActionFamily::window || of == trace::ActionFamily::one_sided ||
           of == trace::ActionFamily::epoch;
  };
#define ACTION_KIND(code, name, family, mpi_name, ...)                                                                 \
  EXPECT_TRUE(!one_sided(trace::ActionFamily::family) || found.contains(ActionKind::name)) << #name;
#include "trace/model/action_kinds.def"
#undef ACTION_KIND
  for (const char* name : {"Rput", "Rget", "Raccumulate", "Rget_accumulate"})
    EXPECT_TRUE(names.contains(name)) << name;
}

} // namespace

} // namespace timeless::test
