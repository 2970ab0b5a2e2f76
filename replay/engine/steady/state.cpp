#include "replay/engine/steady/state.h"

#include <bit>
#include <span>

namespace timeless::replay {

namespace {

/// Keeps what it is given.
class Taking {
public:
  explicit Taking(std::vector<std::uint64_t>& words) : words_(words) {}
  bool operator()(std::uint64_t word) {
    words_.push_back(word);
    return true;
  }

private:
  std::vector<std::uint64_t>& words_;
};

/// Compares what it is given with what was kept.
class Comparing {
public:
  explicit Comparing(std::span<const std::uint64_t> words) : words_(words) {}
  bool operator()(std::uint64_t word) { return next_ < words_.size() && words_[next_++] == word; }
  bool ended() const { return next_ == words_.size(); }

private:
  std::span<const std::uint64_t> words_;
  std::size_t next_ = 0;
};

template <typename Give>
bool give(Give& put, double number) {
  return put(std::bit_cast<std::uint64_t>(number));
}

template <typename Give>
bool give(Give& put, const Snapshot& snapshot, std::size_t values) {
  if (!put(snapshot ? 1 : 0)) return false;
  for (std::size_t i = 0; snapshot && i < values; ++i)
    if (!give(put, snapshot.values()[i])) return false;
  return true;
}

template <typename Give>
bool give_clock(Give& put, const Clock& clock, std::size_t values) {
  return give(put, clock.base, values) && give(put, clock.port, values) && give(put, clock.held_port, values);
}

/// Gives a rank's requests; tickets as they stand to those of their channels.
template <typename Give>
bool give_requests(Give& put, Core& core, RankState& rank) {
  bool same = true;
  rank.requests.for_each_numbered([&](trace::RequestId id, const Request& request) {
    if (!same) return;
    same = put(id) && put(static_cast<std::uint64_t>(request.state)) && put(request.subject);
    if (same && (request.state == RequestState::receiving || request.state == RequestState::sent))
      same = put(core.channels[request.subject].sent - request.ticket);
  });
  return same;
}

template <typename Give>
bool give_channel(Give& put, Channel& channel, std::size_t values) {
  if (!put(channel.sent - channel.posted) || !put(channel.sent - channel.oldest)) return false;
  for (std::uint64_t ticket = channel.oldest; ticket < channel.sent; ++ticket) {
    const Message& message = channel.message(ticket);
    if (!give(put, message.sent.base, values)) return false;
    if (!message.sent.base) continue; // taken before those sent earlier
    if (!give(put, message.sent.work) || !give(put, message.sent.copied) || !give(put, message.sent.overhead) ||
        !give(put, message.bytes) || !give(put, message.receive_overhead) || !put(message.row))
      return false;
  }
  return true;
}

template <typename Give>
bool give_state(Give& put, Core& core) {
  const std::size_t values = core.clocks.model.values();
  for (std::size_t number = 0; number < core.ranks.size(); ++number)
    if (!give_clock(put, core.clocks[number], values) || !give_requests(put, core, core.ranks[number])) return false;
  for (std::uint32_t number = 0; number < core.channels.size(); ++number)
    if (!give_channel(put, core.channels[number], values)) return false;
  return true;
}

} // namespace

void SteadyState::take(Core& core) {
  words_.clear();
  Taking taking(words_);
  give_state(taking, core);
}

bool SteadyState::is_now(Core& core) const {
  Comparing comparing(words_);
  return give_state(comparing, core) && comparing.ended();
}

std::optional<std::string> why_not_comparable(Core& core) {
  if (core.transfers.used()) return "one-sided communication or files before";
  for (std::uint32_t number = 0; number < core.channels.size(); ++number)
    if (core.channels[number].exceptional) return "messages were cancelled";
  std::optional<std::string> why;
  for (RankState& rank : core.ranks) {
    if (rank.requests.sparse()) return "requests with numbers that are not dense";
    rank.requests.for_each_active([&](const Request& request) {
      switch (request.state) {
      case RequestState::inactive:
      case RequestState::done:
      case RequestState::sent:
      case RequestState::receiving:
      case RequestState::unresolved:
        break;
      default:
        why = "nonblocking collectives, or messages that wait for their receives, are under way where iterations end";
      }
    });
  }
  return why;
}

} // namespace timeless::replay
