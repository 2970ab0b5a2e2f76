#include "replay/smpi/ranks/time_by_subject.h"

namespace timeless::replay::smpi {

namespace {

template <typename Subjects>
void add_counts_of(Subjects& own, const Subjects& other) {
  for (const auto& [subject, timed] : other)
    own[subject].count += timed.count;
}

template <typename Subjects>
void take_seconds_of(Subjects& own, const Subjects& other) {
  for (auto& [subject, timed] : own)
    timed.seconds = 0;
  for (const auto& [subject, timed] : other)
    own[subject].seconds = timed.seconds;
}

} // namespace

void TimeBySubject::add(const trace::Action& action, double seconds, const JobContext& context) {
  const bool computes = action.kind == trace::ActionKind::compute;
  if (computes) kernel_ = action.kernel;
  if (context.attribute_kernels) {
    if (computes) ++kernels_[kernel_].count;
    kernels_[kernel_].seconds += seconds;
  }
  if (context.attribute_calls) {
    const bool computation = trace::family(action.kind) == trace::ActionFamily::computation;
    TimedSubject& timed = calls_[computation ? "computation" : trace::mpi_name(action)];
    ++timed.count;
    timed.seconds += seconds;
  }
}

void TimeBySubject::add_counts(const TimeBySubject& other) {
  add_counts_of(kernels_, other.kernels_);
  add_counts_of(calls_, other.calls_);
}

void TimeBySubject::take_seconds(const TimeBySubject& other) {
  take_seconds_of(kernels_, other.kernels_);
  take_seconds_of(calls_, other.calls_);
}

} // namespace timeless::replay::smpi
