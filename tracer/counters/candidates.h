#pragma once

#include "tracer/counters/counter.h"

#include <span>
#include <string_view>

/// The rows the choice is made from; counter.h is what the recorder sees.
namespace timeless::tracer {

/// A counter that may be chosen. `start` gets what follows the colon of the choice ("papi:EVENT") or nothing, and
/// throws Error saying why it cannot count; skew is calibrated by the caller.
struct Candidate {
  std::string_view name;
  bool takes_argument;
  bool automatic; ///< "auto" may take it
  ActiveCounter (*start)(std::string_view argument);
};

/// Counter::threads of a counter that counts workers, too.
inline constexpr const char* calling_and_workers = "calling, workers apart";

ActiveCounter start_icount(std::string_view argument);
ActiveCounter start_papi(std::string_view event);
ActiveCounter start_cputime(std::string_view argument);
ActiveCounter start_walltime(std::string_view argument);
ActiveCounter start_none(std::string_view argument);

/// Returns every counter there is, in the order "auto" tries them.
std::span<const Candidate> candidates();

/// Chooses as start_counter does, from any table: the named candidate, or the first automatic one that starts.
ActiveCounter choose_counter(std::string_view choice, std::span<const Candidate> table);

} // namespace timeless::tracer
