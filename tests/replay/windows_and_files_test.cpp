// One-sided communication and files: worked by hand, and random programs against the scalar replay.
#include "machines.h"
#include "scalar_replay.h"

#include "replay/replay.h"
#include "trace/model/memory_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <map>
#include <random>

namespace timeless::replay::test::windows_and_files_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using trace::Action;
using trace::ActionKind;
using trace::CommunicatorId;
using trace::MemorySource;
using trace::RequestId;

constexpr FlatCosts unit{.latency = 10, .byte_time = 1};
constexpr FileSystem slow_disk{.latency = 7, .byte_time = 2, .aggregate_byte_time = 1, .assumed = false};
constexpr RequestId zero[] = {0};
constexpr Rank rank_0[] = {0};
constexpr Rank rank_1[] = {1};

/// A program on two ranks with a window or a file of both, which is communicator `shared`.
class TwoRanks : public MemorySource {
public:
  TwoRanks() : MemorySource(2), shared(add_communicator({0, 1})) {}

  void both(const Action& action) {
    for (const Rank rank : {0, 1})
      on(rank, action);
  }
  void on(Rank rank, Action action) {
    action.communicator = shared;
    add(rank, action);
  }
  void wait(Rank rank) { add(rank, {.kind = ActionKind::wait, .requests = zero}); }

  const CommunicatorId shared;
};

Result run(MemorySource& program, ReplayOptions options = {}) {
  program.finalize();
  options.file_system = slow_disk;
  const Network machine = flat_machine(program.run().size, {unit});
  return replay(program, machine, options);
}

RankTimes times(const Result& result, std::size_t rank) {
  return result.lanes.at(0).ranks.at(rank);
}

Action put(Rank target, Bytes bytes = 5) {
  return {.kind = ActionKind::put, .peer = target, .bytes = bytes};
}

TEST(Windows, a_fence_waits_for_the_ranks_own_transfers_and_then_for_all_members) {
  TwoRanks program;
  program.both({.kind = ActionKind::win_fence});
  program.on(0, put(1));
  program.both({.kind = ActionKind::win_fence});
  const Result result = run(program);
  // A barrier of two takes 10. The put is there at 10 + 10 + 5.
  EXPECT_EQ(times(result, 0).end, 35);
  EXPECT_EQ(times(result, 0).latency, 30);
  EXPECT_EQ(times(result, 0).bandwidth, 5);
  EXPECT_EQ(times(result, 1).end, 35);
  EXPECT_EQ(times(result, 1).wait, 15);
  EXPECT_EQ(times(result, 1).latency, 20);
  EXPECT_THAT(result.not_modelled, IsEmpty());
  EXPECT_THAT(result.notes, IsEmpty());
}

TEST(Windows, a_fence_that_nothing_precedes_completes_nothing) {
  TwoRanks program;
  program.on(0, put(1));
  program.both({.kind = ActionKind::win_fence, .flags = trace::flag_no_precede});
  EXPECT_EQ(times(run(program), 0).end, 10);
}

TEST(Windows, bytes_of_a_ranks_transfers_follow_one_another_and_latencies_overlap) {
  TwoRanks program;
  program.on(0, put(1, 5));
  program.on(0, put(1, 7));
  program.on(0, {.kind = ActionKind::win_flush, .peer = 1});
  const RankTimes origin = times(run(program), 0);
  EXPECT_EQ(origin.end, 22);
  EXPECT_EQ(origin.latency, 10);
  EXPECT_EQ(origin.bandwidth, 12);
}

TEST(Windows, computation_hides_a_transfer_as_it_hides_a_message) {
  TwoRanks program;
  program.on(0, put(1));
  program.compute(0, 12);
  program.on(0, {.kind = ActionKind::win_flush_all});
  const RankTimes origin = times(run(program), 0);
  EXPECT_EQ(origin.end, 15);
  EXPECT_EQ(origin.latency, 0);
  EXPECT_EQ(origin.bandwidth, 3);
}

