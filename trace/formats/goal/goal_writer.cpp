#include "trace/formats/goal/goal.h"

#include "trace/error.h"
#include "trace/formats/amendments.h"
#include "trace/formats/goal/schedule_binary.h"
#include "trace/formats/goal/schedule_text.h"
#include "trace/formats/message_tags.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

namespace timeless::trace::formats {

namespace {

using goal::Dependency;
using goal::Operation;
using goal::OperationType;

/// Where a rank's schedule goes.
class Sink {
public:
  virtual ~Sink() = default;
  virtual void begin(Rank rank) = 0;
  virtual void operation(std::uint32_t number, const Operation& operation) = 0;
  virtual void dependency(const Dependency& dependency) = 0;
  virtual void end() = 0;
  virtual std::uint64_t finish() = 0;
};

class TextSink : public Sink {
public:
  TextSink(const std::filesystem::path& path, Rank size) : out_(path) {
    out_.line("num_ranks " + std::to_string(size));
  }
  void begin(Rank rank) override {
    out_.line("");
    out_.line("rank " + std::to_string(rank) + " {");
  }
  void operation(std::uint32_t number, const Operation& operation) override {
    goal::write_operation(out_, number, operation);
  }
  void dependency(const Dependency& dependency) override { goal::write_dependency(out_, dependency); }
  void end() override { out_.line("}"); }
  std::uint64_t finish() override { return out_.finish(); }

private:
  TextOutput out_;
};

class BinarySink : public Sink {
public:
  BinarySink(const std::filesystem::path& path, Rank size) : out_(path, static_cast<std::uint32_t>(size)) {}
  void begin(Rank) override {
    schedule_.operations.clear();
    schedule_.dependencies.clear();
  }
  void operation(std::uint32_t, const Operation& operation) override { schedule_.operations.push_back(operation); }
  void dependency(const Dependency& dependency) override { schedule_.dependencies.push_back(dependency); }
  void end() override { out_.write(schedule_); }
  std::uint64_t finish() override { return out_.finish(); }

private:
  goal::BinaryWriter out_;
  goal::Schedule schedule_;
};

/// What the next operation has to wait for: the ends of some operations, the beginnings of others.
struct Front {
  std::vector<std::uint32_t> ends;
  std::vector<std::uint32_t> begins;
};

class RankWriter {
public:
  RankWriter(const Source& source, Rank rank, const MessageTags& tags, const ExportOptions& options, Sink& sink,
             ExportReport& report)
      : run_(source.run()), rank_(rank), tags_(tags), options_(options), sink_(sink), report_(report),
        amendments_(amendments_of(source, rank)) {}

  void say(const Action& action, std::uint64_t volume) {
    if (!has_volume(action.kind)) last_computation_ = 0;
    carry_out(action, volume);
    ++number_;
    ++report_.actions;
  }

private:
  void lowered(const Action& action, const char* how) { ++report_.lowered[mpi_name(action) + " as " + how]; }
  void lost(const Action& action) { ++report_.lost[mpi_name(action)]; }

  std::string here() const { return "rank " + std::to_string(rank_) + ", action " + std::to_string(number_); }

  void carry_out(const Action& action, std::uint64_t volume) {
    switch (family(action.kind)) {
    case ActionFamily::computation:
      return compute(action, volume);
    case ActionFamily::point_to_point:
      return message(action);
    case ActionFamily::completion:
      return complete(action);
    case ActionFamily::request:
      if (action.kind == ActionKind::request_free) open_.erase(action.request);
      return;
    case ActionFamily::collective:
      return as_messages(action, action.communicator);
    case ActionFamily::communicator:
      return creation(action);
    case ActionFamily::window:
      return window(action);
    case ActionFamily::lifecycle:
      return;
    default:
      return lost(action);
    }
  }

  /// Appends an operation behind a front.
  std::uint32_t append(const Operation& operation, const Front& front) {
    if (next_ == goal::anything)
      throw Error(Failure::missing_capability, "a rank of more than 2^32 operations: GOAL counts no further", here());
    const std::uint32_t number = next_++;
    sink_.operation(number, operation);
    for (const std::uint32_t earlier : front.ends)
      sink_.dependency({number, earlier, false});
    for (const std::uint32_t earlier : front.begins)
      sink_.dependency({number, earlier, true});
    return number;
  }

