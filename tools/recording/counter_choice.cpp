#include "tools/recording/counter_choice.h"

#include "tools/locate.h"
#include "trace/error.h"
#include "trace/quoted.h"
#include "tracer/counters/candidates.h"

#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace timeless::tools {

namespace {

void write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(file, text.data(), text.size());
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

std::string read_all(int file) {
  std::string text;
  std::array<char, 512> chunk{};
  for (ssize_t got = 0; (got = read(file, chunk.data(), chunk.size())) > 0;)
    text.append(chunk.data(), static_cast<std::size_t>(got));
  return text;
}

/// In the child: starts the counter, says what happened.
[[noreturn]] void try_counter(const std::string& choice, int answer) {
  int status = 0;
  try {
    tracer::start_counter(choice);
  } catch (const Error& error) {
    write_all(answer, error.description());
    status = 1;
  } catch (const std::exception& error) {
    write_all(answer, error.what());
    status = 1;
  }
  _exit(status);
}

[[noreturn]] void no_counter(const std::string& why) {
  const std::string icount =
      icount_tool().empty() ? "install valgrind and rebuild Timeless for icount" : "choose --counter icount, which works here";
  throw Error(Failure::missing_capability, why, "--counter",
              icount + ", use a machine with hardware counters, or choose --counter cputime (inexact) or none; "
                       "`timeless doctor` tells more");
}

void check_known(const std::string& option) {
  const std::string name = option.substr(0, option.find(':'));
  const auto known = tracer::candidates();
  const auto found = std::ranges::find(known, name, &tracer::Candidate::name);
  if (found != known.end() && (name == option || (found->takes_argument && option.size() > name.size() + 1))) return;
  throw Error(Failure::usage, "there is no counter " + trace::quoted(option), "--counter",
              "choose auto, papi, papi:EVENT, icount, cputime or none");
}

constexpr const char* icount_notice = "no hardware counters here: counting with icount under Valgrind, exact and "
                                      "reproducible, 2-9x slower plus about 1 s of CPU per rank";

} // namespace

std::string why_no_hardware_counter(const std::string& choice) {
  std::array<int, 2> answer{};
  if (pipe(answer.data()) != 0) return std::string("no pipe: ") + std::strerror(errno);
  const pid_t child = fork();
  if (child == 0) try_counter(choice, answer[1]);
  close(answer[1]);
  std::string why = read_all(answer[0]);
  close(answer[0]);
  if (child < 0) return "no process to try PAPI in";
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (why.empty() && status != 0) why = "PAPI crashed when tried";
  return why;
}

std::string why_no_icount() {
  if (!icount_tool().empty()) return {};
  return "the icount tool is not there (" + (icount_directory() / "icount-amd64-linux").string() +
         "): it is built on x86-64 Linux where valgrind is installed";
}

CounterChoice choose_recording_counter(const std::string& option) {
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
