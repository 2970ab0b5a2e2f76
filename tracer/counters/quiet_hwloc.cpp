#include "tracer/counters/quiet_hwloc.h"

#include <cstdlib>
#include <valgrind/valgrind.h>

namespace timeless::tracer {
namespace {

constexpr const char* components_variable = "HWLOC_COMPONENTS";
constexpr const char* without_processor = "-x86";

} // namespace

QuietHwloc::QuietHwloc() : changed_(RUNNING_ON_VALGRIND != 0) {
  if (!changed_) return;
  if (const char* value = std::getenv(components_variable)) before_ = value;
  const std::string components = before_ && !before_->empty() ? *before_ + "," + without_processor : without_processor;
  setenv(components_variable, components.c_str(), 1);
}

QuietHwloc::~QuietHwloc() {
  if (!changed_) return;
  if (before_)
    setenv(components_variable, before_->c_str(), 1);
  else
    unsetenv(components_variable);
}

} // namespace timeless::tracer
