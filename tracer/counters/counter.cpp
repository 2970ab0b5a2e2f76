#include "tracer/counters/counter.h"

#include "base/error.h"
#include "base/escaping.h"
#include "tracer/counters/candidates.h"
#include "tracer/counters/self_test.h"

#include <array>
#include <string>

namespace timeless::tracer {
namespace {

constexpr std::array<Candidate, 5> table = {{
    {.name = "icount", .takes_argument = false, .automatic = true, .start = start_icount},
    {.name = "papi", .takes_argument = true, .automatic = true, .start = start_papi},
    {.name = "cputime", .takes_argument = false, .automatic = false, .start = start_cputime},
    {.name = "walltime", .takes_argument = false, .automatic = false, .start = start_walltime},
    {.name = "none", .takes_argument = false, .automatic = false, .start = start_none},
}};

std::string names_of(std::span<const Candidate> candidates) {
  std::string names = "auto";
  for (const Candidate& candidate : candidates) {
    names.append(", ").append(candidate.name);
    if (candidate.takes_argument) names.append(" (or ").append(candidate.name).append(":EVENT)");
  }
  return names;
}

ActiveCounter calibrated(ActiveCounter counter) {
  counter.skew = calibrate_skew(counter.read);
  return counter;
}

ActiveCounter first_that_starts(std::span<const Candidate> candidates) {
  std::string reasons;
  for (const Candidate& candidate : candidates) {
    if (!candidate.automatic) continue;
    try {
      return calibrated(candidate.start({}));
    } catch (const Error& error) {
      if (error.failure() != Failure::missing_capability) throw;
      reasons.append(reasons.empty() ? "" : "; ").append(candidate.name).append(": ").append(error.description());
    }
  }
  throw Error(Failure::missing_capability, "nothing here counts instructions: " + reasons, "TIMELESS_COUNTER=auto",
              "run under `timeless record`, which counts with icount where there are no hardware counters; or use a "
              "machine with hardware counters and kernel.perf_event_paranoid at most 2; or set "
              "TIMELESS_COUNTER=cputime (inexact) or none");
}

} // namespace

std::span<const Candidate> candidates() {
  return table;
}

ActiveCounter choose_counter(std::string_view choice, std::span<const Candidate> candidates) {
  if (choice.empty() || choice == "auto") return first_that_starts(candidates);
  const std::size_t colon = choice.find(':');
  const std::string_view name = choice.substr(0, colon);
  const std::string_view argument = colon == std::string_view::npos ? std::string_view{} : choice.substr(colon + 1);
  for (const Candidate& candidate : candidates) {
    if (candidate.name != name) continue;
    if (colon != std::string_view::npos && (!candidate.takes_argument || argument.empty())) break;
    return calibrated(candidate.start(argument));
  }
  throw Error(Failure::usage, "there is no counter " + in_quotes(choice), "TIMELESS_COUNTER",
              "choose one of " + names_of(candidates));
}

ActiveCounter start_counter(std::string_view choice) {
  return choose_counter(choice, table);
}

std::vector<std::string> shortcomings(const ActiveCounter& counter) {
  std::vector<std::string> found;
  if (const std::uint64_t failed = failed_reads(); failed > 0)
    found.push_back("the counter could not be read " + std::to_string(failed) + " times: volumes are not exact");
  if (const std::uint64_t uncounted = uncounted_workers(); uncounted > 0 && counter.workers != nullptr)
    found.push_back("worker threads that could not be counted, or not to their end: " + std::to_string(uncounted));
  return found;
}

} // namespace timeless::tracer
