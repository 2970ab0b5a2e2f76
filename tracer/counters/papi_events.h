#pragma once

#include "tracer/counters/papi_library.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <sys/types.h>

namespace timeless::tracer {

/// Events that PAPI counts together for one thread. Needs no destruction: who starts it stops it.
///
/// Counting for the calling thread, it may be read by that thread alone: PAPI reads the processor's own registers where
/// it can. Counting for a thread given by its number, it may be read by any, a system call each time.
class PapiEvents {
public:
  /// Enough for any processor's counters.
  static constexpr std::size_t most = 32;

  /// Starts counting. Returns PAPI_OK, or the code of the step that failed; then nothing is left behind.
  int start(const PapiLibrary& papi, std::span<const std::string> events, std::optional<pid_t> thread = std::nullopt);
  /// Reads one value per event into `values`, which has room for all. Returns PAPI_OK, or what failed.
  int read(const PapiLibrary& papi, long long* values) const { return papi.read(set_, values); }
  void stop(const PapiLibrary& papi);
  bool counting() const { return set_ != none; }

private:
  static constexpr int none = -1; // PAPI_NULL

  int set_ = none;
};

} // namespace timeless::tracer
