#pragma once

#include "trace/model/action.h"

#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

namespace timeless::trace {

/// Which actions of a rank's threads come after which, as far as the trace says so (thread_signal, thread_await), while
/// they are followed in their order.
class ThreadOrder {
public:
  /// Who has done something last, in each thread: the thread, and how many signals it had given then.
  using Uses = std::vector<std::pair<Rank, std::uint64_t>>;

  /// Follows a mark of threads; to be called with each.
  void follow(const Action& mark);
  /// Notes that the present thread does something that others do, too. Returns false when one of them has, and this one
  /// has not awaited it: either may have been the first.
  bool in_order(Uses& uses);

private:
  /// By thread: how many of its signals a thread comes after.
  using Known = std::map<Rank, std::uint64_t>;
  static void add(Known& known, const Known& other);

  Rank present_ = 0;
  std::map<Rank, Known> threads_;
  std::map<Rank, Known> points_;
};

/// Finds the messages of a rank whose order the trace does not tell: several threads send to one rank, or receive from
/// it, in one communicator and with one tag, and do not wait for each other. Their calls are recorded as they end.
class UnorderedMessages {
public:
  /// What of an action is such: the message it sends, or receives.
  struct Ends {
    bool send = false;
    bool receive = false;
    unsigned number() const { return (send ? 1U : 0U) + (receive ? 1U : 0U); }
  };

  /// Follows an action; to be called with all of the rank. A nonblocking receive from any source counts when its source
  /// is told, one that a matched probe has found with the probe. Of the first in such a channel nothing is known yet.
  Ends follow(const Action& action);

private:
  bool unordered(bool sent, CommunicatorId communicator, Rank peer, Tag tag);

  bool several_ = false;
  ThreadOrder order_;
  std::map<std::tuple<bool, CommunicatorId, Rank, Tag>, ThreadOrder::Uses> uses_;
};

} // namespace timeless::trace
