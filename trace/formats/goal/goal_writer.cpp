#include "trace/formats/goal/goal.h"

#include "base/error.h"
#include "trace/formats/common/exported_rank.h"
#include "trace/formats/common/message_tags.h"
#include "trace/formats/common/open_requests.h"
#include "trace/formats/goal/schedule_binary.h"
#include "trace/formats/goal/schedule_text.h"

#include <algorithm>
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

/// Writes schedules as text, as they come.
class TextSink : public Sink {
public:
  TextSink(const std::filesystem::path& path, Rank size, Existing existing) : out_(path, existing) {
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

/// Writes schedules in the binary form, which has a rank's tables one after the other: so a rank is kept until its end.
class BinarySink : public Sink {
public:
  BinarySink(const std::filesystem::path& path, Rank size, Existing existing)
      : out_(path, static_cast<std::uint32_t>(size), existing) {}
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

/// Writes one rank as a schedule. `front_` is what the rank's next operation has to wait for: GOAL has dependencies and
/// no program order.
class GoalRank : public ExportedRank {
public:
  GoalRank(ExportJob& job, Rank rank, const MessageTags& tags, Sink& sink)
      : ExportedRank(job, rank), tags_(tags), sink_(sink) {}

private:
  void say_freed(RequestId request) override { open_.forget(request); }
  void say_collective(const Action& action) override { as_messages(action, action.communicator); }
  void say_creation(const Action& action, CommunicatorId where) override { as_messages(action, where); }

  void say_window(const Action& action) override {
    lowered(action, "a Barrier");
    as_messages({.kind = ActionKind::barrier, .communicator = action.communicator}, action.communicator);
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

  void say_computation(std::uint64_t volume) override {
    const std::uint64_t time = nanoseconds(volume);
    if (time > 0) front_ = {{append({.size = time, .type = OperationType::calculation}, front_)}, {}};
  }

  /// LogGOPSim counts the bytes behind the first one.
  std::uint64_t size_of(Bytes bytes) {
    if (bytes == 0) ++report().lowered["messages of no bytes as messages of one"];
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

  void begin(const Action& action, const Operation& operation) {
    const std::uint32_t made = append(operation, front_);
    if (action.request == no_request) {
      front_ = {{made}, {}};
    } else {
      open_.begin(action.request, {made});
      front_ = {{}, {made}};
    }
  }

  void say_send(const Action& action) override {
    if (action.mode == SendMode::synchronous) lowered(action, "one that need not wait for its receive");
    begin(action, sent(world(action, action.peer), tags_.message(action.communicator, action.tag), action.bytes));
  }

  void say_receive(const Action& action) override {
    begin(action, received(world(action, action.peer), tags_.message(action.communicator, action.tag), action.bytes));
  }

  void say_exchange(const Action& action) override {
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

  void say_completion(const Action& action) override {
    if (action.kind != ActionKind::wait && action.kind != ActionKind::wait_all)
      lowered(action, "wait for what it completed");
    open_.complete(action, [&](std::uint32_t operation) {
      // What has ended has begun.
      front_.ends.push_back(operation);
      std::erase(front_.begins, operation);
    });
  }

  void as_messages(const Action& action, CommunicatorId where) {
    const bool all_at_once = neighbourhood(action.kind);
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
    if (!lower(action, say_step)) return;
    ++calls_[where];
    lowered(action, nonblocking(action) ? "messages beside what follows" : "messages");
    if (!first) return;
    const Front& over = all_at_once ? together : front;
    if (nonblocking(action)) {
      open_.begin(action.request, over.ends);
      front_ = {{}, {*first}};
    } else {
      front_ = over;
    }
  }

  const MessageTags& tags_;
  Sink& sink_;
  Front front_;
  OpenRequests<std::uint32_t> open_;
  std::unordered_map<CommunicatorId, std::uint64_t> calls_; ///< collectives so far
  std::uint32_t next_ = 0;                                  ///< operation
};

template <typename SinkType>
ExportReport write(const Source& source, const std::filesystem::path& output, const ExportOptions& options) {
  ExportJob job(source, options, "a schedule has all");
  require_rate(options);
  const Run& run = source.run();
  const MessageTags tags(source);
  job.report.files.push_back(output);
  const VolumeUnit unit = run.counter.unit;
  if (unit == VolumeUnit::instructions || unit == VolumeUnit::events)
    ++job.report.lowered["all computation as ns, of 1e9 / rate each"];
  SinkType sink(output, run.size, existing(options));
  for (const RankRecord& record : run.ranks) {
    sink.begin(record.rank);
    GoalRank(job, record.rank, tags, sink).say_all();
    sink.end();
  }
  job.report.bytes = sink.finish();
  return std::move(job.report);
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
