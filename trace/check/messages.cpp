#include "trace/check/messages.h"

#include <algorithm>
#include <iterator>

namespace timeless::trace::checking {

namespace {

/// Halves of a channel that may wait for one of their size: that their order is not known may be learnt later.
constexpr std::size_t most_out_of_turn = 1024;

} // namespace

std::size_t ChannelHash::operator()(const Channel& channel) const {
  const auto word = [](auto high, auto low) {
    return std::uint64_t{static_cast<std::uint32_t>(high)} << 32U | static_cast<std::uint32_t>(low);
  };
  std::uint64_t hash = word(channel.sender, channel.receiver) * 0x9e3779b97f4a7c15U;
  hash ^= (word(channel.communicator, channel.tag) + (hash >> 29U)) * 0xbf58476d1ce4e5b9U;
  return hash ^ (hash >> 32U);
}

Messages::Messages(Rank ranks, CheckReport& report, Findings& findings)
    : report_(report), findings_(findings), waiting_(static_cast<std::size_t>(ranks)),
      gone_(static_cast<std::size_t>(ranks)) {}

std::uint64_t Messages::post(const Channel& channel, Side side, const Half& half) {
  if (channels_.size() >= clean_at_) forget_empty_channels();
  Entry& entry = *channels_.try_emplace(channel).first;
  Queue& queue = side == Side::send ? entry.second.sends : entry.second.receives;
  queue.push(half);
  entry.second.unordered = entry.second.unordered || half.unordered;
  ++waiting_[static_cast<std::size_t>(side == Side::send ? channel.sender : channel.receiver)];
  const std::uint64_t number = queue.end_number() - 1;
  meet(entry, false);
  return number;
}

void Messages::settle(const Channel& channel, Side side, std::uint64_t number, HalfState state) {
  const auto found = channels_.find(channel);
  if (found == channels_.end()) return;
  Queue& queue = side == Side::send ? found->second.sends : found->second.receives;
  Half* const half = queue.find(number);
  if (half == nullptr) return;
  half->state = state;
  meet(*found, false);
}

void Messages::Queue::pop() {
  ++head_;
  ++popped_;
  if (head_ == halves_.size()) {
    halves_.clear();
    head_ = 0;
  } else if (head_ >= 64 && 2 * head_ >= halves_.size()) {
    halves_.erase(halves_.begin(), halves_.begin() + static_cast<std::ptrdiff_t>(head_));
    head_ = 0;
  }
}

void Messages::pop(Queue& queue, Rank rank) {
  queue.pop();
  --waiting_[static_cast<std::size_t>(rank)];
}

void Messages::drop_ended(Queue& queue, Rank rank) {
  while (!queue.empty() && (queue.front().state == HalfState::cancelled || queue.front().state == HalfState::met))
    pop(queue, rank);
}

void Messages::take(const Half& send) {
  ++report_.messages;
  report_.message_bytes += send.bytes;
}

bool Messages::fit(const Half& send, const Half& receive) {
  return send.bytes == receive.bytes || (receive.at_most && send.bytes < receive.bytes);
}

void Messages::compare(const Channel& channel, const Half& send, const Half& receive) {
  take(send);
  if (fit(send, receive)) {
    if (send.bytes < receive.bytes) ++larger_buffers_;
    return;
  }
  findings_.add(Severity::inconsistent, channel.receiver, receive.action,
                "receives " + counted(receive.bytes, "byte") + " of the " + std::to_string(send.bytes) + " that rank " +
                    std::to_string(channel.sender) + " sent at its action " + std::to_string(send.action) + " (tag " +
                    std::to_string(channel.tag) + ", " + words(channel.communicator) + ")");
}

/// Finds the other half of the first send, or of the first receive, among those further back.
bool Messages::meet_out_of_turn(Queues& queues) {
  Half& send = queues.sends.front();
  Half& receive = queues.receives.front();
  const auto first = [](Queue& queue) { return queue.all().first(std::min(queue.all().size(), most_out_of_turn)); };
  const auto is_for = [](const Half& half, const Half& other) {
    return half.state == HalfState::done && half.bytes == other.bytes;
  };
  const auto receives = first(queues.receives);
  const auto sends = first(queues.sends);
  const auto taker = std::ranges::find_if(receives, [&](const Half& half) { return is_for(half, send); });
  const auto sent = std::ranges::find_if(sends, [&](const Half& half) { return is_for(half, receive); });
  if (taker != receives.end()) {
    take(send);
    send.state = taker->state = HalfState::met;
  } else if (sent != sends.end()) {
    take(*sent);
    receive.state = sent->state = HalfState::met;
  } else {
    return false;
  }
  return true;
}

void Messages::meet(Entry& entry, bool last) {
  const Channel& channel = entry.first;
  Queues& queues = entry.second;
  while (true) {
    drop_ended(queues.sends, channel.sender);
    drop_ended(queues.receives, channel.receiver);
    if (queues.sends.empty() || queues.receives.empty()) break;
    const Half& send = queues.sends.front();
    const Half& receive = queues.receives.front();
    // What a rank that was cut short left open may well have happened.
    if (send.state == HalfState::open && !gone(channel.sender)) return;
    if (receive.state == HalfState::open && !gone(channel.receiver)) return;
    if (queues.unordered && send.bytes != receive.bytes && meet_out_of_turn(queues)) continue;
    if (!fit(send, receive)) {
      const std::size_t waiting = std::max(queues.sends.all().size(), queues.receives.all().size());
      if (!last && waiting < most_out_of_turn) return;
    }
    queues.guessed = queues.guessed || (queues.unordered && fit(send, receive) && send.bytes < receive.bytes);
    if (queues.guessed)
      take(send);
    else
      compare(channel, send, receive);
    pop(queues.sends, channel.sender);
    pop(queues.receives, channel.receiver);
  }
  if (last) return;
  // Nobody will come for these.
  if (gone(channel.receiver))
    while (!queues.sends.empty() && queues.sends.front().state != HalfState::open)
      pop(queues.sends, channel.sender);
}

void Messages::forget_empty_channels() {
  std::erase_if(channels_, [](const Entry& entry) { return entry.second.empty(); });
  clean_at_ = std::max<std::size_t>(1U << 16U, 2 * channels_.size());
}

void Messages::report_rest(const Channel& channel, const Queues& queues) {
  const std::string where = " (tag " + std::to_string(channel.tag) + ", " + words(channel.communicator) + ")";
  // Receives that nobody completed are reported as requests.
  const auto left = [](const Queue& queue) {
    std::vector<Half> halves;
    std::ranges::copy_if(queue.all(), std::back_inserter(halves),
                         [](const Half& half) { return half.state != HalfState::met && !half.never_completed; });
    return halves;
  };
  const std::vector<Half> sends = left(queues.sends);
  if (!sends.empty() && !gone(channel.receiver))
    findings_.add(Severity::inconsistent, channel.sender, sends.front().action,
                  "sends " + counted(sends.size(), "message") + " to rank " + std::to_string(channel.receiver) +
                      " that it does not receive" + where);
  const std::vector<Half> receives = left(queues.receives);
  if (!receives.empty() && !gone(channel.sender))
    findings_.add(Severity::inconsistent, channel.receiver, receives.front().action,
                  "receives " + counted(receives.size(), "message") + " from rank " + std::to_string(channel.sender) +
                      " that it does not send" + where);
}

void Messages::finish() {
  std::vector<Channel> rest;
  for (Entry& entry : channels_) {
    for (Half& receive : entry.second.receives.all())
      receive.never_completed = receive.state == HalfState::open;
    // That a request never completed is another finding.
    for (Queue* const queue : {&entry.second.sends, &entry.second.receives})
      for (Half& half : queue->all())
        if (half.state == HalfState::open) half.state = HalfState::done;
    meet(entry, true);
    if (!entry.second.empty()) rest.push_back(entry.first);
  }
  if (larger_buffers_ > 0)
    findings_.add(Severity::note, no_rank, no_action,
                  counted(larger_buffers_, "receive") +
                      " told with the size of the buffer, which is larger than the message");
  std::ranges::sort(rest);
  for (const Channel& channel : rest)
    report_rest(channel, channels_.at(channel));
}

} // namespace timeless::trace::checking
