#include "trace/check/rank_check.h"

#include <algorithm>
#include <utility>

namespace timeless::trace::checking {

namespace {

bool has_flag(const Action& action, ActionFlag flag) {
  return (action.flags & flag) != 0;
}

} // namespace

void RankCheck::point_to_point(const Action& action) {
  const bool pending = action.request != no_request;
  if (exchanges_messages(action.kind)) {
    send(action, false);
    return receive(action, action.receive_peer, action.receive_tag, action.receive_bytes, false);
  }
  const bool sends = sends_message(action.kind);
  if (sends || receives_message(action.kind)) {
    if (pending) begin(action);
    return sends ? send(action, pending) : receive(action, action.peer, action.tag, action.bytes, pending);
  }
  if (action.peer == no_rank) return;
  if (has_flag(action, flag_matched)) return matched_probe(action);
  world_rank(action.communicator, action.peer, "probes for");
}

void RankCheck::send(const Action& action, bool pending) {
  if (action.peer == no_rank) return;
  const auto receiver = world_rank(action.communicator, action.peer, "sends to");
  if (!receiver) return;
  const Channel channel{action.communicator, rank(), *receiver, action.tag};
  const std::uint64_t number = shared_.messages.post(channel, Side::send,
                                                     {.action = number_,
                                                      .bytes = action.bytes,
                                                      .state = pending ? HalfState::open : HalfState::done,
                                                      .unordered = unordered_.send});
  if (!pending) return;
  Pending& request = requests_[action.request];
  request.message = true;
  request.side = Side::send;
  request.channel = channel;
  request.number = number;
}

void RankCheck::receive(const Action& action, Rank peer, Tag tag, Bytes bytes, bool pending) {
  if (peer == no_rank) return;
  Rank sender = any_rank;
  if (peer != any_rank) {
    const auto known = world_rank(action.communicator, peer, "receives from");
    if (!known) return;
    sender = *known;
    if (of_matched_probe(action, sender)) return;
  } else if (membership(action.communicator) == nullptr) {
    return;
  }
  HeldReceive posted{.serial = ++serials_,
                     .communicator = action.communicator,
                     .sender = sender,
                     .tag = tag,
                     .half = {.action = number_,
                              .bytes = bytes,
                              .at_most = pending || shared_.receives_name_buffers,
                              .state = pending ? HalfState::open : HalfState::done,
                              .unordered = unordered_.receive},
                     .request = pending ? action.request : no_request};
  if (!pending && !posted.resolved()) {
    complain("a blocking " + mpi_name(action) + " without its source and tag");
    return;
  }
  if (pending) {
    Pending& request = requests_[action.request];
    request.message = true;
    request.side = Side::receive;
    request.held = posted.serial;
  }
  const bool waits = !posted.resolved() || std::ranges::any_of(held_, [&](const HeldReceive& earlier) {
    return earlier.may_share_channel(posted);
  });
  if (waits)
    held_.push_back(posted);
  else
    put(posted);
}

bool RankCheck::HeldReceive::may_share_channel(const HeldReceive& other) const {
  return communicator == other.communicator &&
         (sender == other.sender || sender == any_rank || other.sender == any_rank) &&
         (tag == other.tag || tag == any_tag || other.tag == any_tag);
}

/// Puts a receive into its channel.
void RankCheck::put(const HeldReceive& receive) {
  const Channel channel{receive.communicator, receive.sender, rank(), receive.tag};
  const std::uint64_t number = shared_.messages.post(channel, Side::receive, receive.half);
  if (receive.request == no_request) return;
  const auto pending = requests_.find(receive.request);
  if (pending == requests_.end() || pending->second.held != receive.serial) return;
  pending->second.held = 0;
  pending->second.channel = channel;
  pending->second.number = number;
}

/// Puts those held receives into their channels that no earlier one stands before any more.
void RankCheck::release_held() {
  std::vector<HeldReceive> still;
  for (const HeldReceive& receive : held_) {
    const auto stands_before = [&](const HeldReceive& earlier) { return earlier.may_share_channel(receive); };
    if (receive.resolved() && std::ranges::none_of(still, stands_before))
      put(receive);
    else
      still.push_back(receive);
  }
  held_ = std::move(still);
}

void RankCheck::resolve(const Action& action) {
  const auto pending = requests_.find(action.request);
  const std::string resolves = "resolves request " + std::to_string(action.request);
  if (pending == requests_.end() || pending->second.resolved) {
    complain(resolves + ", which is no receive with a wildcard");
    return;
  }
  pending->second.resolved = true;
  if (action.communicator != pending->second.channel.communicator) {
    complain(resolves + " in " + words(action.communicator) + ", a receive in " +
             words(pending->second.channel.communicator));
    return;
  }
  if (action.peer < 0 || action.tag == any_tag) {
    complain(resolves + " without a source or a tag");
    return;
  }
  if (with_another_world(action)) return;
  const auto sender = world_rank(action.communicator, action.peer, "receives from");
  const auto receive = std::ranges::find(held_, pending->second.held, &HeldReceive::serial);
  if (!sender || receive == held_.end()) return;
  receive->sender = *sender;
  receive->tag = action.tag;
  receive->half.bytes = action.bytes;
  receive->half.at_most = false;
  receive->half.unordered = unordered_.receive;
  release_held();
}

/// A matched probe takes its message out of the channel; the receive that follows takes it from the probe.
void RankCheck::matched_probe(const Action& action) {
  const auto sender = world_rank(action.communicator, action.peer, "probes for");
  if (!sender) return;
  const Channel channel{action.communicator, *sender, rank(), action.tag};
  ++matched_[channel];
  shared_.messages.post(channel, Side::receive,
                        {.action = number_, .bytes = action.bytes, .unordered = unordered_.receive});
}

bool RankCheck::of_matched_probe(const Action& action, Rank sender) {
  if (!has_flag(action, flag_matched)) return false;
  const auto taken = matched_.find({action.communicator, sender, rank(), action.tag});
  if (taken == matched_.end()) return false;
  if (--taken->second == 0) matched_.erase(taken);
  return true;
}

} // namespace timeless::trace::checking
