#include "tracer/call_scope.h"

namespace timeless::tracer {

constinit thread_local ThreadState thread_state;
constinit std::atomic<Recorder*> active_recorder{nullptr};

namespace {

std::uint64_t no_volume() noexcept {
  return 0;
}

} // namespace

constinit ReadVolume read_volume = no_volume;
constinit std::uint64_t read_skew = 0;

void CallScope::start(Recorder& recorder) {
  recorder_ = &recorder;
  consumed_ = true;
  thread_.pending = 0;
  thread_.last_site = recorder.kernels().site(call_path(site_, recorder.settings().stack_depth));
}

std::uint64_t CallScope::computation() const noexcept {
  // A thread's first call has nothing to measure from.
  const std::uint64_t elapsed = thread_.started ? begin_ - thread_.last : 0;
  return thread_.pending + (elapsed > read_skew ? elapsed - read_skew : 0);
}

std::uint64_t CallScope::take_computation() noexcept {
  if (consumed_) return 0;
  const std::uint64_t volume = computation();
  consumed_ = true;
  thread_.pending = 0;
  return volume;
}

} // namespace timeless::tracer
