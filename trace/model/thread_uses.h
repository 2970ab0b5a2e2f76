#pragma once

#include "trace/model/action.h"
#include "trace/model/ids.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace timeless::trace {

/// The last action of a rank that used something.
template <typename State>
struct ThreadUse {
  std::uint32_t thread = 0;          ///< place of its thread: 0 is the first, others as they come
  std::uint64_t actions = 0;         ///< of the thread up to this one; 0: nothing has used it
  bool ended = true;                 ///< who uses it next comes after its end, not only after its beginning
  std::shared_ptr<State> since = {}; ///< what the thread leaves behind for who uses it next; may be null
};

/// What the threads of a rank use one after another, in the order recorded.
enum class ThreadResource : std::uint8_t { sends, receives, collectives, window, file, request };

/// Follows the actions of a rank's threads in the order recorded, and tells who has used what last: the present action
/// comes after that use. `State` is what a thread leaves behind for another, as its time.
///
/// One thread uses an object.
template <typename State>
class ThreadUses {
public:
  using Use = ThreadUse<State>;

  /// Goes on to the next action. Returns the place of its thread.
  std::uint32_t follow(const Action& action) {
    if (action.kind == ActionKind::thread) present_ = place(action.peer);
    ++threads_[present_].actions;
    return present_;
  }

  /// Returns how many threads there are so far; thread 0 of the trace is the first.
  std::size_t threads() const { return threads_.size(); }
  /// Returns a thread's number in the trace.
  Rank number(std::size_t thread) const { return threads_[thread].number; }
  /// Returns the place of the present action's thread.
  std::uint32_t present() const { return present_; }

  /// Returns the present action as a use.
  Use here(bool ended = true, std::shared_ptr<State> since = {}) const {
    return {present_, threads_[present_].actions, ended, std::move(since)};
  }
  /// Returns true when another thread than the present one has used something so.
  bool elsewhere(const Use& use) const { return use.actions > 0 && use.thread != present_; }

  /// Returns the last use of a resource by its number.
  Use& last(ThreadResource resource, std::uint32_t number) {
    return uses_[std::uint64_t{static_cast<std::uint8_t>(resource)} << 32U | number];
  }
  /// Makes the present action the last use. Returns the use before, if another thread's.
  std::optional<Use> use(ThreadResource resource, std::uint32_t number, bool ended = true) {
    return use(last(resource, number), ended);
  }
  std::optional<Use> use(Use& last, bool ended = true) const {
    Use before = std::exchange(last, here(ended));
    return elsewhere(before) ? std::optional(std::move(before)) : std::nullopt;
  }

  /// Records the present thread's signal at a point where threads synchronise.
  void signal(Rank point, std::shared_ptr<State> since) { signals_[point][present_] = here(true, std::move(since)); }
  /// Calls visit(use) for the last signal at the point of each other thread.
  template <typename Visit>
  void await(Rank point, Visit visit) const {
    const auto found = signals_.find(point);
    if (found == signals_.end()) return;
    for (const auto& [thread, signal] : found->second)
      if (thread != present_) visit(signal);
  }

private:
  struct OfThread {
    Rank number = 0;
    std::uint64_t actions = 0;
  };

  std::uint32_t place(Rank number) {
    const auto [found, added] = places_.try_emplace(number, static_cast<std::uint32_t>(threads_.size()));
    if (added) threads_.push_back({.number = number});
    return found->second;
  }

  std::vector<OfThread> threads_{1};
  std::unordered_map<Rank, std::uint32_t> places_{{0, 0}}; ///< by number
  std::uint32_t present_ = 0;
  std::unordered_map<std::uint64_t, Use> uses_;
  std::map<Rank, std::map<std::uint32_t, Use>> signals_; ///< by point and thread
};

} // namespace timeless::trace
