#include "trace/formats/goal/ordering.h"

#include "base/error.h"

#include <algorithm>
#include <compare>
#include <deque>
#include <functional>
#include <optional>
#include <queue>
#include <string>
#include <unordered_map>
#include <utility>

namespace timeless::trace::formats::goal {

namespace {

template <typename Value>
using MinimumHeap = std::priority_queue<Value, std::vector<Value>, std::greater<>>;

struct End {
  std::uint32_t rank;
  std::uint32_t operation;
};

/// Who waits for a message: where, from whom (or anything), with which tag (or anything).
struct Channel {
  std::uint32_t destination;
  std::uint32_t source;
  std::uint32_t tag;
  bool operator==(const Channel&) const = default;
};

struct HashChannel {
  std::size_t operator()(const Channel& channel) const {
    std::uint64_t value = (std::uint64_t{channel.destination} << 32U) | channel.source;
    value = (value ^ (std::uint64_t{channel.tag} * 0x9e3779b97f4a7c15U)) * 0xff51afd7ed558ccdU;
    return static_cast<std::size_t>(value ^ (value >> 32U));
  }
};

/// Ends of messages that wait for the other one, by channel, the first to come first.
class Waiting {
public:
  struct Entry {
    std::uint64_t sequence_number;
    End end;
  };

  void add(const Channel& channel, Entry entry) { all_[channel].push_back(entry); }

  /// Returns the first of this channel that is not yet matched.
  template <typename IsMatched>
  std::optional<Entry> first(const Channel& channel, const IsMatched& is_matched) {
    const auto found = all_.find(channel);
    if (found == all_.end()) return std::nullopt;
    std::deque<Entry>& row = found->second;
    while (!row.empty() && is_matched(row.front().end))
      row.pop_front();
    if (!row.empty()) return row.front();
    all_.erase(found);
    return std::nullopt;
  }

private:
  std::unordered_map<Channel, std::deque<Entry>, HashChannel> all_;
};

/// Of what is at the same time, the later one comes after more messages.
struct Moment {
  std::uint64_t nanoseconds = 0;
  std::uint64_t messages = 0;
  auto operator<=>(const Moment&) const = default;
};

struct RankState {
  Moment clock;
  MinimumHeap<std::uint32_t> messages;                         ///< that can begin
  MinimumHeap<std::uint32_t> calculations;                     ///< likewise
  MinimumHeap<std::pair<Moment, std::uint32_t>> ended;         ///< messages
  std::vector<std::uint32_t> needs;                            ///< dependencies that are still open, by operation
  std::vector<std::pair<std::uint32_t, std::uint32_t>> places; ///< of an operation's followers, in:
  std::vector<std::uint32_t> followers;                        ///< those that need its end, then its beginning
  std::vector<std::uint8_t> matched;                           ///< by operation: has its other end
  std::vector<std::uint8_t> over;                              ///< by operation: a message that has ended
  std::optional<Moment> due;                                   ///< of its turn in the queue; others are void

  bool can_go_on() const { return !messages.empty() || !calculations.empty() || !ended.empty(); }
};

/// Runs all schedules at once, in the time described at order(). A rank stands in the queue at most once that counts:
/// RankState::due says which of its entries does, the others are void.
class Simulation {
public:
  Simulation(Schedules& schedules, const std::function<void()>& carried_out)
      : schedules_(schedules), ranks_(schedules.size()), carried_out_(carried_out) {
    result_.operations.resize(schedules.size());
    for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
      prepare(rank);
      wake(rank, {});
    }
  }

  Ordering run() {
    do {
      while (!queue_.empty())
        step();
    } while (let_end_alone(alone_sends_) || let_end_alone_incomplete());
    for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank)
      if (result_.operations[rank].size() != schedules_[rank].operations.size()) refuse(rank);
    return std::move(result_);
  }

private:
  [[noreturn]] void refuse(std::uint32_t rank) const {
    const auto& needs = ranks_[rank].needs;
    const auto stuck = std::ranges::find_if(needs, [](std::uint32_t count) { return count != 0; });
    throw Error(Failure::invalid_input, "dependencies that go in a circle",
                "rank " + std::to_string(rank) + ", operation " + std::to_string(stuck - needs.begin() + 1));
  }