  /// The calling thread waits for its workers: a burst takes as long as the longest of them.
  void compute(const Action& action, std::uint64_t volume) {
    if (action.kind == ActionKind::workers_sum) return;
    std::uint64_t more = volume;
    if (action.kind == ActionKind::workers_maximum) {
      lowered(action, "more computation of its rank");
      more = volume > last_computation_ ? volume - last_computation_ : 0;
    } else {
      last_computation_ = volume;
    }
    const bool is_time = run_.counter.unit == VolumeUnit::nanoseconds;
    // What rounding takes from one burst the next one gets.
    const double time = static_cast<double>(more) * (is_time ? 1 : 1e9 / options_.rate) + carried_;
    if (!(time < 0x1p60))
      throw Error(Failure::missing_capability, "a computation of more than 2^60 ns", here(), "give a higher --rate");
    const double whole = std::floor(time);
    carried_ = time - whole;
    if (whole < 1) return;
    front_ = {{append({.size = static_cast<std::uint64_t>(whole), .type = OperationType::calculation}, front_)}, {}};
  }

  Rank world(const Action& action, Rank peer) const {
    const Communicator& communicator = run_.communicators.at(action.communicator);
    const bool inter = !communicator.remote_members.empty();
    const bool in_first = !inter || std::ranges::find(communicator.members, rank_) != communicator.members.end();
    const auto& peers = inter && in_first ? communicator.remote_members : communicator.members;
    if (peer < 0 || static_cast<std::size_t>(peer) >= peers.size())
      throw Error(Failure::invalid_input, "a " + mpi_name(action) + " with a rank that its communicator does not have",
                  here());
    const Rank there = peers[static_cast<std::size_t>(peer)];
    if (there == foreign_rank)
      throw Error(Failure::missing_capability, "messages to processes of another MPI_COMM_WORLD", here());
    return there;
  }

  /// LogGOPSim counts the bytes behind the first one.
  std::uint64_t size_of(Bytes bytes) {
    if (bytes == 0) ++report_.lowered["messages of no bytes as messages of one"];
    return std::max<Bytes>(bytes, 1);
  }

  Operation sent(Rank to, Tag tag, Bytes bytes) {
    return {.size = size_of(bytes),
            .peer = static_cast<std::uint32_t>(to),
            .tag = static_cast<std::uint32_t>(tag),
            .type = OperationType::send};
  }
  Operation received(Rank from, Tag tag, Bytes bytes) {
    return {.size = size_of(bytes),
            .peer = static_cast<std::uint32_t>(from),
            .tag = static_cast<std::uint32_t>(tag),
            .type = OperationType::receive};
  }

  void message(const Action& action) {
    switch (action.kind) {
    case ActionKind::send:
      return send(action);
    case ActionKind::receive:
      return receive(action);
    case ActionKind::exchange:
    case ActionKind::exchange_replace:
      return exchange(action);
    default:
      return lost(action);
    }
  }

  const Amendment* amendment() const {
    const auto found = amendments_.find(number_);
    return found == amendments_.end() ? nullptr : &found->second;
  }

  void begin(const Action& action, const Operation& operation) {
    const std::uint32_t made = append(operation, front_);
    if (action.request == no_request) {
      front_ = {{made}, {}};
    } else {
      open_[action.request] = {made};
      front_ = {{}, {made}};
    }
  }

  void send(const Action& action) {
    if (action.peer == no_rank) return;
    const Amendment* const later = amendment();
    if (later != nullptr && later->cancelled) return;
    if (action.mode == SendMode::synchronous) lowered(action, "one that need not wait for its receive");
    begin(action, sent(world(action, action.peer), tags_.message(action.communicator, action.tag), action.bytes));
  }

  void receive(Action action) {
    if (action.peer == no_rank) return;
    if (const Amendment* const later = amendment()) {
      if (later->cancelled) return;
      action.peer = later->peer;
      action.tag = later->tag;
      action.bytes = std::max(action.bytes, later->bytes);
    }
    if (action.peer == any_rank || action.tag == any_tag)
      throw Error(Failure::missing_capability, "a receive of which the trace does not say what it received", here());
    begin(action, received(world(action, action.peer), tags_.message(action.communicator, action.tag), action.bytes));
  }

  void exchange(const Action& action) {
    Front after;
    if (action.receive_peer != no_rank)
      after.ends.push_back(
          append(received(world(action, action.receive_peer), tags_.message(action.communicator, action.receive_tag),
                          action.receive_bytes),
                 front_));
    if (action.peer != no_rank)
      after.ends.push_back(append(
          sent(world(action, action.peer), tags_.message(action.communicator, action.tag), action.bytes), front_));
    if (!after.ends.empty()) front_ = std::move(after);
  }

  void complete(const Action& action) {
    if (action.kind != ActionKind::wait && action.kind != ActionKind::wait_all)
      lowered(action, "wait for what it completed");
    for (const RequestId request : action.requests) {
      const auto found = open_.find(request);
      if (found == open_.end()) continue;
      // What has ended has begun.
      for (const std::uint32_t operation : found->second) {
        front_.ends.push_back(operation);
        std::erase(front_.begins, operation);
      }
      open_.erase(found);
    }
  }

