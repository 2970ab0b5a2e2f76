#pragma once

#include "replay/smpi/calls/job_context.h"
#include "trace/model/action.h"

#include <cstdint>
#include <map>
#include <string>

namespace timeless::replay::smpi {

/// The part of a rank's time that went into one kind of call, or into one kernel.
struct TimedSubject {
  std::uint64_t count = 0;
  double seconds = 0;
};

/// Where a thread's time went.
class TimeBySubject {
public:
  /// Adds an action that took so many seconds. A kernel's time reaches from its computation to the next one, as in the
  /// model.
  void add(const trace::Action& action, double seconds, const JobContext& context);
  void add_counts(const TimeBySubject& other);
  /// Makes the seconds those of the other; the counts stay.
  void take_seconds(const TimeBySubject& other);

  /// Returns the times by kernel, or no_subject before the first; where JobContext::attribute_kernels.
  const std::map<std::uint32_t, TimedSubject>& kernels() const { return kernels_; }
  /// Returns the times by MPI name, "computation" among them; where JobContext::attribute_calls.
  const std::map<std::string, TimedSubject>& calls() const { return calls_; }
  std::uint32_t kernel() const { return kernel_; } ///< the one computed last, or no_subject

private:
  std::map<std::uint32_t, TimedSubject> kernels_;
  std::map<std::string, TimedSubject> calls_;
  std::uint32_t kernel_ = 0xffffffffU; ///< the one computed last (no_subject: none)
};

/// A thread's time when it had ended an action that another may wait for, and where it went.
struct ThreadTime {
  double when = 0;
  TimeBySubject times;
};

} // namespace timeless::replay::smpi
