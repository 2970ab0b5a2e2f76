#pragma once

#include "trace/model/memory_source.h"

/// What marks a rank's actions as those of one of its threads, and how its threads wait for each other.
namespace timeless::replay::test {

inline void turn_to(trace::MemorySource& program, trace::Rank rank, trace::Rank thread) {
  program.add(rank, {.kind = trace::ActionKind::thread, .peer = thread});
}
inline void signal(trace::MemorySource& program, trace::Rank rank, trace::Rank number) {
  program.add(rank, {.kind = trace::ActionKind::thread_signal, .peer = number});
}
inline void await(trace::MemorySource& program, trace::Rank rank, trace::Rank number) {
  program.add(rank, {.kind = trace::ActionKind::thread_await, .peer = number});
}

} // namespace timeless::replay::test