TEST(Windows, a_get_asks_first_and_an_atomic_goes_both_ways) {
  TwoRanks program;
  program.on(0, {.kind = ActionKind::get, .peer = 1, .receive_bytes = 5});
  program.on(0, {.kind = ActionKind::win_flush, .peer = 1});
  program.on(1, {.kind = ActionKind::compare_and_swap, .peer = 0, .bytes = 8, .receive_bytes = 4});
  program.on(1, {.kind = ActionKind::win_flush_local, .peer = 0});
  const Result result = run(program);
  EXPECT_EQ(times(result, 0).end, 25);
  EXPECT_EQ(times(result, 1).end, 32);
}

TEST(Windows, a_lock_is_asked_for_and_given_unless_unchecked_and_exclusive_ones_do_not_queue) {
  TwoRanks program;
  program.on(0, {.kind = ActionKind::win_lock, .flags = trace::flag_exclusive, .peer = 1});
  program.on(0, put(1));
  program.on(0, {.kind = ActionKind::win_unlock, .peer = 1});
  program.on(1, {.kind = ActionKind::win_lock, .flags = trace::flag_exclusive | trace::flag_no_check, .peer = 1});
  program.on(1, put(1));
  program.on(1, {.kind = ActionKind::win_unlock, .peer = 1});
  const Result result = run(program);
  EXPECT_EQ(times(result, 0).end, 20 + 15);
  EXPECT_EQ(times(result, 1).end, 15);
  ASSERT_EQ(result.not_modelled.size(), 1U);
  EXPECT_EQ(result.not_modelled[0],
            (NotModelled{.what = "exclusive locks do not wait for each other", .calls = 2, .ranks = 2}));
}

TEST(Windows, groups_tell_each_other_of_their_epochs) {
  TwoRanks program;
  program.compute(1, 50);
  program.on(1, {.kind = ActionKind::win_post, .ranks = rank_0});
  program.on(1, {.kind = ActionKind::win_wait});
  program.on(0, {.kind = ActionKind::win_start, .ranks = rank_1});
  program.on(0, put(1));
  program.on(0, {.kind = ActionKind::win_complete});
  const Result result = run(program);
  // The post comes at 60, the put is there at 75, and rank 1 hears of it at 85.
  EXPECT_EQ(times(result, 0).end, 75);
  EXPECT_EQ(times(result, 0).wait, 50);
  EXPECT_EQ(times(result, 0).latency, 20);
  EXPECT_EQ(times(result, 1).end, 85);
  EXPECT_EQ(times(result, 1).wait, 25);
  EXPECT_EQ(times(result, 1).latency, 10);
}

TEST(Windows, an_unchecked_start_does_not_wait_for_its_posts) {
  TwoRanks program;
  program.compute(1, 50);
  program.on(1, {.kind = ActionKind::win_post, .ranks = rank_0});
  program.on(1, {.kind = ActionKind::win_wait});
  program.on(0, {.kind = ActionKind::win_start, .flags = trace::flag_no_check, .ranks = rank_1});
  program.on(0, {.kind = ActionKind::win_complete});
  const Result result = run(program);
  EXPECT_EQ(times(result, 0).end, 0);
  EXPECT_EQ(times(result, 1).end, 50);
}

TEST(Windows, a_requests_transfer_is_over_with_the_request) {
  TwoRanks program;
  Action first = put(1);
  first.request = 0;
  program.on(0, first);
  program.on(0, put(1, 100));
  program.wait(0);
  EXPECT_EQ(times(run(program), 0).end, 15);
}

TEST(Windows, transfers_to_nowhere_take_no_time) {
  TwoRanks program;
  Action nowhere = put(trace::no_rank);
  program.on(0, nowhere);
  nowhere.request = 0;
  program.on(0, nowhere);
  program.wait(0);
  program.on(0, {.kind = ActionKind::win_flush_all});
  EXPECT_EQ(times(run(program), 0).end, 0);
}

TEST(Windows, a_start_that_nobody_posts_for_is_said_to_wait_for_the_post) {
  TwoRanks program;
  program.on(0, {.kind = ActionKind::win_start, .ranks = rank_1});
  program.on(0, {.kind = ActionKind::win_complete});
  try {
    run(program);
    FAIL() << "it ends";
  } catch (const ReplayProblem& problem) {
    EXPECT_THAT(problem.description(), HasSubstr("rank 0, action 0: Win_start waits for rank 1 to post an epoch"));
  }
}

