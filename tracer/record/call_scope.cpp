#include "tracer/record/call_scope.h"

#include "tracer/mpi/mpi_modules.h"

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

/// An error handler may leave MPI by a jump, which ends no scope: then the stack holds this call where the outer one
/// stood, or before.
bool CallScope::left_outer_call() noexcept {
  if (reinterpret_cast<std::uintptr_t>(this) < reinterpret_cast<std::uintptr_t>(thread_.outermost)) return false;
  thread_.depth = 1;
  return true;
}

void CallScope::enter_from_callback() noexcept {
  if (thread_.outermost->recorder_ == nullptr || is_of_mpi(site_)) return;
  recorder_ = active_recorder.load(std::memory_order_acquire);
  in_callback_ = recorder_ != nullptr;
}

std::uint64_t CallScope::take_computation() noexcept {
  if (in_callback_) return thread_.outermost->take_computation();
  if (consumed_) return 0;
  const std::uint64_t volume = computation(thread_, begin_);
  consumed_ = true;
  thread_.pending = 0;
  return volume;
}

} // namespace timeless::tracer
