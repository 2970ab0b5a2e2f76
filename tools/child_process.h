#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <utility>
#include <vector>

/// Running other programs.
namespace timeless::tools {

/// Variables to be set in the environment of a child, in addition to or instead of our own.
using Variables = std::vector<std::pair<std::string, std::string>>;

/// How a child ended, as a shell tells it: its exit status, or 128 + the signal it died of.
using ExitStatus = int;

/// Runs a command as if it stood in our place: its standard streams are ours, signals sent to us reach it, and those
/// that the terminal sends to both do not end us. Throws Error(usage) when the command cannot be executed.
ExitStatus run_in_our_place(const std::vector<std::string>& command, const Variables& variables);

struct Captured {
  ExitStatus status = 0;
  std::string output;
  std::string errors;
};

/// Runs a command with no input and keeps what it prints. Throws Error(runtime) when it cannot be executed.
Captured run_captured(const std::vector<std::string>& command, const Variables& variables = {});

/// The same, but after `limit` calls `late` and asks the command to end (SIGTERM), and five seconds later makes it.
Captured run_captured_at_most(const std::vector<std::string>& command, const Variables& variables,
                              std::chrono::milliseconds limit, const std::function<void()>& late);

/// The file that executing `name` would execute: the name itself if it holds a slash, else the first in PATH; empty if
/// there is none.
std::string found_command(const std::string& name);

} // namespace timeless::tools