TEST(Windows, a_post_that_nobody_starts_is_said_to_be_left_over) {
  TwoRanks program;
  program.on(1, {.kind = ActionKind::win_post, .ranks = rank_0});
  try {
    run(program);
    FAIL() << "it ends";
  } catch (const ReplayProblem& problem) {
    EXPECT_THAT(problem.description(), HasSubstr("1 epoch that rank 1 posts for rank 0"));
  }
}

TEST(Windows, contradictory_epochs_end_in_an_error_that_names_rank_and_action) {
  const std::vector<std::vector<Action>> programs{
      {{.kind = ActionKind::win_complete}},
      {{.kind = ActionKind::win_wait}},
      {{.kind = ActionKind::win_post, .ranks = rank_0}, {.kind = ActionKind::win_post, .ranks = rank_0}},
      {put(7)},
      {{.kind = ActionKind::win_start, .ranks = std::span<const Rank>()},
       {.kind = ActionKind::win_start, .ranks = std::span<const Rank>()}}};
  for (const std::vector<Action>& actions : programs) {
    TwoRanks program;
    for (const Action& action : actions)
      program.on(1, action);
    try {
      run(program);
      FAIL() << trace::mpi_name(actions.back());
    } catch (const Error& error) {
      EXPECT_EQ(error.failure(), Failure::invalid_input);
      EXPECT_THAT(error.where(), HasSubstr("rank 1, action"));
    }
  }
}

TEST(Files, one_rank_alone_waits_for_latency_and_its_bytes) {
  TwoRanks program;
  program.on(0, {.kind = ActionKind::file_write_at, .bytes = 5});
  program.on(1, {.kind = ActionKind::file_read, .receive_bytes = 6});
  const Result result = run(program);
  EXPECT_EQ(times(result, 0).end, 17);
  EXPECT_EQ(times(result, 0).files, 17);
  EXPECT_EQ(times(result, 1).end, 19);
  EXPECT_EQ(times(result, 1).latency + times(result, 1).bandwidth + times(result, 1).wait, 0);
}

TEST(Files, what_is_begun_alone_is_hidden_by_computation_and_bytes_follow_one_another) {
  TwoRanks program;
  program.on(0, {.kind = ActionKind::file_write_at, .bytes = 5, .request = 0});
  program.on(0, {.kind = ActionKind::file_write_at, .bytes = 5, .request = 1});
  program.compute(0, 12);
  constexpr RequestId two[] = {0, 1};
  program.add(0, {.kind = ActionKind::wait_all, .requests = two});
  const RankTimes writer = times(run(program), 0);
  EXPECT_EQ(writer.end, 27);
  EXPECT_EQ(writer.files, 15);
}

TEST(Files, members_of_a_collective_call_begin_together_and_share_what_the_file_system_takes) {
  TwoRanks program;
  program.compute(0, 30);
  program.on(0, {.kind = ActionKind::file_write_all, .bytes = 4});
  program.on(1, {.kind = ActionKind::file_write_all, .bytes = 20});
  const Result result = run(program);
  // 24 bytes in all at 1 s each; rank 1's own at 2 s each.
  EXPECT_EQ(times(result, 0).end, 30 + 7 + 24);
  EXPECT_EQ(times(result, 1).end, 30 + 7 + 40);
  EXPECT_EQ(times(result, 1).wait, 30);
  EXPECT_EQ(times(result, 1).files, 47);
}

TEST(Files, a_split_collective_overlaps_with_what_is_between_its_halves) {
  TwoRanks program;
  program.both({.kind = ActionKind::file_read_all_begin, .receive_bytes = 10});
  program.compute(0, 20);
  program.both({.kind = ActionKind::file_read_all_end});
  const Result result = run(program);
  EXPECT_EQ(times(result, 0).end, 27);
  EXPECT_EQ(times(result, 0).files, 7);
  EXPECT_EQ(times(result, 1).files, 27);
}

