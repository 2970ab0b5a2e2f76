#include "tests/smpi/machine.h"

#include "trace/error.h"

#include <gtest/gtest.h>

#include <cstdio>

namespace timeless::replay {
namespace {
using trace::ActionKind;
using trace::MemorySource;

TEST(Try, Route) {
  const auto& p = machine("flat.xml");
  auto r = p.route(0, 5);
  std::printf("%zu hosts route %g s %g B/s self %g %g\n", p.hosts().size(), r.latency, r.bandwidth,
              p.route(3, 3).latency, p.route(3, 3).bandwidth);
}

TEST(Try, PingPong) {
  MemorySource program(2);
  program.compute(0, 1000000);
  program.add(0, {.kind = ActionKind::send, .peer = 1, .bytes = 1000000});
  program.add(1, {.kind = ActionKind::receive, .peer = 0, .bytes = 1000000});
  program.finalize();
  auto r = simulate(program, machine("flat.xml"));
  std::printf("%.17g %.17g cpu %g\n", end_of(r, 0), end_of(r, 1), r.cpu_seconds);
}
TEST(Try, Late) {
  MemorySource program(2);
  program.add(0, {.kind = ActionKind::send, .peer = 1, .bytes = 1000000});
  program.compute(1, 3000000);
  program.add(1, {.kind = ActionKind::receive, .peer = 0, .bytes = 1000000});
  program.finalize();
  auto r = simulate(program, machine("flat.xml"));
  std::printf("%.17g %.17g cpu %g\n", end_of(r, 0), end_of(r, 1), r.cpu_seconds);
}
TEST(Try, Deadlock) {
  MemorySource program(2);
  program.add(0, {.kind = ActionKind::receive, .peer = 1, .bytes = 1000000});
  program.add(1, {.kind = ActionKind::receive, .peer = 0, .bytes = 1000000});
  program.finalize();
  try {
    simulate(program, machine("flat.xml"));
  } catch (const Error& e) {
    std::printf("%s\n", e.what());
  }
}
} // namespace
} // namespace timeless::replay
