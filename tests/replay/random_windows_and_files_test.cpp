// Random programs of one-sided communication and files, against the scalar replay.
#include "machines.h"
#include "scalar_replay.h"

#include "replay/replay.h"
#include "trace/model/memory_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <random>

namespace timeless::replay::test::random_windows_and_files_test {
namespace {

using trace::Action;
using trace::ActionKind;
using trace::CommunicatorId;
using trace::MemorySource;
using trace::RequestId;

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
      ASSERT_TRUE(same_bits(times, expected[rank]))
          << "seed " << seed << ", lane " << lane << ", rank " << rank << ": ends at " << times.end << ", should at "
          << expected[rank].end << "; wait " << times.wait << ", " << expected[rank].wait << "; latency "
          << times.latency << ", " << expected[rank].latency << "; bandwidth " << times.bandwidth << ", "
          << expected[rank].bandwidth << "; files " << times.files << ", " << expected[rank].files;
      ASSERT_EQ(times.compute + times.memory_copy + times.overhead + times.wait + times.latency + times.bandwidth +
                    times.files,
                times.end);
      if (options.sensitivities) {
        ASSERT_TRUE(same_bits(result.lanes[lane].rank_sensitivities[rank], expected[rank].path))
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
} // namespace timeless::replay::test::random_windows_and_files_test
