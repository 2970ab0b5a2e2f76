#include "trace/check/findings.h"

#include <utility>

namespace timeless::trace::checking {

void Findings::add(Severity severity, Rank rank, std::uint64_t action, std::string words) {
  switch (severity) {
  case Severity::note:
    ++report_.notes;
    break;
  case Severity::incomplete:
    ++report_.incomplete;
    break;
  case Severity::inconsistent:
    ++report_.inconsistent;
    break;
  }
  if (report_.findings.size() < most_) report_.findings.push_back({severity, rank, action, std::move(words)});
}

std::string words(CommunicatorId communicator) {
  return communicator == world_communicator ? "MPI_COMM_WORLD" : "communicator " + std::to_string(communicator);
}

std::string counted(std::uint64_t count, const char* thing) {
  return std::to_string(count) + " " + thing + (count == 1 ? "" : "s");
}

} // namespace timeless::trace::checking
