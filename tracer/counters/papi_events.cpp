#include "tracer/counters/papi_events.h"

#include <algorithm>
#include <array>
#include <papi.h>

namespace timeless::tracer {

int PapiEvents::start(const PapiLibrary& papi, std::span<const std::string> events, std::optional<pid_t> thread) {
  static_assert(none == PAPI_NULL);
  if (events.size() > most) return PAPI_ECNFLCT;
  // PAPI copies names into arrays of this size without looking.
  const auto too_long = [](const std::string& event) { return event.size() >= PAPI_MAX_STR_LEN; };
  if (std::ranges::any_of(events, too_long)) return PAPI_ENOEVNT;
  int status = papi.create_eventset(&set_);
  for (const std::string& event : events)
    if (status == PAPI_OK) status = papi.add_named_event(set_, event.c_str());
  if (status == PAPI_OK && thread) status = papi.attach(set_, static_cast<unsigned long>(*thread));
  if (status == PAPI_OK) status = papi.start(set_);
  if (status != PAPI_OK && counting()) stop(papi);
  return status;
}

void PapiEvents::stop(const PapiLibrary& papi) {
  std::array<long long, most> last{};
  papi.stop(set_, last.data());
  papi.cleanup_eventset(set_);
  papi.destroy_eventset(&set_);
  set_ = none;
}

} // namespace timeless::tracer
