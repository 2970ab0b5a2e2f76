#include "trace/checking/messages.h"

#include <algorithm>

namespace timeless::trace::checking {

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

/// At the end of the run, a half still open counts as done: that its request never completed is another finding.
void Messages::drop_cancelled(Queue& queue, Rank rank, bool last) {
  while (!queue.empty() && queue.front().state == HalfState::cancelled)
    pop(queue, rank);
  if (last && !queue.empty()) queue.front().state = HalfState::done;
}

void Messages::compare(const Channel& channel, const Half& send, const Half& receive) {
  ++report_.messages;
  report_.message_bytes += send.bytes;
  if (send.bytes == receive.bytes) return;
  if (receive.at_most && send.bytes < receive.bytes) {
    ++larger_buffers_;
    return;
  }
  findings_.add(Severity::inconsistent, channel.receiver, receive.action,
                "receives " + counted(receive.bytes, "byte") + " of the " + std::to_string(send.bytes) + " that rank " +
                    std::to_string(channel.sender) + " sent at its action " + std::to_string(send.action) + " (tag " +
                    std::to_string(channel.tag) + ", " + words(channel.communicator) + ")");
}

void Messages::meet(Entry& entry, bool last) {
  const Channel& channel = entry.first;
  Queues& queues = entry.second;
  while (true) {
    drop_cancelled(queues.sends, channel.sender, last);
    drop_cancelled(queues.receives, channel.receiver, last);
    if (queues.sends.empty() || queues.receives.empty()) break;
    const Half& send = queues.sends.front();
    const Half& receive = queues.receives.front();
    // What a rank that was cut short left open may well have happened.
    if (send.state == HalfState::open && !gone(channel.sender)) return;
    if (receive.state == HalfState::open && !gone(channel.receiver)) return;
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
  if (!queues.sends.empty() && !gone(channel.receiver))
    findings_.add(Severity::inconsistent, channel.sender, queues.sends.all().front().action,
                  "sends " + counted(queues.sends.all().size(), "message") + " to rank " +
                      std::to_string(channel.receiver) + " that it does not receive" + where);
  // Receives that nobody completed are reported as requests.
  const auto completed = [](const Half& half) { return !half.never_completed; };
  const auto receives = queues.receives.all();
  const auto first = std::ranges::find_if(receives, completed);
  if (first != receives.end() && !gone(channel.sender))
    findings_.add(Severity::inconsistent, channel.receiver, first->action,
                  "receives " +
                      counted(static_cast<std::uint64_t>(std::ranges::count_if(receives, completed)), "message") +
                      " from rank " + std::to_string(channel.sender) + " that it does not send" + where);
}

void Messages::finish() {
  std::vector<Channel> rest;
  for (Entry& entry : channels_) {
    for (Half& receive : entry.second.receives.all())
      receive.never_completed = receive.state == HalfState::open;
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
