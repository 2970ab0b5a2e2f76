#include "trace/model/thread_order.h"

#include <algorithm>

namespace timeless::trace {

namespace {

// Memory is bounded, whatever a trace says. Beyond these, nothing waits for another...
constexpr std::size_t most_threads = 256;
constexpr std::size_t most_points = 16384;
/// ... and what was done before is forgotten.
constexpr std::size_t most_channels = 65536;

} // namespace

void ThreadOrder::add(Known& known, const Known& other) {
  for (const auto& [thread, signals] : other) {
    std::uint64_t& before = known[thread];
    before = std::max(before, signals);
  }
}

void ThreadOrder::follow(const Action& mark) {
  if (mark.kind == ActionKind::thread) {
    present_ = mark.peer;
    return;
  }
  if (threads_.size() >= most_threads && !threads_.contains(present_)) return;
  Known& known = threads_[present_];
  if (mark.kind == ActionKind::thread_signal) {
    ++known[present_];
    if (points_.size() < most_points || points_.contains(mark.peer)) add(points_[mark.peer], known);
  } else if (const auto point = points_.find(mark.peer); point != points_.end()) {
    add(known, point->second);
  }
}

bool ThreadOrder::in_order(Uses& uses) {
  const auto found = threads_.find(present_);
  const auto come_after = [&](const auto& use) {
    const auto& [thread, signals] = use;
    if (thread == present_) return true;
    if (found == threads_.end()) return false;
    const auto known = found->second.find(thread);
    return known != found->second.end() && known->second > signals;
  };
  const bool ordered = std::ranges::all_of(uses, come_after);
  // What it comes after, whatever comes after this comes after, too.
  std::erase_if(uses, come_after);
  std::uint64_t signals = 0;
  if (found != threads_.end())
    if (const auto own = found->second.find(present_); own != found->second.end()) signals = own->second;
  if (uses.size() < most_threads) uses.emplace_back(present_, signals);
  return ordered;
}

bool UnorderedMessages::unordered(bool sent, CommunicatorId communicator, Rank peer, Tag tag) {
  if (peer < 0 || tag == any_tag) return false;
  if (uses_.size() >= most_channels) uses_.clear();
  return !order_.in_order(uses_[{sent, communicator, peer, tag}]);
}

UnorderedMessages::Ends UnorderedMessages::follow(const Action& action) {
  const ActionKind kind = action.kind;
  if (names_threads(kind)) {
    several_ = true;
    order_.follow(action);
  }
  if (!several_) return {};
  Ends ends;
  const auto receives = [&](Rank peer, Tag tag) { return unordered(false, action.communicator, peer, tag); };
  const bool matched = (action.flags & flag_matched) != 0;
  if (sends_message(kind)) ends.send = unordered(true, action.communicator, action.peer, action.tag);
  if (exchanges_messages(kind))
    ends.receive = receives(action.receive_peer, action.receive_tag);
  else if (receives_message(kind) ? !matched : traits(kind).probes ? matched : resolves_receive(kind))
    ends.receive = receives(action.peer, action.tag);
  return ends;
}

} // namespace timeless::trace
