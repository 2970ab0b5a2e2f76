#pragma once

#include "base/processes/child.h"

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Running other programs.
namespace timeless {

/// How a command ended that ran in our place.
struct Ended {
  ExitStatus status;
  int interrupted = 0; ///< the last signal that asked us to end meanwhile
};

/// Runs a command as if it stood in our place: its standard streams are ours, signals sent to us reach it, and those
/// that the terminal sends to both do not end us. Throws Error(usage) when the command cannot be executed.
Ended run_in_our_place(const std::vector<std::string>& command, const Variables& variables);

/// How a command ended and what it wrote.
struct Captured {
  ExitStatus status;
  std::string output;
  std::string errors;
  int interrupted = 0; ///< of run_watched(): the last signal that asked us to end meanwhile
};

/// Runs a command with no input and keeps what it prints. Throws Error(runtime) when it cannot be executed.
Captured run_captured(const std::vector<std::string>& command, const Variables& variables = {});

/// Runs the command likewise, but after `limit` calls `late` and asks the command, and what it has started, to end
/// (SIGTERM), and five seconds later kills them.
Captured run_captured_at_most(const std::vector<std::string>& command, const Variables& variables,
                              std::chrono::milliseconds limit, const std::function<void()>& late);

/// Asks what run_captured() and run_captured_at_most() run now to end (SIGTERM): for a signal handler that ends this
/// process.
void end_captured_commands() noexcept;

/// How a command is watched while it runs; what is empty is not asked for.
struct Watching {
  /// Takes what the command prints on its standard output, as it comes. False: it has heard enough, and the command is
  /// asked to end as after `limit`, without a call of `late`.
  std::function<bool(std::string_view bytes)> heard = {};
  std::optional<std::chrono::milliseconds> limit = {}; ///< then the command is asked to end (SIGTERM)
  std::function<void()> late = {};                     ///< called before it is
  std::function<void()> meanwhile = {};                ///< called several times a second
};

/// Runs the command as run_captured() does, but watched. A signal that asks us to end is handed to it and to what it
/// has started; so is SIGTERM when its time is over. What is left of them five seconds later is killed (SIGKILL).
Captured run_watched(const std::vector<std::string>& command, const Variables& variables, const Watching& watching);

} // namespace timeless
