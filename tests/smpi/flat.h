#pragma once

#include "tests/smpi/machine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

/// flat.xml: 10 us and 1 GB/s between hosts, 1 us and 10 GB/s within one, 1 Gflop/s, no contention, and 16 bytes of
/// SMPI's on every message.
namespace timeless::replay {

inline constexpr double latency = 10e-6;
inline constexpr double byte_time = 1e-9;

/// A request of a rank that has no other.
inline constexpr trace::RequestId request = 0;
/// What calls list: a rank alone, and of two ranks in a ring, from and to whom each sends.
inline constexpr std::array<trace::Rank, 1> only_0{0};
inline constexpr std::array<trace::Rank, 1> only_1{1};
inline constexpr std::array<trace::Rank, 2> ring_of_0{1, 1};
inline constexpr std::array<trace::Rank, 2> ring_of_1{0, 0};

/// Returns the seconds that a message between hosts takes.
inline double message(trace::Bytes bytes) {
  return latency + (static_cast<double>(bytes) + 16) * byte_time;
}

inline const SimgridPlatform& flat() {
  return machine(TIMELESS_PLATFORMS "/flat.xml");
}

/// Returns when each rank ends in SMPI, a rank a host.
inline std::vector<double> smpi_ends(const trace::MemorySource& program) {
  return smpi_ends(program, flat(), one_per_host(program.run().size));
}

/// Returns when each rank ends in the model.
inline std::vector<double> model_ends(const trace::MemorySource& program) {
  return model_ends(program, flat(), one_per_host(program.run().size));
}

/// SimGrid lets events closer than surf/precision (1e-12 s in flat.xml) happen together; a run adds up a few thousand.
inline constexpr double tolerance = 1e-9;

/// Expects SMPI and the model to have each rank end at the same time.
inline void expect_equal_ends(const trace::MemorySource& program, const Mapping& mapping) {
  const std::vector<double> simulated = smpi_ends(program, flat(), mapping);
  const std::vector<double> modelled = model_ends(program, flat(), mapping);
  ASSERT_EQ(simulated.size(), modelled.size());
  for (std::size_t rank = 0; rank < simulated.size(); ++rank)
    EXPECT_NEAR(modelled[rank], simulated[rank], tolerance * std::max(1e-3, simulated[rank])) << "rank " << rank;
}

inline void expect_equal_ends(const trace::MemorySource& program) {
  expect_equal_ends(program, one_per_host(program.run().size));
}

/// Returns what SMPI's replay says beside the times.
inline std::vector<std::string> notes(const trace::MemorySource& program) {
  return smpi_replay(program, flat(), one_per_host(program.run().size)).replay.notes;
}

} // namespace timeless::replay