  static bool of_neighbours(ActionKind kind) {
    return kind >= ActionKind::neighbor_allgather && kind <= ActionKind::neighbor_alltoallw;
  }

  void as_messages(const Action& action, CommunicatorId where) {
    const bool all_at_once = of_neighbours(action.kind);
    const Front before = front_;
    Front front = front_;
    Front together;
    std::optional<std::uint32_t> first;
    const auto say_step = [&](const LoweredStep& step) {
      const Tag tag = tags_.collective(where, calls_.contains(where) ? calls_.at(where) : 0);
      Front after;
      if (step.from != no_rank)
        after.ends.push_back(append(received(step.from, tag, step.receive_bytes), all_at_once ? before : front));
      if (step.to != no_rank)
        after.ends.push_back(append(sent(step.to, tag, step.bytes), all_at_once ? before : front));
      if (after.ends.empty()) return;
      if (!first) first = after.ends.front();
      together.ends.insert(together.ends.end(), after.ends.begin(), after.ends.end());
      front = std::move(after);
    };
    if (!options_.lower || !options_.lower(run_, rank_, action, say_step)) return lost(action);
    if (where != no_communicator) ++calls_[where];
    lowered(action, nonblocking(action) ? "messages beside what follows" : "messages");
    if (!first) return;
    const Front& over = all_at_once ? together : front;
    if (nonblocking(action)) {
      open_[action.request] = over.ends;
      front_ = {{}, {*first}};
    } else {
      front_ = over;
    }
  }

  void creation(const Action& action) {
    if (action.kind == ActionKind::comm_free || action.kind == ActionKind::comm_disconnect) return lost(action);
    const bool by_new_members =
        action.kind == ActionKind::comm_create_group || action.kind == ActionKind::intercomm_create;
    if (by_new_members && action.new_communicator == no_communicator) return;
    as_messages(action, by_new_members ? action.new_communicator : action.communicator);
  }

  void window(const Action& action) {
    ++report_.lowered[mpi_name(action) + " as a Barrier"];
    as_messages({.kind = ActionKind::barrier, .communicator = action.communicator}, action.communicator);
  }

  const Run& run_;
  Rank rank_;
  const MessageTags& tags_;
  const ExportOptions& options_;
  Sink& sink_;
  ExportReport& report_;
  Amendments amendments_;
  Front front_;
  std::unordered_map<RequestId, std::vector<std::uint32_t>> open_;
  std::unordered_map<CommunicatorId, std::uint64_t> calls_; ///< collectives so far
  std::uint64_t number_ = 0;                                ///< of the action
  std::uint32_t next_ = 0;                                  ///< operation
  std::uint64_t last_computation_ = 0;
  double carried_ = 0; ///< nanoseconds
};

void check(const Source& source, const std::filesystem::path& output, const ExportOptions& options) {
  const Run& run = source.run();
  if (!run.missing_ranks().empty())
    throw Error(Failure::invalid_input, "ranks are missing: a schedule has all", {}, "gather the files of all ranks");
  if (!(options.rate > 0) || !std::isfinite(options.rate))
    throw Error(Failure::usage, "no rate of computation above zero", "--rate");
  std::error_code ignored;
  if (!options.force && std::filesystem::exists(output, ignored))
    throw Error(Failure::usage, "the output exists", output.string(), "name another one, or give --force");
}

template <typename SinkType>
ExportReport write(const Source& source, const std::filesystem::path& output, const ExportOptions& options) {
  check(source, output, options);
  const Run& run = source.run();
  const MessageTags tags(source);
  ExportReport report;
  report.files.push_back(output);
  std::uint64_t total = 0;
  for (const RankRecord& record : run.ranks)
    total += record.actions;
  const VolumeUnit unit = run.counter.unit;
  if (unit == VolumeUnit::instructions || unit == VolumeUnit::events)
    ++report.lowered["all computation as ns, of 1e9 / rate each"];
  SinkType sink(output, run.size);
  for (const RankRecord& record : run.ranks) {
    sink.begin(record.rank);
    RankWriter writer(source, record.rank, tags, options, sink, report);
    ActionBlock block;
    for (const auto stream = source.open(record.rank); stream->next(block);) {
      for_each_action(block, [&](const Action& action, std::uint64_t volume) { writer.say(action, volume); });
      if (options.progress) options.progress(report.actions, total);
    }
    sink.end();
  }
  report.bytes = sink.finish();
  return report;
}

} // namespace

ExportReport write_goal(const Source& source, const std::filesystem::path& output, const ExportOptions& options) {
  return write<TextSink>(source, output, options);
}

ExportReport write_goal_binary(const Source& source, const std::filesystem::path& output,
                               const ExportOptions& options) {
  return write<BinarySink>(source, output, options);
}

} // namespace timeless::trace::formats
