#include "tools/recording/counter_choice.h"

#include "base/error.h"
#include "base/escaping.h"
#include "base/processes/apart.h"
#include "tools/cli/locate.h"
#include "tracer/counters/candidates.h"
#include "tracer/counters/memory_profile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace timeless::tools {

namespace {

[[noreturn]] void no_counter(const std::string& why) {
  const std::string icount = icount_tool().empty() ? "install valgrind and rebuild Timeless for icount"
                                                   : "choose --counter icount, which works here";
  throw Error(Failure::missing_capability, why, "--counter",
              icount + ", use a machine with hardware counters, or choose --counter cputime (inexact) or none; "
                       "`timeless doctor` tells more");
}

void check_known(const std::string& option) {
  const std::string name = option.substr(0, option.find(':'));
  const auto known = tracer::candidates();
  const auto found = std::ranges::find(known, name, &tracer::Candidate::name);
  if (found != known.end() && (name == option || (found->takes_argument && option.size() > name.size() + 1))) return;
  throw Error(Failure::usage, "there is no counter " + in_quotes(option), "--counter",
              fmt::format("choose one of {}", fmt::join(counter_words(), ", ")));
}

constexpr const char* icount_notice = "no hardware counters here: counting with icount under Valgrind, exact and "
                                      "reproducible, 2-9x slower plus about 1 s of CPU per rank";

/// Only icount sees addresses.
CounterChoice choose_for_memory(const std::string& option) {
  if (option != "auto" && option != "icount")
    throw Error(Failure::usage, "--profile memory is icount's", "--counter " + option,
                "record with --counter icount, or without the profile");
  if (const std::string why = why_no_icount(); !why.empty()) no_counter(why);
  return {.counter = "icount",
          .notices = {"counting with icount under Valgrind, memory accesses too: 10-60x slower plus about 1 s of CPU "
                      "per rank"}};
}

} // namespace

std::string why_no_hardware_counter(const std::string& choice) {
  const auto start = [&choice](const ChildReport&) -> std::string {
    try {
      tracer::start_counter(choice);
      return {};
    } catch (const Error& error) {
      return error.description();
    }
  };
  try {
    return run_apart(start, {.what = "PAPI crashed when tried"});
  } catch (const Error& error) {
    return error.description();
  }
}

std::string why_no_icount() {
  if (!icount_tool().empty()) return {};
  return "the icount tool is not there (" + (icount_directory() / "icount-amd64-linux").string() +
         "): it is built on x86-64 Linux where valgrind is installed";
}

std::vector<std::string> counter_words() {
  std::vector<std::string> words{"auto"};
  for (const tracer::Candidate& one : tracer::candidates()) {
    words.emplace_back(one.name);
    if (one.takes_argument) words.push_back(std::string(one.name) + ":EVENT");
  }
  return words;
}

CounterChoice choose_recording_counter(const std::string& option, const std::string& profile) {
  if (profile == tracer::memory_profile) return choose_for_memory(option);
  if (option == "auto") {
    const std::string no_hardware = why_no_hardware_counter();
    if (no_hardware.empty()) return {.counter = "papi", .notices = {}};
    if (const std::string no_icount = why_no_icount(); !no_icount.empty())
      no_counter("nothing here counts instructions: " + no_hardware + "; " + no_icount);
    return {.counter = "icount", .notices = {icount_notice, "(" + no_hardware + ")"}};
  }
  check_known(option);
  if (option == "icount") {
    if (const std::string why = why_no_icount(); !why.empty()) no_counter(why);
  }
  if (option.starts_with("papi")) {
    if (const std::string why = why_no_hardware_counter(option); !why.empty()) no_counter(why);
  }
  return {.counter = option, .notices = {}};
}

} // namespace timeless::tools
