#include "tracer/counters/profile.h"

#include "base/error.h"
#include "base/escaping.h"
#include "tracer/counters/memory_profile.h"
#include "tracer/counters/papi_counter.h"
#include "tracer/counters/papi_events.h"
#include "tracer/counters/papi_library.h"

#include <algorithm>
#include <array>
#include <papi.h>
#include <pthread.h>
#include <span>

namespace timeless::tracer {
namespace {

using Events = std::vector<std::string>;

// One profile per process; start_profile sets these before anything reads.
PapiLibrary papi;
Events counted;
bool with_volumes = false; ///< PAPI counts the volumes, too
bool of_memory = false;    ///< icount counts, and PAPI does not
pthread_key_t end_of_thread;

/// The calling thread's own events, where PAPI does not count its volumes.
struct OwnEvents {
  PapiEvents events;
  bool tried = false;
};

constinit thread_local OwnEvents own;

bool start_own() noexcept {
  if (!own.tried) {
    own.tried = true;
    if (own.events.start(papi, counted) == PAPI_OK) pthread_setspecific(end_of_thread, &own);
  }
  return own.events.counting();
}

void stop_own(void* /*own*/) {
  own.events.stop(papi);
  papi.unregister_thread();
}

[[noreturn]] void refuse(Failure failure, const std::string& what, const std::string& advice) {
  throw Error(failure, what, "TIMELESS_PROFILE", advice);
}

Events events_of(std::string_view list) {
  Events events;
  while (true) {
    const std::size_t comma = list.find(',');
    const std::string event(list.substr(0, comma));
    if (event.empty() || event.find_first_of(" \t\n") != std::string::npos)
      refuse(Failure::usage, in_quotes(event) + " is no event",
             "give names of events with commas and nothing else between");
    if (std::ranges::find(events, event) != events.end())
      refuse(Failure::usage, in_quotes(event) + " stands there twice", "name each event once");
    events.push_back(event);
    if (comma == std::string_view::npos) break;
    list.remove_prefix(comma + 1);
  }
  if (events.size() > most_papi_events)
    refuse(Failure::usage, std::to_string(events.size()) + " events are too many",
           "name at most " + std::to_string(most_papi_events));
  return events;
}

std::string list_of(std::span<const std::string> events) {
  std::string list;
  for (const std::string& event : events)
    list.append(list.empty() ? "" : ", ").append(event);
  return list;
}

/// Tries these events. Returns PAPI_OK, or why they cannot be counted; nothing is left behind.
int try_alone(const PapiLibrary& library, std::span<const std::string> events) {
  PapiEvents attempt;
  const int status = attempt.start(library, events);
  if (status == PAPI_OK) attempt.stop(library);
  return status;
}

/// PAPI says which events the processor has, also where the system lets nobody count them: each is tried.
Events available(const PapiLibrary& library, std::size_t most) {
  Events names;
  int event = static_cast<int>(PAPI_PRESET_MASK);
  if (library.enum_event(&event, PAPI_ENUM_FIRST) != PAPI_OK) return names;
  do {
    std::array<char, PAPI_MAX_STR_LEN> name{};
    if (library.event_code_to_name(event, name.data()) != PAPI_OK) continue;
    const std::string known(name.data());
    // Where others are being counted, that says nothing.
    const int status = try_alone(library, {&known, 1});
    if (status == PAPI_OK || status == PAPI_EISRUN) names.push_back(known);
  } while (names.size() < most && library.enum_event(&event, PAPI_PRESET_ENUM_AVAIL) == PAPI_OK);
  return names;
}

std::string advice(const PapiLibrary& library) {
  constexpr std::size_t shown = 12;
  const Events presets = available(library, shown);
  if (presets.empty())
    return "no processor counters are available here, as in most virtual machines; PAPI's software events are, such as "
           "perf::PAGE-FAULTS";
  return "among what is available here: " + list_of(presets) + "; papi_avail and papi_native_avail list all";
}

/// Says which event it is that cannot be counted, and with which others; `begin` counts those of a prefix of the list.
template <typename Begin>
[[noreturn]] void refuse_first_that_fails(const Events& events, const std::string& beside, int status, Begin&& begin) {
  for (std::size_t size = 1; size <= events.size(); ++size) {
    const std::span<const std::string> some(events.data(), size);
    const int code = begin(some);
    if (code == PAPI_OK) continue;
    // Told apart by trying it alone; where other events of its component are being counted, that says nothing.
    const int alone = try_alone(papi, some.last(1));
    const bool never = alone != PAPI_OK && alone != PAPI_EISRUN;
    std::string others = never ? "" : list_of(some.first(size - 1));
    if (!never && !beside.empty()) others += (others.empty() ? "" : " and ") + beside;
    refuse(Failure::missing_capability,
           in_quotes(some.back()) + " cannot be counted" + (others.empty() ? "" : " together with " + others) + ": " +
               papi.strerror(never ? alone : code),
           others.empty() ? advice(papi) : "profile them in runs of their own; " + advice(papi));
  }
  refuse(Failure::missing_capability, list_of(events) + " cannot be counted: " + papi.strerror(status), advice(papi));
}

void start_alone(const Events& events) {
  try {
    papi = load_papi();
  } catch (const Error& error) {
    refuse(error.failure(), error.description(), "install PAPI 7 (Debian: libpapi7.0), or record without a profile");
  }
  const auto begin = [](std::span<const std::string> some) { return try_alone(papi, some); };
  if (const int status = begin(events); status != PAPI_OK) refuse_first_that_fails(events, "", status, begin);
  if (pthread_key_create(&end_of_thread, stop_own) != 0)
    refuse(Failure::missing_capability, "the program has taken all keys of thread-local data", "");
}

void start_with_volumes(const Events& events, const std::string& volumes) {
  // An event that cannot be counted at all is named as such: the volumes' set tells only that they do not fit.
  const int status = count_with_volumes(events);
  if (status != PAPI_OK) refuse_first_that_fails(events, volumes, status, count_with_volumes);
}

} // namespace

std::vector<std::string> start_profile(std::string_view list, const ActiveCounter& counter) {
  if (list == memory_profile) {
    of_memory = true;
    return start_memory_profile(counter);
  }
  const Events events = events_of(list);
  if (counter.identity.name == "icount")
    refuse(Failure::missing_capability, "no events can be counted under icount: they would be of Valgrind's work",
           "record once with icount (--profile memory is its own), and once more with another counter (--counter none, "
           "or cputime) and these events");
  if (const PapiLibrary* volumes = papi_of_volumes()) {
    papi = *volumes;
    with_volumes = true;
    start_with_volumes(events, counter.identity.name);
  } else {
    start_alone(events);
  }
  counted = events;
  return events;
}

bool read_profile(std::uint64_t* values, Boundary boundary) noexcept {
  if (of_memory) return read_memory_profile(values, boundary == Boundary::call_begins);
  if (with_volumes) return read_with_volumes(values);
  std::array<long long, PapiEvents::most> read; // NOLINT(cppcoreguidelines-pro-type-member-init): on the hot path
  if (!start_own() || own.events.read(papi, read.data()) != PAPI_OK) return false;
  std::copy_n(read.begin(), counted.size(), values);
  return true;
}

std::vector<std::string> available_events(std::size_t most) {
  return available(load_papi(), most);
}

} // namespace timeless::tracer
