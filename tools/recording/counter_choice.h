#pragma once

#include <string>
#include <vector>

/// Which counter a recording on this machine uses.
namespace timeless::tools {

/// Returns why PAPI cannot count instructions here, or nothing when it can. Asked in a process of its own: PAPI opens
/// things that the recorded program must not inherit.
std::string why_no_hardware_counter(const std::string& choice = "papi");

/// Returns why icount cannot count here, or nothing when its tool is there.
std::string why_no_icount();

/// What will count the computation of a recording.
struct CounterChoice {
  std::string counter;              ///< for TIMELESS_COUNTER
  std::vector<std::string> notices; ///< what the user should know about it, a line each
};

/// Returns what --counter may be; what follows a colon is for a person to fill in.
std::vector<std::string> counter_words();

/// Returns what the option --counter comes to here, beside this --profile. Throws Error(missing_capability) when that
/// cannot count, Error(usage) when there is no such counter.
CounterChoice choose_recording_counter(const std::string& option, const std::string& profile = {});

} // namespace timeless::tools
