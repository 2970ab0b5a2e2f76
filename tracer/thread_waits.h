#pragma once

#include "tracer/thread_points.h"

/// Calls in which threads wait for each other, recorded around what they do. `site` is the call's place in the program.
namespace timeless::tracer {

/// Runs `wait`, in which the thread waits until others have signalled at the object, and returns its status.
template <typename Wait>
int wait_at(CallId id, const void* object, const void* site, Wait&& wait) {
  if (!takes_points()) {
    const int status = wait();
    if (status == 0 && thread_state.depth == 0 && points_recorded()) begin_after(signalled_point(object));
    return status;
  }
  CallScope call(id, site);
  const int status = wait();
  if (status == 0) await_at(call, signalled_point(object));
  return status;
}

/// Runs `wake`, which lets others go on that wait at the object.
template <typename Wake>
int signal_of(CallId id, const void* object, const void* site, Wake&& wake) {
  if (!takes_points()) return wake();
  CallScope call(id, site);
  signal_at(call, point_of(object));
  return wake();
}

/// Runs `wait`, in which all threads of the barrier wait for each other. Those count, too, that have not called MPI.
/// `participants` as for arrive().
template <typename Wait>
int meet_at(CallId id, const void* barrier, std::uint32_t participants, const void* site, Wait&& wait) {
  if (thread_state.depth > 0 || !points_recorded()) return wait();
  const Point point = arrive(barrier, participants);
  if (point == no_point) return wait();
  if (thread_state.recorded == nullptr) {
    const int status = wait();
    begin_after(point);
    return status;
  }
  CallScope call(id, site);
  signal_at(call, point);
  const int status = wait();
  await_at(call, point);
  return status;
}

} // namespace timeless::tracer
