#pragma once

#include "trace/model/ids.h"

#include <simgrid/s4u.hpp>

#include <cstdint>
#include <map>
#include <mutex>

namespace timeless::replay::smpi {

/// Who holds the locks of one window: any number of sharers, or one alone. SMPI's own locks forget which of the two
/// they are as soon as two sharers meet.
class WindowLocks {
public:
  WindowLocks() : mutex_(simgrid::s4u::Mutex::create()), changed_(simgrid::s4u::ConditionVariable::create()) {}

  /// Waits until the target's window is free for this lock.
  void lock(trace::Rank target, bool exclusive) {
    const std::unique_lock<simgrid::s4u::Mutex> held(*mutex_);
    changed_->wait(held, [&] {
      const Holders& holders = targets_[target];
      return !holders.alone && (!exclusive || (holders.sharers == 0 && sharers_of_all_ == 0));
    });
    Holders& holders = targets_[target];
    holders.alone = exclusive;
    holders.sharers += exclusive ? 0 : 1;
    alone_ += exclusive ? 1 : 0;
  }

  void unlock(trace::Rank target) {
    const std::unique_lock<simgrid::s4u::Mutex> held(*mutex_);
    Holders& holders = targets_[target];
    if (holders.alone) {
      holders.alone = false;
      --alone_;
    } else if (holders.sharers > 0) {
      --holders.sharers;
    }
    changed_->notify_all();
  }

  /// Takes the lock that shares the windows of all targets.
  void lock_all() {
    const std::unique_lock<simgrid::s4u::Mutex> held(*mutex_);
    changed_->wait(held, [&] { return alone_ == 0; });
    ++sharers_of_all_;
  }

  void unlock_all() {
    const std::unique_lock<simgrid::s4u::Mutex> held(*mutex_);
    if (sharers_of_all_ > 0) --sharers_of_all_;
    changed_->notify_all();
  }

private:
  struct Holders {
    std::uint32_t sharers = 0;
    bool alone = false;
  };

  simgrid::s4u::MutexPtr mutex_;
  simgrid::s4u::ConditionVariablePtr changed_;
  std::map<trace::Rank, Holders> targets_;
  std::uint32_t alone_ = 0;
  std::uint32_t sharers_of_all_ = 0;
};

} // namespace timeless::replay::smpi