  void prepare(std::uint32_t rank) {
    Schedule& schedule = schedules_[rank];
    RankState& state = ranks_[rank];
    const std::size_t count = schedule.operations.size();
    state.needs.resize(count);
    state.places.resize(count + 1);
    state.matched.resize(count);
    state.over.resize(count);
    state.followers.resize(schedule.dependencies.size());
    for (const Dependency& one : schedule.dependencies) {
      ++state.needs[one.later];
      ++(one.begun ? state.places[one.earlier].second : state.places[one.earlier].first);
    }
    std::uint32_t next = 0;
    for (auto& [ends, begins] : state.places) {
      next += ends;
      ends = next;
      next += begins;
      begins = next;
    }
    for (const Dependency& one : schedule.dependencies)
      state.followers[--(one.begun ? state.places[one.earlier].second : state.places[one.earlier].first)] = one.later;
    for (std::uint32_t operation = 0; operation < count; ++operation) {
      check(rank, operation);
      if (state.needs[operation] == 0) make_ready(rank, operation);
    }
  }

  void check(std::uint32_t rank, std::uint32_t operation) {
    const Operation& one = schedules_[rank].operations[operation];
    if (one.type == OperationType::calculation) return;
    const bool receives = one.type == OperationType::receive;
    if (receives && (one.peer == anything || one.tag == anything)) wildcards_ = true;
    if (one.peer >= ranks_.size() && !(receives && one.peer == anything))
      throw Error(Failure::invalid_input, "a message with a rank that there is not: " + std::to_string(one.peer),
                  "rank " + std::to_string(rank) + ", operation " + std::to_string(operation + 1));
  }

  void make_ready(std::uint32_t rank, std::uint32_t operation) {
    const bool calculates = schedules_[rank].operations[operation].type == OperationType::calculation;
    (calculates ? ranks_[rank].calculations : ranks_[rank].messages).push(operation);
  }

  void wake(std::uint32_t rank, Moment time) {
    RankState& state = ranks_[rank];
    const Moment due = std::max(state.clock, time);
    if (!state.can_go_on() || (state.due && *state.due <= due)) return;
    queue_.push({due, rank});
    state.due = due;
  }

  /// Followers that need the end, or the beginning, of an operation need one thing less.
  void release(std::uint32_t rank, std::uint32_t operation, bool begun) {
    RankState& state = ranks_[rank];
    const auto first = begun ? state.places[operation].second : state.places[operation].first;
    const auto last = begun ? state.places[operation + 1].first : state.places[operation].second;
    for (std::uint32_t i = first; i < last; ++i)
      if (--state.needs[state.followers[i]] == 0) make_ready(rank, state.followers[i]);
  }

  void step() {
    const auto [time, rank] = queue_.top();
    queue_.pop();
    RankState& state = ranks_[rank];
    if (state.due != time) return;
    state.due.reset();
    state.clock = time;
    while (!state.ended.empty() && state.ended.top().first <= state.clock) {
      const std::uint32_t operation = state.ended.top().second;
      state.ended.pop();
      release(rank, operation, false);
    }
    if (!state.messages.empty())
      begin_message(rank);
    else if (!state.calculations.empty())
      calculate(rank);
    const bool can_now = !state.messages.empty() || !state.calculations.empty() || state.ended.empty();
    wake(rank, can_now ? state.clock : state.ended.top().first);
  }

  void carry_out(std::uint32_t rank, std::uint32_t operation) {
    result_.operations[rank].push_back(operation);
    if (carried_out_) carried_out_();
  }

  void calculate(std::uint32_t rank) {
    RankState& state = ranks_[rank];
    const std::uint32_t operation = state.calculations.top();
    state.calculations.pop();
    carry_out(rank, operation);
    constexpr std::uint64_t latest = std::uint64_t{1} << 62U;
    state.clock.nanoseconds = std::min(latest, state.clock.nanoseconds + schedules_[rank].operations[operation].size);
    release(rank, operation, true);
    release(rank, operation, false);
  }

