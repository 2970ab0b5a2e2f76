#pragma once

#include "base/free_numbers.h"
#include "trace/model/action.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <unordered_map>
#include <vector>

namespace timeless::trace::formats::dumpi {

/// What a request stands for that has been begun and not completed.
struct PendingRequest {
  RequestId id = no_request;
  Action action = {}; ///< as it was begun
  std::uint64_t block = 0;
  std::size_t position = 0; ///< of the action, in its block
};

/// The requests of a rank that are under way, by DUMPI's numbers, which libraries use for several at a time: then a
/// number stands for the one that was begun first. Gives them the trace's own numbers, which no two have at once.
class PendingRequests {
public:
  /// Returns the first request of this number, or null. Valid until it is changed.
  const PendingRequest* find(std::int32_t number) const;
  /// Returns true when a request of this number, which stands for another, may stand for this action, too.
  bool may_share(std::int32_t number, const Action& action) const;
  /// Adds a request behind those of the same number.
  void add(std::int32_t number, const PendingRequest& request);
  /// Forgets the first request of this number, which is done: the number stands for the next one that shares it, if
  /// there is one.
  void forget_first(std::int32_t number);

  /// Returns a number of the trace's that no request has.
  RequestId take_id() { return ids_.take(); }
  /// Gives numbers back that take_id() has given.
  void give_back(std::span<const RequestId> ids) { ids_.give_back(ids); }

  /// Returns the numbers of all that are under way, rising.
  std::vector<std::int32_t> numbers() const;
  /// Returns how many requests are under way.
  std::size_t size() const;

private:
  std::unordered_map<std::int32_t, PendingRequest> first_;
  std::unordered_map<std::int32_t, std::deque<PendingRequest>> sharing_; ///< those behind the first
  FreeNumbers ids_;
};

} // namespace timeless::trace::formats::dumpi
