#include "tracer/counters/memory_profile.h"
#include "base/error.h"
#include "tracer/icount/icount.h"
#include "tracer/icount/memory_events.h"

#include "trace/model/memory_events.h"

namespace timeless::tracer {

static_assert(static_cast<std::size_t>(trace::memory_first_class) == MEMORY_SEQUENTIAL);

std::vector<std::string> start_memory_profile(const ActiveCounter& counter) {
  if (counter.identity.name != "icount")
    throw Error(Failure::missing_capability, "a profile of memory is taken by icount alone", "TIMELESS_PROFILE",
                "record with --counter icount, or without the profile");
  std::vector<std::string> events = trace::memory_events();
  std::vector<std::uint64_t> values(events.size());
  if (events.size() != MEMORY_EVENTS || ICOUNT_MEMORY_FORGET(values.data()) != values.size())
    throw Error(Failure::missing_capability, "the icount tool runs without its memory model", "TIMELESS_PROFILE",
                "let `timeless record --counter icount --profile memory` start the program, whole");
  return events;
}

bool read_memory_profile(std::uint64_t* values, bool call_begins) noexcept {
  return (call_begins ? ICOUNT_MEMORY_PAUSE(values) : ICOUNT_MEMORY_GO_ON(values)) != 0;
}

} // namespace timeless::tracer