  void end(const End& message, Moment time) {
    RankState& state = ranks_[message.rank];
    if (std::exchange(state.over[message.operation], 1) != 0) return;
    state.ended.push({time, message.operation});
    wake(message.rank, time);
  }

  void begin_message(std::uint32_t rank) {
    RankState& state = ranks_[rank];
    const std::uint32_t operation = state.messages.top();
    state.messages.pop();
    carry_out(rank, operation);
    release(rank, operation, true);
    const End here{rank, operation};
    const bool sends = schedules_[rank].operations[operation].type == OperationType::send;
    const auto there = sends ? receive_of(here) : send_of(here);
    if (!there) {
      (sends ? alone_sends_ : alone_receives_).push_back(here);
      return;
    }
    match(sends ? here : *there, sends ? *there : here);
    const Moment arrival{state.clock.nanoseconds, state.clock.messages + 1};
    end(here, arrival);
    end(*there, arrival);
  }

  void match(const End& send, const End& receive) {
    ranks_[send.rank].matched[send.operation] = 1;
    ranks_[receive.rank].matched[receive.operation] = 1;
    Operation& taken = schedules_[receive.rank].operations[receive.operation];
    taken.peer = send.rank;
    taken.tag = schedules_[send.rank].operations[send.operation].tag;
  }

  bool is_matched(const End& end) const { return ranks_[end.rank].matched[end.operation] != 0; }

  /// Returns the receive that takes this send: the first begun of those that may. Without one the send waits.
  std::optional<End> receive_of(const End& send) {
    const Operation& one = schedules_[send.rank].operations[send.operation];
    const auto done = [&](const End& other) { return is_matched(other); };
    std::optional<Waiting::Entry> first;
    for_each_channel(one.peer, send.rank, one.tag, [&](const Channel& channel) {
      const auto candidate = receives_.first(channel, done);
      if (candidate && (!first || candidate->sequence_number < first->sequence_number)) first = candidate;
    });
    if (first) return first->end;
    const std::uint64_t number = next_number_++;
    for_each_channel(one.peer, send.rank, one.tag, [&](const Channel& channel) {
      sends_.add(channel, {number, send});
    });
    return std::nullopt;
  }

  std::optional<End> send_of(const End& receive) {
    const Operation& one = schedules_[receive.rank].operations[receive.operation];
    const Channel channel{receive.rank, one.peer, one.tag};
    if (const auto found = sends_.first(channel, [&](const End& other) { return is_matched(other); }))
      return found->end;
    receives_.add(channel, {next_number_++, receive});
    return std::nullopt;
  }

  /// Visits the channels of receives that a message of these may go to.
  template <typename Visit>
  void for_each_channel(std::uint32_t destination, std::uint32_t source, std::uint32_t tag, const Visit& visit) const {
    visit(Channel{destination, source, tag});
    if (!wildcards_) return;
    visit(Channel{destination, anything, tag});
    visit(Channel{destination, source, anything});
    visit(Channel{destination, anything, anything});
  }

  bool let_end_alone(std::vector<End>& ends) {
    bool any = false;
    for (const End& one : ends) {
      const RankState& state = ranks_[one.rank];
      any = any || state.over[one.operation] == 0;
      end(one, state.clock);
    }
    ends.clear();
    return any;
  }

  bool let_end_alone_incomplete() {
    if (!let_end_alone(alone_receives_)) return false;
    result_.complete = false;
    return true;
  }

  Schedules& schedules_;
  std::vector<RankState> ranks_;
  MinimumHeap<std::pair<Moment, std::uint32_t>> queue_; ///< ranks that can go on, and when
  Waiting sends_;
  Waiting receives_;
  std::vector<End> alone_sends_; ///< whose receive has not begun when they did
  std::vector<End> alone_receives_;
  std::uint64_t next_number_ = 0;
  bool wildcards_ = false;
  Ordering result_;
  const std::function<void()>& carried_out_;
};

} // namespace

Ordering order(Schedules& schedules, const std::function<void()>& carried_out) {
  return Simulation(schedules, carried_out).run();
}

} // namespace timeless::trace::formats::goal
