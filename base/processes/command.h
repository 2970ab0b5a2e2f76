#pragma once

#include "base/processes/child.h"

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

/// Running other programs.
namespace timeless {

/// Runs a command as if it stood in our place: its standard streams are ours, signals sent to us reach it, and those
/// that the terminal sends to both do not end us. Throws Error(usage) when the command cannot be executed.
ExitStatus run_in_our_place(const std::vector<std::string>& command, const Variables& variables);

struct Captured {
  ExitStatus status;
  std::string output;
  std::string errors;
  int interrupted = 0; ///< of run_heard(): the last signal that asked us to end meanwhile
};

/// Runs a command with no input and keeps what it prints. Throws Error(runtime) when it cannot be executed.
Captured run_captured(const std::vector<std::string>& command, const Variables& variables = {});

/// The same, but after `limit` calls `late` and asks the command to end (SIGTERM), and five seconds later makes it.
Captured run_captured_at_most(const std::vector<std::string>& command, const Variables& variables,
                              std::chrono::milliseconds limit, const std::function<void()>& late);

/// Takes what a command prints on its standard output, as it comes. False: it has heard enough.
using Heard = std::function<bool(std::string_view bytes)>;

/// The same, but what it prints on its standard output goes to `heard` instead. When that has heard enough, the command
/// is asked to end as after `limit`, without a call of `late`. Signals sent to us reach it, as with
/// run_in_our_place().
Captured run_heard(const std::vector<std::string>& command, const Heard& heard, std::chrono::milliseconds limit,
                   const std::function<void()>& late);

} // namespace timeless