TEST(Files, halves_of_split_collectives_without_the_other_are_counted) {
  TwoRanks program;
  program.both({.kind = ActionKind::file_read_all_end});
  program.both({.kind = ActionKind::file_write_all_begin, .bytes = 5});
  program.both({.kind = ActionKind::file_close});
  const Result result = run(program);
  EXPECT_EQ(times(result, 0).end, 7);
  ASSERT_EQ(result.not_modelled.size(), 2U);
  EXPECT_EQ(result.not_modelled[0].calls, 2U);
  EXPECT_EQ(result.not_modelled[1].ranks, 2U);
}

TEST(Files, opening_takes_the_latency_and_views_cost_a_barrier) {
  TwoRanks program;
  program.both({.kind = ActionKind::file_set_view});
  program.both({.kind = ActionKind::file_preallocate, .bytes = 1000000});
  const RankTimes first = times(run(program), 0);
  EXPECT_EQ(first.latency, 10);
  EXPECT_EQ(first.files, 7);
}

TEST(Files, the_assumed_file_system_is_named) {
  TwoRanks program;
  program.on(0, {.kind = ActionKind::file_write, .bytes = 1000});
  program.finalize();
  const Network machine = flat_machine(2, {unit});
  const Result result = replay(program, machine);
  EXPECT_THAT(result.notes, ElementsAre("the file system is assumed: 100 us, 1 GB/s per process, 10 GB/s in all"));
  EXPECT_DOUBLE_EQ(times(result, 0).files, 101e-6);
  EXPECT_NEAR(shares(result.lanes[0]).files, 100, 1e-9);
}

TEST(FileSystems, are_read_with_their_units) {
  const FileSystem read = parse_file_system("latency=2.5ms,bandwidth=200MB/s,aggregate=none");
  EXPECT_DOUBLE_EQ(read.latency, 2.5e-3);
  EXPECT_DOUBLE_EQ(read.byte_time, 5e-9);
  EXPECT_EQ(read.aggregate_byte_time, 0);
  EXPECT_FALSE(read.assumed);
  EXPECT_EQ(describe(read), "2.5 ms, 200 MB/s per process");
  EXPECT_DOUBLE_EQ(parse_file_system("aggregate=2TB/s").aggregate_byte_time, 5e-13);
  EXPECT_EQ(parse_file_system("aggregate=2TB/s").latency, FileSystem{}.latency);
  for (const char* wrong : {"latency", "latency=", "latency=5", "latency=5GB/s", "bandwidth=1", "bandwidth=0GB/s",
                            "bandwidth=-1GB/s", "size=3", "latency=nans", "latency=1s,,", "aggregate=-"})
    EXPECT_THROW(parse_file_system(wrong), Error) << wrong;
}

// ---- random programs

