#pragma once

#include "trace/model/times.h"

#include <utility>

namespace timeless::tracer {

/// The times that the next action gets: those it has been given, and after that each action begins and ends where the
/// one before it has ended. Off, and no action has times, until some are given.
class Stamp {
public:
  void set(trace::ActionTimes times) {
    on_ = true;
    next_ = times;
  }
  bool on() const { return on_; }
  trace::ActionTimes take() { return std::exchange(next_, {next_.exit, next_.exit}); }

private:
  bool on_ = false;
  trace::ActionTimes next_;
};

} // namespace timeless::tracer
