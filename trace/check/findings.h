#pragma once

#include "trace/check/check.h"

#include <string>

namespace timeless::trace::checking {

/// Lists what is found, up to a limit, and counts it all.
class Findings {
public:
  Findings(CheckReport& report, std::size_t most) : report_(report), most_(most) {}

  void add(Severity severity, Rank rank, std::uint64_t action, std::string words);

private:
  CheckReport& report_;
  std::size_t most_;
};

/// Returns "MPI_COMM_WORLD", or "communicator 3".
std::string words(CommunicatorId communicator);
/// Returns "1 message", "2 messages".
std::string counted(std::uint64_t count, const char* thing);

} // namespace timeless::trace::checking