/// One global order of events in which nobody waits in vain: messages, transfers, epochs and files on several windows
/// and files, completed together in all mixtures.
class Writer {
public:
  explicit Writer(std::uint64_t seed, int events)
      : random_(seed), size_(between(2, 6)), program_(size_, static_cast<std::size_t>(between(1, 40))),
        requests_(static_cast<std::size_t>(size_)) {
    for (int count = 0; count < 2; ++count) {
      windows_.push_back(add_group());
      files_.push_back(add_group());
    }
    for (int event = 0; event < events; ++event)
      happen();
    finish();
  }
  MemorySource take() { return std::move(program_); }

private:
  int between(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
  bool chance(int percent) { return between(1, 100) <= percent; }
  Rank any_rank() { return between(0, size_ - 1); }
  Bytes any_size() {
    return std::array<Bytes, 7>{0, 1, 8, 64, 65, 4097, 100000}[static_cast<std::size_t>(between(0, 6))];
  }
  const std::vector<Rank>& members(CommunicatorId id) { return program_.description().communicators[id].members; }
  template <typename Value>
  const Value& any_of(const std::vector<Value>& all) {
    return all[static_cast<std::size_t>(between(0, static_cast<int>(all.size()) - 1))];
  }

  CommunicatorId add_group() {
    std::vector<Rank> all(static_cast<std::size_t>(size_));
    std::iota(all.begin(), all.end(), 0);
    std::ranges::shuffle(all, random_);
    all.resize(static_cast<std::size_t>(between(1, size_)));
    return program_.add_communicator(all);
  }

  RequestId new_request(Rank rank) {
    auto& open = requests_[static_cast<std::size_t>(rank)];
    RequestId id = 0;
    while (std::ranges::count(open, id) > 0)
      ++id;
    open.push_back(id);
    return id;
  }

  void together(CommunicatorId id, Action action, bool nonblocking = false) {
    std::vector<Rank> order = members(id);
    std::ranges::shuffle(order, random_);
    for (const Rank rank : order) {
      Action mine = action;
      mine.communicator = id;
      if (action.bytes > 0) mine.bytes = any_size();
      if (action.receive_bytes > 0) mine.receive_bytes = any_size();
      if (nonblocking) mine.request = new_request(rank);
      program_.add(rank, mine);
    }
  }

  void message() {
    const Rank from = any_rank();
    const Rank to = any_rank();
    program_.add(from, {.kind = ActionKind::send, .peer = to, .bytes = any_size(), .request = new_request(from)});
    program_.add(to, {.kind = ActionKind::receive, .peer = from, .bytes = 100000, .request = new_request(to)});
  }

  void transfer(CommunicatorId window, Rank origin) {
    constexpr std::array kinds{ActionKind::put,
                               ActionKind::get,
                               ActionKind::accumulate,
                               ActionKind::fetch_and_op,
                               ActionKind::get_accumulate,
                               ActionKind::compare_and_swap};
    Action action{.kind = kinds[static_cast<std::size_t>(between(0, 5))], .communicator = window};
    action.peer = chance(5) ? trace::no_rank : between(0, static_cast<int>(members(window).size()) - 1);
    if (action.kind != ActionKind::get) action.bytes = any_size();
    if (action.kind != ActionKind::put && action.kind != ActionKind::accumulate) action.receive_bytes = any_size();
    if (chance(30)) action.request = new_request(origin);
    program_.add(origin, action);
  }

  void passive(CommunicatorId window, Rank origin) {
    constexpr std::array kinds{ActionKind::win_lock,        ActionKind::win_unlock,          ActionKind::win_lock_all,
                               ActionKind::win_unlock_all,  ActionKind::win_flush,           ActionKind::win_flush_all,
                               ActionKind::win_flush_local, ActionKind::win_flush_local_all, ActionKind::win_sync};
    Action action{.kind = kinds[static_cast<std::size_t>(between(0, 8))], .communicator = window};
    action.peer = between(0, static_cast<int>(members(window).size()) - 1);
    if (chance(20)) action.flags = trace::flag_no_check;
    program_.add(origin, action);
  }

  std::vector<Rank> any_group(CommunicatorId window) {
    std::vector<Rank> group;
    for (Rank member = 0; member < static_cast<Rank>(members(window).size()); ++member)
      if (chance(60)) group.push_back(member);
    std::ranges::shuffle(group, random_);
    return group;
  }

  /// An epoch of some origins to some targets, with other things in between.
  void groups(CommunicatorId window) {
    const std::vector<Rank> origins = any_group(window);
    const std::vector<Rank> targets = any_group(window);
    const auto& all = members(window);
    const auto each = [&](const std::vector<Rank>& group, ActionKind kind, const std::vector<Rank>& others) {
      for (const Rank member : group) {
        if (chance(50)) in_between();
        Action action{.kind = kind, .communicator = window, .ranks = others};
        if (kind == ActionKind::win_start && chance(20)) action.flags = trace::flag_no_check;
        program_.add(all[static_cast<std::size_t>(member)], action);
      }
    };
    each(targets, ActionKind::win_post, origins);
    each(origins, ActionKind::win_start, targets);
    for (const Rank origin : origins)
      if (chance(70)) transfer(window, all[static_cast<std::size_t>(origin)]);
    each(origins, ActionKind::win_complete, {});
    each(targets, chance(50) ? ActionKind::win_wait : ActionKind::win_test, {});
  }

  void access_alone(CommunicatorId file) {
    const Rank rank = any_of(members(file));
    constexpr std::array kinds{ActionKind::file_read,         ActionKind::file_write,       ActionKind::file_read_at,
                               ActionKind::file_write_shared, ActionKind::file_read_shared, ActionKind::file_write_at};
    Action action{.kind = kinds[static_cast<std::size_t>(between(0, 5))], .communicator = file, .bytes = any_size()};
    if (chance(50)) action.request = new_request(rank);
    program_.add(rank, action);
  }

  void access_together(CommunicatorId file) {
    constexpr std::array plain{ActionKind::file_sync,         ActionKind::file_set_size,
                               ActionKind::file_preallocate,  ActionKind::file_set_view,
                               ActionKind::file_open,         ActionKind::file_set_info,
                               ActionKind::file_read_ordered, ActionKind::file_write_ordered};
    constexpr std::array moving{ActionKind::file_read_all, ActionKind::file_write_all, ActionKind::file_read_at_all,
                                ActionKind::file_write_at_all};
    if (chance(40)) {
      const ActionKind kind = plain[static_cast<std::size_t>(between(0, 7))];
      together(file, {.kind = kind, .bytes = chance(50) ? 1U : 0U});
    } else {
      together(file, {.kind = moving[static_cast<std::size_t>(between(0, 3))], .bytes = 1}, chance(50));
    }
  }

  void split(CommunicatorId file) {
    bool& begun = split_[file];
    together(file, begun ? Action{.kind = ActionKind::file_write_all_end}
                         : Action{.kind = ActionKind::file_write_all_begin, .bytes = 1});
    begun = !begun;
  }

  void complete(Rank rank, bool all) {
    auto& open = requests_[static_cast<std::size_t>(rank)];
    std::vector<RequestId> done;
    std::ranges::shuffle(open, random_);
    while (!open.empty() && (all || chance(60))) {
      done.push_back(open.back());
      open.pop_back();
    }
    if (!done.empty())
      program_.add(rank, {.kind = done.size() == 1 ? ActionKind::wait : ActionKind::wait_all, .requests = done});
  }

  /// What concerns no epoch.
  void in_between() {
    const int what = between(1, 4);
    if (what == 1) return program_.compute(any_rank(), static_cast<std::uint64_t>(between(0, 30000)));
    if (what == 2) return message();
    if (what == 3) return complete(any_rank(), false);
    const CommunicatorId window = any_of(windows_);
    transfer(window, any_of(members(window)));
  }

  void happen() {
    const CommunicatorId window = any_of(windows_);
    const CommunicatorId file = any_of(files_);
    const int what = between(1, 100);
    if (what <= 45) return in_between();
    if (what <= 60) return passive(window, any_of(members(window)));
    if (what <= 68) return groups(window);
    if (what <= 76)
      return together(window, {.kind = ActionKind::win_fence,
                               .flags = static_cast<std::uint16_t>(chance(20) ? trace::flag_no_precede : 0)});
    if (what <= 86) return access_alone(file);
    if (what <= 94) return access_together(file);
    split(file);
  }

  void finish() {
    for (const CommunicatorId file : files_) {
      if (split_[file] && chance(70)) split(file);
      together(file, {.kind = ActionKind::file_close});
    }
    for (const CommunicatorId window : windows_)
      together(window, {.kind = ActionKind::win_free});
    for (Rank rank = 0; rank < size_; ++rank)
      complete(rank, true);
    program_.finalize();
  }

  std::mt19937_64 random_;
  Rank size_;
  MemorySource program_;
  std::vector<std::vector<RequestId>> requests_;
  std::vector<CommunicatorId> windows_;
  std::vector<CommunicatorId> files_;
  std::map<CommunicatorId, bool> split_;
};

template <typename Value>
bool same_bits(const Value& left, const Value& right) {
  return std::memcmp(&left, &right, sizeof left) == 0;
}

void compare_with_scalar_replay(std::uint64_t seed, int events) {
  const MemorySource program = Writer(seed, events).take();
  IntegerMachine machine(program.run().size, seed, {seed, seed + 1, seed + 2});
  if (seed % 4 >= 2) machine.add_rarities();
  ReplayOptions options;
  constexpr CollectiveModel models[] = {CollectiveModel::simple, CollectiveModel::mpich, CollectiveModel::schedule};
  options.collectives = models[seed % 3];
  options.overlap = seed % 5 == 0 ? Overlap::bandwidth_first : Overlap::latency_first;
  options.budget = static_cast<std::uint32_t>(1 + seed % 7);
  options.sensitivities = seed % 2 == 0;
  // Halves are as exact as whole numbers.
  options.file_system = {.latency = 700, .byte_time = 2, .aggregate_byte_time = seed % 7 == 0 ? 0 : 0.5};
  const Result result = replay(program, machine, options);
  for (std::size_t lane = 0; lane < 3; ++lane) {
    const auto expected = scalar_replay(program, machine, lane, options);
    for (std::size_t rank = 0; rank < expected.size(); ++rank) {
      const RankTimes& times = result.lanes[lane].ranks[rank];
      ASSERT_TRUE(same_bits<RankTimes>(times, expected[rank]))
          << "seed " << seed << ", lane " << lane << ", rank " << rank << ": ends at " << times.end << ", should at "
          << expected[rank].end << "; wait " << times.wait << ", " << expected[rank].wait << "; latency "
          << times.latency << ", " << expected[rank].latency << "; bandwidth " << times.bandwidth << ", "
          << expected[rank].bandwidth << "; files " << times.files << ", " << expected[rank].files;
      ASSERT_EQ(times.compute + times.memory_copy + times.overhead + times.wait + times.latency + times.bandwidth +
                    times.files,
                times.end);
      if (options.sensitivities) {
        ASSERT_TRUE(same_bits<Sensitivity>(result.lanes[lane].rank_sensitivities[rank], expected[rank].path))
            << "seed " << seed << ", lane " << lane << ", rank " << rank;
      }
    }
  }
}

TEST(WindowsAndFiles, short_random_programs_equal_the_scalar_replay_in_every_counter) {
  for (std::uint64_t seed = 1; seed <= 4000 && !HasFailure(); ++seed)
    compare_with_scalar_replay(seed, 30);
}

TEST(WindowsAndFiles, long_random_programs_equal_the_scalar_replay_in_every_counter) {
  for (std::uint64_t seed = 100000; seed < 100100 && !HasFailure(); ++seed)
    compare_with_scalar_replay(seed, 600);
}

/// Returns lanes with fractions, so that any other order of sums would show.
Network fractional_machine(Rank ranks, std::size_t first, std::size_t lanes) {
  std::vector<HockneyLane> all;
  for (std::size_t lane = first; lane < first + lanes; ++lane) {
    const double odd = static_cast<double>(lane) + 1;
    all.push_back({.name = std::to_string(lane),
                   .between_nodes = {1e-6 * odd / 3, 1e-9 / odd},
                   .within_node = {1e-7 * odd / 7, 1e-10 / odd},
                   .memory_copy_byte_time = 3.1e-11 * odd,
                   .reduction_byte_time = 1.7e-10 / odd,
                   .compute_scale = 1 / odd});
  }
  return hockney_network(all, one_rank_per_node(ranks, 1.0 / 3e9));
}

TEST(WindowsAndFiles, a_lane_has_the_same_bits_in_any_batch_budget_and_instruction_set) {
  for (std::uint64_t seed = 300; seed < 320; ++seed) {
    const MemorySource program = Writer(seed, 200).take();
    const Rank ranks = program.run().size;
    const Network together = fractional_machine(ranks, 0, 21);
    const Result batch = replay(program, together);
    ReplayOptions plain;
    plain.budget = 1;
    plain.instruction_set = InstructionSet::baseline;
    const Result baseline = replay(program, together, plain);
    for (std::size_t lane = 0; lane < 21; ++lane) {
      const Network alone = fractional_machine(ranks, lane, 1);
      const Result single = replay(program, alone);
      for (std::size_t rank = 0; rank < single.lanes[0].ranks.size(); ++rank) {
        ASSERT_TRUE(same_bits(batch.lanes[lane].ranks[rank], single.lanes[0].ranks[rank])) << "seed " << seed;
        ASSERT_TRUE(same_bits(batch.lanes[lane].ranks[rank], baseline.lanes[lane].ranks[rank])) << "seed " << seed;
      }
    }
  }
}

} // namespace
} // namespace timeless::replay::test::windows_and_files_test
