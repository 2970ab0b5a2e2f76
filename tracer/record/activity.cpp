#include "tracer/record/activity.h"

#include "tracer/record/call_scope.h"

namespace timeless::tracer {

constinit trace::JournalThread activity_unknown;

namespace {

trace::JournalThread nowhere;

} // namespace

trace::JournalThread* claim_activity(Recorder& recorder) noexcept {
  Journal* const journal = recorder.journal();
  trace::JournalThread* const slot = journal != nullptr ? journal->claim_thread() : nullptr;
  return slot != nullptr ? slot : &nowhere;
}

void forget_activity() noexcept {
  thread_state.activity = &nowhere;
}

} // namespace timeless::tracer
