#include "analysis/trace/function_parts.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace timeless::analysis {

namespace {

using trace::Action;
using trace::ActionFamily;
using trace::ActionKind;
using trace::RequestUse;

/// Which function makes the calls of a rank, thread by thread, or which part that function is of.
class CallingFunction {
public:
  /// Takes a number by KernelId, and that of what comes before any computation.
  CallingFunction(std::span<const std::uint32_t> of_kernel, std::uint32_t first)
      : of_kernel_(of_kernel), first_(first) {}
  CallingFunction(const CallingFunction&) = delete;
  CallingFunction& operator=(const CallingFunction&) = delete;

  std::uint32_t follow(const Action& action) {
    if (action.kind == ActionKind::thread) here_ = &threads_.try_emplace(action.peer, first_).first->second;
    if (action.kind == ActionKind::compute && action.kernel < of_kernel_.size()) *here_ = of_kernel_[action.kernel];
    return *here_;
  }

private:
  std::span<const std::uint32_t> of_kernel_;
  std::uint32_t first_;
  std::map<trace::Rank, std::uint32_t> threads_ = {{0, first_}};
  std::uint32_t* here_ = &threads_.begin()->second;
};

/// Functions that belong together (union and find).
class Together {
public:
  explicit Together(std::size_t functions) : parent_(functions) {
    std::iota(parent_.begin(), parent_.end(), std::uint32_t{0});
  }

  std::uint32_t root(std::uint32_t function) {
    while (parent_[function] != function)
      function = parent_[function] = parent_[parent_[function]];
    return function;
  }
  void join(std::uint32_t one, std::uint32_t other) {
    const auto [least, most] = std::minmax(root(one), root(other));
    parent_[most] = least;
  }

private:
  std::vector<std::uint32_t> parent_;
};

/// What must lie in one part.
class Ties {
public:
  explicit Ties(std::size_t functions) : together_(functions) {}

  void begin_rank() {
    begun_.clear();
    collectives_made_.clear();
  }

  void add(const Action& action, std::uint32_t function) {
    tie_requests(action, function);
    switch (trace::traits(action.kind).family) {
    case ActionFamily::point_to_point:
      tie_messages(action, function);
      break;
    case ActionFamily::collective:
    case ActionFamily::communicator:
    case ActionFamily::process:
    case ActionFamily::file_collective:
      tie_collective(action, function);
      break;
    case ActionFamily::window:
      if (action.new_communicator != trace::no_communicator) tie(windows_, action.new_communicator, function);
      [[fallthrough]];
    case ActionFamily::one_sided:
    case ActionFamily::epoch:
      tie(windows_, action.communicator, function);
      break;
    default:
      break;
    }
    if (action.kind == ActionKind::resolved) tie_message(action.communicator, action.tag, function);
  }

  Together& finished() {
    // A receive of any tag may get every message of its communicator.
    for (auto& [communicator, tags] : messages_)
      if (const auto any = tags.find(trace::any_tag); any != tags.end())
        for (const auto& [tag, function] : tags)
          together_.join(any->second, function);
    return together_;
  }

private:
  template <typename Key>
  void tie(std::map<Key, std::uint32_t>& first, Key key, std::uint32_t function) {
    together_.join(first.try_emplace(key, function).first->second, function);
  }

  void tie_message(trace::CommunicatorId communicator, trace::Tag tag, std::uint32_t function) {
    tie(messages_[communicator], tag, function);
  }

  void tie_messages(const Action& action, std::uint32_t function) {
    if (action.peer != trace::no_rank) tie_message(action.communicator, action.tag, function);
    if (action.receive_peer != trace::no_rank) tie_message(action.communicator, action.receive_tag, function);
  }

  void tie_requests(const Action& action, std::uint32_t function) {
    const RequestUse use = trace::traits(action.kind).requests;
    if (trace::nonblocking(action)) {
      begun_[action.request] = function;
    } else if (use == RequestUse::completes) {
      for (const trace::RequestId request : action.requests)
        if (const auto begun = begun_.find(request); begun != begun_.end()) {
          together_.join(begun->second, function);
          begun_.erase(begun);
        }
    } else if (const auto begun = begun_.find(action.request); begun != begun_.end()) {
      together_.join(begun->second, function);
    }
  }

  /// Members make the collective calls of a communicator in one order.
  void tie_collective(const Action& action, std::uint32_t function) {
    const auto communicator = trace::creating_communicator(action);
    if (!communicator) return;
    std::vector<std::uint32_t>& sequence = collectives_[*communicator];
    const std::size_t place = collectives_made_[*communicator]++;
    if (place < sequence.size())
      together_.join(sequence[place], function);
    else
      sequence.push_back(function);
  }

  Together together_;
  std::map<trace::RequestId, std::uint32_t> begun_;               ///< of the rank, not completed yet
  std::map<trace::CommunicatorId, std::size_t> collectives_made_; ///< by the rank
  std::map<trace::CommunicatorId, std::vector<std::uint32_t>> collectives_;
  std::map<trace::CommunicatorId, std::map<trace::Tag, std::uint32_t>> messages_;
  std::map<trace::CommunicatorId, std::uint32_t> windows_;
};

} // namespace

FunctionParts function_parts(const trace::Source& source, std::span<const std::uint32_t> function_of_kernel) {
  const std::uint32_t functions = 1 + (function_of_kernel.empty() ? 0 : *std::ranges::max_element(function_of_kernel));
  Ties ties(functions);
  std::vector<bool> met(functions);
  for (const trace::RankRecord& record : source.run().ranks) {
    CallingFunction calling(function_of_kernel, 0);
    ties.begin_rank();
    const auto stream = source.open(record.rank);
    trace::ActionBlock block;
    while (stream->next(block))
      for_each_action(block, [&](const Action& action, std::uint64_t /*volume*/) {
        const std::uint32_t function = calling.follow(action);
        met[function] = true;
        ties.add(action, function);
      });
  }
  Together& together = ties.finished();
  FunctionParts parts;
  std::vector<std::uint32_t> part_of(functions);
  for (std::uint32_t function = 0; function < functions; ++function) {
    if (!met[function]) continue;
    const std::uint32_t root = together.root(function); // the least of them, so that its part is there
    if (root == function) {
      part_of[root] = static_cast<std::uint32_t>(parts.functions.size());
      parts.functions.emplace_back();
    }
    part_of[function] = part_of[root];
    parts.functions[part_of[function]].push_back(function);
  }
  const auto of_kernel = std::make_shared<std::vector<std::uint32_t>>();
  for (const std::uint32_t function : function_of_kernel)
    of_kernel->push_back(part_of[function]);
  parts.division = [of_kernel, first = part_of.front()]() -> PartFollower {
    return [of_kernel, calling = std::make_shared<CallingFunction>(*of_kernel, first)](const Action& action) {
      return calling->follow(action);
    };
  };
  return parts;
}

} // namespace timeless::analysis
