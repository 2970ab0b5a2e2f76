#include "tracer/record/actions/marks.h"

#include "tracer/record/actions/record.h"

/// What timeless.h calls.
namespace timeless::tracer {

namespace {

constinit std::atomic<const ThreadState*> only_thread{nullptr};

using RecordMark = void (*)(Recorder&, std::string_view region);

void mark(const char* region, const void* site, RecordMark record) noexcept {
  if (active_recorder.load(std::memory_order_acquire) == nullptr || region == nullptr) return;
  const ThreadState* const only = only_thread.load(std::memory_order_relaxed);
  if (only != nullptr && only != &thread_state) return;
  CallScope call(CallId::Pcontrol, site);
  call.record([&](Recorder& recorder) { record(recorder, region); });
}

} // namespace

void take_marks_of(const ThreadState* thread) noexcept {
  only_thread.store(thread, std::memory_order_relaxed);
}

} // namespace timeless::tracer

extern "C" {

__attribute__((visibility("default"))) void timeless_region_begin(const char* region) {
  timeless::tracer::mark(region, __builtin_return_address(0), timeless::tracer::record::begin_region);
}

__attribute__((visibility("default"))) void timeless_region_end(const char* region) {
  timeless::tracer::mark(region, __builtin_return_address(0), timeless::tracer::record::end_region);
}

} // extern "C"
