#pragma once

#include "tracer/record/thread_points.h"

/// Calls in which threads wait for each other, recorded around what they do. `site` is the call's place in the program.
namespace timeless::tracer {

/// Runs `wait`, in which the thread waits for a signal of the object, and returns its status. `came(status)` is the
/// point of the signal that has come.
template <typename Wait, typename Came>
int wait_at(CallId id, const void* object, const void* site, Wait&& wait, Came&& came) {
  if (!takes_points()) {
    const int status = wait();
    begin_after(came(status), object);
    return status;
  }
  CallScope call(id, site);
  const int status = wait();
  const Point point = came(status);
  await_at(call, point);
  give_back(point, object);
  return status;
}

/// Runs `wake`, which lets others go on that wait for a signal at this point.
template <typename Wake>
int signal_of(CallId id, Point point, const void* site, Wake&& wake) {
  if (point == no_point) return wake();
  CallScope call(id, site);
  signal_at(call, point);
  return wake();
}

/// Runs `wait`, in which all threads of the barrier wait for each other. `participants` as for arrive().
template <typename Wait>
int meet_at(CallId id, const void* barrier, std::uint32_t participants, const void* site, Wait&& wait) {
  if (!may_take_points()) return wait();
  const Point point = arrive(barrier, participants);
  if (point == no_point) return wait();
  CallScope call(id, site);
  signal_at(call, point);
  const int status = wait();
  await_at(call, point);
  return status;
}

} // namespace timeless::tracer
