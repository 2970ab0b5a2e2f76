#include "trace/formats/goal/goal.h"

#include "base/error.h"
#include "base/files/input_file.h"
#include "trace/formats/common/reading.h"
#include "trace/formats/common/undescribed_run.h"
#include "trace/formats/goal/ordering.h"
#include "trace/formats/goal/schedule_binary.h"
#include "trace/formats/goal/schedule_text.h"

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace timeless::trace::formats {

namespace {

using goal::Operation;
using goal::OperationType;

struct Read {
  std::filesystem::path path;
  goal::Schedules schedules;
  goal::Ordering ordering;
  std::vector<std::vector<std::uint8_t>> takes_what_comes; ///< by rank and operation; empty where none does
  Run run;
};

/// What the CPUs of a rank, which are threads of it, tell each other: that an operation has ended, or begun.
class CpuSignals {
public:
  /// Of a schedule with several CPUs only.
  explicit CpuSignals(const goal::Schedule& schedule) : schedule_(schedule) {
    for (const goal::Dependency& one : schedule.dependencies)
      followers_.emplace_back(one.earlier, one.later, one.begun);
    std::ranges::sort(followers_);
  }

  /// Returns the number by which a CPU tells the others that these have ended (or begun); nothing where no other needs
  /// them. No other number of that CPU is awaited by those that it is for, so it is free again when all have.
  std::optional<Rank> tell(std::uint8_t cpu, std::span<const std::uint32_t> operations, bool begun) {
    std::size_t others = 0;
    for (const std::uint32_t operation : operations)
      for_each_follower(operation, begun, [&](std::uint32_t later) { others += cpu_of(later) != cpu ? 1U : 0U; });
    if (others == 0) return std::nullopt;
    std::vector<Rank>& free = free_[cpu];
    if (free.empty()) {
      free.push_back(static_cast<Rank>(left_.size()));
      left_.emplace_back();
    }
    const Rank number = free.back();
    free.pop_back();
    left_[static_cast<std::size_t>(number)] = others;
    for (const std::uint32_t operation : operations)
      told_[{operation, begun}] = {number, cpu};
    return number;
  }

  /// Returns what a CPU has to await before it goes on from this one's end (or beginning).
  std::optional<Rank> await(std::uint8_t cpu, std::uint32_t operation, bool begun) {
    const auto found = told_.find({operation, begun});
    if (found == told_.end() || found->second.cpu == cpu) return std::nullopt;
    const AnnouncedNumber told = found->second;
    if (--left_[static_cast<std::size_t>(told.number)] == 0) free_[told.cpu].push_back(told.number);
    return told.number;
  }

private:
  struct AnnouncedNumber {
    Rank number = 0;
    std::uint8_t cpu = 0;
  };

  std::uint8_t cpu_of(std::uint32_t operation) const { return schedule_.operations[operation].cpu; }

  template <typename Visit>
  void for_each_follower(std::uint32_t operation, bool begun, Visit&& visit) const {
    for (auto one = std::ranges::lower_bound(followers_, std::tuple(operation, 0U, false));
         one != followers_.end() && std::get<0>(*one) == operation; ++one)
      if (std::get<2>(*one) == begun) visit(std::get<1>(*one));
  }

  const goal::Schedule& schedule_;
  std::vector<std::tuple<std::uint32_t, std::uint32_t, bool>> followers_; ///< of an operation: which, and what of it
  std::map<std::pair<std::uint32_t, bool>, AnnouncedNumber> told_;
  std::vector<std::size_t> left_; ///< by number: who has not awaited it
  std::map<std::uint8_t, std::vector<Rank>> free_;
};

bool has_several_cpus(const goal::Schedule& schedule) {
  return std::ranges::any_of(schedule.operations, [](const Operation& one) { return one.cpu != 0; });
}

/// A rank's operations in their order, as actions; each CPU is a thread. A message waits to be said until it is known
/// whether the next operation waits for it alone: then it is a blocking one.
class Actions {
public:
  Actions(const Read& read, std::size_t rank)
      : schedule_(read.schedules[rank]), order_(read.ordering.operations[rank]), wild_(read.takes_what_comes[rank]),
        request_(schedule_.operations.size(), no_request) {
    if (has_several_cpus(schedule_)) signals_.emplace(schedule_);
  }

  /// Appends what the next operation says, or the end; false behind that.
  bool next(ActionBlock& block) {
    if (ended_) return false;
    block_ = &block;
    if (position_ == order_.size()) {
      finish();
      return true;
    }
    const std::uint32_t number = order_[position_++];
    const Operation& one = schedule_.operations[number];
    turn_to(one.cpu);
    wait_for_what_it_needs(number);
    if (one.type != OperationType::calculation) {
      say_held(false);
      held_ = number;
    } else if (one.size > 0) {
      say_held(false);
      block.append_compute(0, one.size);
    }
    if (signals_ && one.type == OperationType::calculation) {
      say_held(false);
      tell(std::span(&number, 1), false);
      tell(std::span(&number, 1), true);
    }
    return true;
  }

private:
  void turn_to(std::uint8_t cpu) {
    if (cpu == cpu_) return;
    say_held(false);
    cpu_ = cpu;
    block_->append({.kind = ActionKind::thread, .peer = cpu});
  }

  void tell(std::span<const std::uint32_t> operations, bool begun) {
    if (!signals_) return;
    if (const auto number = signals_->tell(cpu_, operations, begun))
      block_->append({.kind = ActionKind::thread_signal, .peer = *number});
  }

  void await_others(std::span<const goal::Dependency> needed) {
    awaited_.clear();
    for (const goal::Dependency& one : needed)
      if (const auto number = signals_->await(cpu_, one.earlier, one.begun)) awaited_.push_back(*number);
    std::ranges::sort(awaited_);
    const auto doubled = std::ranges::unique(awaited_);
    awaited_.erase(doubled.begin(), doubled.end());
    if (!awaited_.empty()) say_held(false);
    for (const Rank number : awaited_)
      block_->append({.kind = ActionKind::thread_await, .peer = number});
  }

  void wait_for_what_it_needs(std::uint32_t number) {
    const auto needed = std::ranges::equal_range(schedule_.dependencies, number, {}, &goal::Dependency::later);
    waited_.clear();
    if (signals_) await_others({needed.begin(), needed.end()});
    bool held = false;
    for (const goal::Dependency& one : needed) {
      if (one.begun) continue;
      if (one.earlier == held_)
        held = true;
      else if (request_[one.earlier] != no_request)
        take(one.earlier);
    }
    if (held && waited_.empty()) return say_held(true);
    if (held) {
      const std::uint32_t last = *held_;
      say_held(false);
      take(last);
    }
    complete();
  }

  void take(std::uint32_t operation) {
    waited_.push_back(std::exchange(request_[operation], no_request));
    ended_now_.push_back(operation);
    --open_;
  }

  void complete() {
    if (waited_.empty()) return;
    say_held(false);
    block_->append(
        {.kind = waited_.size() == 1 ? ActionKind::wait : ActionKind::wait_all, .requests = std::span(waited_)});
    // For this CPU: a number that another one's request had would come after that.
    std::vector<RequestId>& free = free_[cpu_];
    free.insert(free.end(), waited_.begin(), waited_.end());
    waited_.clear();
    tell(std::exchange(ended_now_, {}), false);
  }

  void say_held(bool blocking) {
    if (!held_) return;
    const std::uint32_t number = *std::exchange(held_, std::nullopt);
    const Operation& one = schedule_.operations[number];
    Action action{.kind = one.type == OperationType::send ? ActionKind::send : ActionKind::receive,
                  .peer = one.peer == goal::anything ? any_rank : static_cast<Rank>(one.peer),
                  .tag = tag_of(one.tag),
                  .bytes = one.size};
    if (!wild_.empty() && wild_[number] != 0) action.flags = flag_wildcard;
    if (!blocking) {
      action.request = free_request();
      request_[number] = action.request;
      ++open_;
    }
    block_->append(action);
    tell(std::span(&number, 1), true);
    if (blocking) tell(std::span(&number, 1), false);
  }

  /// Our tags are not negative: the upper half of GOAL's fall onto the lower.
  static Tag tag_of(std::uint32_t tag) { return static_cast<Tag>(tag & 0x7fffffffU); }

  RequestId free_request() {
    std::vector<RequestId>& free = free_[cpu_];
    if (free.empty()) return next_request_++;
    const RequestId id = free.back();
    free.pop_back();
    return id;
  }

  /// A rank ends when all it has begun has ended.
  void finish() {
    say_held(open_ == 0);
    turn_to(0);
    for (std::uint32_t number = 0; open_ > 0 && number < request_.size(); ++number)
      if (request_[number] != no_request) take(number);
    complete();
    block_->append({.kind = ActionKind::finalize});
    ended_ = true;
  }

  const goal::Schedule& schedule_;
  const std::vector<std::uint32_t>& order_;
  const std::vector<std::uint8_t>& wild_;
  ActionBlock* block_ = nullptr;
  std::vector<RequestId> request_;                      ///< by operation, of those begun and not waited for
  std::map<std::uint8_t, std::vector<RequestId>> free_; ///< by CPU
  std::vector<RequestId> waited_;
  std::vector<std::uint32_t> ended_now_; ///< operations of waited_
  std::optional<CpuSignals> signals_;    ///< where there are several CPUs
  std::vector<Rank> awaited_;
  std::uint8_t cpu_ = 0;
  std::optional<std::uint32_t> held_;
  std::size_t position_ = 0;
  std::size_t open_ = 0;
  RequestId next_request_ = 0;
  bool ended_ = false;
};

/// One rank's schedule as actions.
class GoalStream : public RankStream {
public:
  GoalStream(const Read& read, Rank rank) : actions_(read, static_cast<std::size_t>(rank)) {}

  bool next(ActionBlock& block) override {
    constexpr std::size_t most = 4096;
    block.clear();
    while (block.size() < most && actions_.next(block)) {
    }
    return !block.empty();
  }

private:
  Actions actions_;
};

/// A file of schedules, which stands in memory as a whole.
class GoalRun : public ImportedRun {
public:
  explicit GoalRun(Read read) : read_(std::move(read)) {}

  const Run& run() const override { return read_.run; }
  std::unique_ptr<RankStream> open(Rank rank) const override {
    if (read_.run.find(rank) == nullptr)
      throw Error(Failure::invalid_input, "no such rank", "rank " + std::to_string(rank));
    return std::make_unique<GoalStream>(read_, rank);
  }
  std::vector<std::filesystem::path> files() const override { return {read_.path}; }

private:
  Read read_;
};

std::vector<std::uint8_t> what_comes(const goal::Schedule& schedule) {
  std::vector<std::uint8_t> wild;
  for (std::size_t i = 0; i < schedule.operations.size(); ++i) {
    const Operation& one = schedule.operations[i];
    if (one.type != OperationType::receive || (one.peer != goal::anything && one.tag != goal::anything)) continue;
    wild.resize(schedule.operations.size());
    wild[i] = 1;
  }
  return wild;
}

void describe(Read& read) {
  read.run =
      undescribed_run(static_cast<Rank>(read.schedules.size()), read.path, "GOAL", VolumeUnit::nanoseconds, "GOAL");
  for (RankRecord& rank : read.run.ranks)
    rank.ending = Ending::finalized;
}

void add_notes(Read& read, std::size_t rank) {
  RankRecord& record = read.run.ranks[rank];
  std::uint8_t nic = 0;
  for (const Operation& one : read.schedules[rank].operations)
    nic = std::max(nic, one.nic);
  if (nic > 0) record.notes.emplace_back("its network interfaces are one");
  if (!read.takes_what_comes[rank].empty())
    record.notes.emplace_back("receives from any source have that of an order in which messages take no time");
  if (!read.ordering.complete) record.notes.emplace_back("some receives of the schedule have no send");
}

std::uint64_t count_actions(const Read& read, Rank rank) {
  GoalStream stream(read, rank);
  ActionBlock block;
  std::uint64_t actions = 0;
  while (stream.next(block))
    actions += block.size();
  return actions;
}

std::uint64_t operations_of(const goal::Schedules& schedules) {
  std::uint64_t operations = 0;
  for (const goal::Schedule& one : schedules)
    operations += one.operations.size();
  return operations;
}

std::string beginning_of(const std::filesystem::path& path) {
  constexpr std::size_t enough = 16;
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    throw Error(Failure::invalid_input, "a directory", path.string(), "name one file: GOAL has all ranks in one");
  const std::string beginning = InputFile(path).read(0, enough);
  if (beginning.empty())
    throw Error(Failure::invalid_input, "the file is empty", path.string(), "was it written to its end?");
  return beginning;
}

} // namespace

bool looks_like_goal(std::string_view beginning) {
  if (goal::begins_binary(beginning)) return true;
  const std::string_view words = beginning.substr(std::min(beginning.find_first_not_of(" \t\r\n"), beginning.size()));
  return words.starts_with("num_ranks ") || words.starts_with("rank ");
}

std::unique_ptr<ImportedRun> open_goal(const std::filesystem::path& path, const ImportOptions& options) {
  Read read{.path = path, .schedules = {}, .ordering = {}, .takes_what_comes = {}, .run = {}};
  const bool binary = goal::begins_binary(beginning_of(path));
  Reading reading(options.progress);
  reading.expect({path}, 3); // to read it, to put it in order, to count it
  read.schedules = binary ? goal::read_binary(path, reading) : goal::read_text(path, reading);
  const std::uint64_t bytes_each = InputFile(path).size() / std::max<std::uint64_t>(operations_of(read.schedules), 1);
  for (const goal::Schedule& schedule : read.schedules)
    read.takes_what_comes.push_back(what_comes(schedule));
  read.ordering = goal::order(read.schedules, [&] { reading.add(bytes_each); });
  for (goal::Schedule& schedule : read.schedules)
    std::ranges::sort(schedule.dependencies);
  describe(read);
  for (std::size_t rank = 0; rank < read.schedules.size(); ++rank) {
    add_notes(read, rank);
    read.run.ranks[rank].actions = count_actions(read, static_cast<Rank>(rank));
    reading.add(bytes_each * read.schedules[rank].operations.size());
  }
  return std::make_unique<GoalRun>(std::move(read));
}

} // namespace timeless::trace::formats
