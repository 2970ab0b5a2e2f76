#include "tracer/counters/icount_process.h"

#include <utility>

namespace timeless::tracer {
namespace {

// Made on first use, which is before other constructors have run.
std::string& refusal() {
  static std::string reason;
  return reason;
}

} // namespace

const std::string& icount_refusal() {
  return refusal();
}
void set_icount_refusal(std::string reason) {
  refusal() = std::move(reason);
}

} // namespace timeless::tracer
