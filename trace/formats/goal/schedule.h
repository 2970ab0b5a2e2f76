#pragma once

#include "trace/model/ids.h"

#include <cstdint>
#include <vector>

namespace timeless::trace::formats::goal {

/// The codes of LogGOPSim's binary form.
enum class OperationType : std::uint8_t { send = 1, receive = 2, calculation = 3 };

/// The source and the tag of a receive that takes what comes.
inline constexpr std::uint32_t anything = 0xffffffffU;

/// One operation of a rank in a GOAL schedule.
struct Operation {
  std::uint64_t size = 0; ///< bytes of a message, nanoseconds of a calculation
  std::uint32_t peer = 0;
  std::uint32_t tag = 0;
  std::uint8_t cpu = 0;
  std::uint8_t nic = 0;
  OperationType type = OperationType::calculation;
  bool operator==(const Operation&) const = default;
};

/// `later` does not begin before `earlier` has finished ("requires"), or has begun ("irequires").
struct Dependency {
  std::uint32_t later = 0;
  std::uint32_t earlier = 0;
  bool begun = false;
  bool operator==(const Dependency&) const = default;
  auto operator<=>(const Dependency&) const = default;
};

/// What one rank does: operations, by number, and what keeps them from beginning all at once.
struct Schedule {
  std::vector<Operation> operations;
  std::vector<Dependency> dependencies;
};

/// Of all ranks.
using Schedules = std::vector<Schedule>;

} // namespace timeless::trace::formats::goal
