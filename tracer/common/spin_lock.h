#pragma once

#include <sched.h>

#include <atomic>

namespace timeless::tracer {

/// A lock for a few dozen instructions, hardly ever wanted by two threads at once; one that threads may leave off while
/// there is only one of them.
class SpinLock {
public:
  void lock() noexcept {
    for (int tries = 0; taken_.test_and_set(std::memory_order_acquire); ++tries)
      if (tries >= tries_before_yielding) ::sched_yield();
  }
  void unlock() noexcept { taken_.clear(std::memory_order_release); }

private:
  static constexpr int tries_before_yielding = 100;
  std::atomic_flag taken_;
};

/// Holds a lock, or none, for the length of a scope.
class OptionalLock {
public:
  OptionalLock(SpinLock& lock, bool wanted) noexcept : lock_(wanted ? &lock : nullptr) {
    if (lock_ != nullptr) lock_->lock();
  }
  ~OptionalLock() {
    if (lock_ != nullptr) lock_->unlock();
  }
  OptionalLock(const OptionalLock&) = delete;
  OptionalLock& operator=(const OptionalLock&) = delete;

private:
  SpinLock* lock_;
};

} // namespace timeless::tracer
