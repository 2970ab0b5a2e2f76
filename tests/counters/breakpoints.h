#pragma once

#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

namespace timeless::test {

/// Passes by where breakpoints are set.
[[gnu::noinline]] inline void pass_breakpoint() {
  __asm__ volatile("");
}

/// Returns whether the kernel counts how often an instruction is executed, by which fake_pmu.c pretends a counter. Some
/// virtual machines accept such an event and count nothing.
inline bool breakpoints_count() {
  perf_event_attr event{};
  event.size = sizeof event;
  event.type = PERF_TYPE_BREAKPOINT;
  event.bp_type = HW_BREAKPOINT_X;
  event.bp_addr = reinterpret_cast<std::uintptr_t>(&pass_breakpoint);
  event.bp_len = sizeof(long);
  event.exclude_kernel = 1;
  const auto descriptor = static_cast<int>(::syscall(SYS_perf_event_open, &event, 0, -1, -1, 0));
  if (descriptor < 0) return false;
  for (int i = 0; i < 10; ++i)
    pass_breakpoint();
  std::uint64_t passes = 0;
  const bool whole = ::read(descriptor, &passes, sizeof passes) == sizeof passes;
  ::close(descriptor);
  return whole && passes == 10;
}

} // namespace timeless::test
