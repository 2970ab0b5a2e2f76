#include "replay/engine/steady/state.h"

#include <bit>
#include <span>

namespace timeless::replay {

namespace {

/// Keeps what it is given: what all lanes share, and a lane's.
class Taking {
public:
  explicit Taking(std::vector<std::uint64_t>& words) : words_(words) {}
  bool operator()(std::uint64_t word) {
    words_.push_back(word);
    return true;
  }
  bool operator()(std::uint64_t word, std::size_t /*lane*/) { return (*this)(word); }

private:
  std::vector<std::uint64_t>& words_;
};

/// Compares what it is given with what was kept; false where no lane can be the same any more.
class Comparing {
public:
  Comparing(std::span<const std::uint64_t> words, std::size_t lanes)
      : words_(words), same_(lanes, true), left_(lanes) {}
  bool operator()(std::uint64_t word) {
    if (next_ < words_.size() && words_[next_] == word) {
      ++next_;
      return true;
    }
    left_ = 0;
    return false;
  }
  bool operator()(std::uint64_t word, std::size_t lane) {
    if (next_ == words_.size()) return (*this)(word);
    if (words_[next_++] != word && same_[lane]) {
      same_[lane] = false;
      --left_;
    }
    return left_ > 0;
  }
  std::vector<bool> same() const {
    return left_ > 0 && next_ == words_.size() ? same_ : std::vector<bool>(same_.size());
  }

private:
  std::span<const std::uint64_t> words_;
  std::size_t next_ = 0;
  std::vector<bool> same_;
  std::size_t left_;
};

template <typename Give>
bool give(Give& put, double number) {
  return put(std::bit_cast<std::uint64_t>(number));
}

/// Values are in blocks of one for each lane; a path's last one is its node, which is told by its place at the cut.
template <typename Give>
bool give(Give& put, const Snapshot& snapshot, const Core& core) {
  if (!put(snapshot ? 1 : 0)) return false;
  if (!snapshot) return true;
  const std::size_t lanes = core.clocks.model.lanes();
  const auto& paths = core.explanation.paths;
  const double* const end = snapshot.values() + core.clocks.model.values() - (paths ? lanes : 0);
  if (paths && !put(paths->place_at_cut(*end))) return false;
  for (const double* block = snapshot.values(); block < end; block += lanes)
    for (std::size_t lane = 0; lane < lanes; ++lane)
      if (!put(std::bit_cast<std::uint64_t>(block[lane]), lane)) return false;
  return true;
}

/// Calls visit(snapshot) for each of a rank's times.
template <typename Visit>
void for_each_time(const Clock& clock, Visit&& visit) {
  visit(clock.base);
  visit(clock.port);
  visit(clock.held_port);
}

template <typename Give>
bool give_clock(Give& put, const Clock& clock, const Core& core) {
  bool same = true;
  for_each_time(clock, [&](const Snapshot& time) { same = same && give(put, time, core); });
  return same;
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
bool give_channel(Give& put, Channel& channel, const Core& core) {
  if (!put(channel.sent - channel.posted) || !put(channel.sent - channel.oldest)) return false;
  for (std::uint64_t ticket = channel.oldest; ticket < channel.sent; ++ticket) {
    const Message& message = channel.message(ticket);
    if (!give(put, message.sent.base, core)) return false;
    if (!message.sent.base) continue; // taken before those sent earlier
    if (!give(put, message.sent.work) || !give(put, message.sent.copied) || !give(put, message.sent.overhead) ||
        !give(put, message.bytes) || !give(put, message.receive_overhead) || !put(message.row))
      return false;
  }
  return true;
}

template <typename Give>
bool give_state(Give& put, Core& core) {
  const auto& attributor = core.explanation.attributor;
  if (core.explanation.paths && !core.explanation.paths->give_state(put)) return false;
  for (std::size_t number = 0; attributor && number < core.ranks.size(); ++number)
    if (!put(attributor->subject_of(number))) return false;
  for (std::size_t number = 0; number < core.ranks.size(); ++number)
    if (!give_clock(put, core.clocks[number], core) || !give_requests(put, core, core.ranks[number])) return false;
  for (std::uint32_t number = 0; number < core.channels.size(); ++number)
    // What goes to other processes is with them.
    if (!core.channels[number].departing && !give_channel(put, core.channels[number], core)) return false;
  return true;
}

} // namespace

void SteadyState::take(Core& core) {
  words_.clear();
  Taking taking(words_);
  give_state(taking, core);
}

std::vector<bool> SteadyState::lanes_now(Core& core) const {
  Comparing comparing(words_, core.clocks.model.lanes());
  give_state(comparing, core);
  return comparing.same();
}

std::vector<double*> held_moments(Core& core) {
  std::vector<double*> all;
  const auto add = [&](const Snapshot& time) {
    if (time) all.push_back(time.values());
  };
  for (std::size_t number = 0; number < core.ranks.size(); ++number)
    for_each_time(core.clocks[number], add);
  for (std::uint32_t number = 0; number < core.channels.size(); ++number)
    for (std::uint64_t ticket = core.channels[number].oldest; ticket < core.channels[number].sent; ++ticket)
      add(core.channels[number].message(ticket).sent.base);
  return all;
}

std::optional<std::string> why_not_comparable(Core& core) {
  if (core.transfers.used()) return "one-sided communication or files before";
  for (std::uint32_t number = 0; number < core.channels.size(); ++number)
    if (core.channels[number].exceptional && !core.channels[number].departing) return "messages were cancelled";
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
