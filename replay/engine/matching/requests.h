#pragma once

#include "trace/model/ids.h"

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace timeless::replay {

/// What a request waits for.
enum class RequestState : std::uint8_t {
  inactive,
  done,       ///< completes at no cost: an eager send, something cancelled
  sent,       ///< as done, but the message can still be cancelled
  leaving,    ///< waits until its message has left and arrived: a handshake
  exchanging, ///< as leaving and receiving, both
  receiving,  ///< waits for the message with its ticket
  unresolved, ///< a wildcard receive of which nobody learns what it received
  collective, ///< waits for a collective
  async,      ///< waits for what carries out a scheduled collective
  // Neither a message nor a collective:
  transfer,      ///< one-sided: comes to its end by itself
  file_transfer, ///< likewise, of a file alone
  file,          ///< waits for a collective, then for the file system
};

/// Returns true for what waits for a message to leave.
constexpr bool sends(RequestState state) {
  return state == RequestState::leaving || state == RequestState::exchanging;
}

/// Returns true for what is completed after messages and collectives.
constexpr bool comes_later(RequestState state) {
  return state == RequestState::transfer || state == RequestState::file_transfer || state == RequestState::file;
}

/// What a request of a rank stands for.
struct Request {
  std::uint64_t ticket = 0; ///< of the message on its channel (sent, receiving, exchanging); bytes moved (file)
  /// The channel (sent, receiving), the handshake (leaving, exchanging), the collective, the asynchronous collective or
  /// the transfer kept.
  std::uint32_t subject = 0;
  RequestState state = RequestState::inactive;
};

/// The requests of one rank, by their number.
class Requests {
public:
  /// Returns the request with this number; inactive until it is set.
  Request& operator[](trace::RequestId id) {
    if (id < dense_.size()) return dense_[id];
    return enter(id);
  }

  /// Fetches the first requests into the caches, as they are about to be used.
  void prefetch() const {
    const auto* first = reinterpret_cast<const std::byte*>(dense_.data());
    for (std::size_t line = 0; line < 4; ++line)
      __builtin_prefetch(first + 64 * line);
  }

  /// Calls visit(request) for all that are not inactive.
  template <typename Visit>
  void for_each_active(Visit&& visit) {
    for (Request& request : dense_)
      if (request.state != RequestState::inactive) visit(request);
    for (auto& [id, request] : sparse_)
      if (request.state != RequestState::inactive) visit(request);
  }

  /// Calls visit(number, request) for those with dense numbers that are not inactive, by rising number.
  template <typename Visit>
  void for_each_numbered(Visit&& visit) const {
    for (trace::RequestId id = 0; id < dense_.size(); ++id)
      if (dense_[id].state != RequestState::inactive) visit(id, dense_[id]);
  }
  /// Returns true where some numbers were so large that they are kept in no order.
  bool sparse() const { return !sparse_.empty(); }

private:
  Request& enter(trace::RequestId id) {
    // Numbers are meant to be dense; ones that are not must not cost memory.
    constexpr std::size_t most_dense = std::size_t{1} << 16U;
    if (id >= most_dense) return sparse_[id];
    dense_.resize(std::size_t{id} + 1);
    return dense_[id];
  }

  std::vector<Request> dense_;
  std::unordered_map<trace::RequestId, Request> sparse_;
};

} // namespace timeless::replay
