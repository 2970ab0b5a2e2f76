#pragma once

#include "base/error.h"

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <csignal>
#include <sys/types.h>

namespace timeless {

/// Variables to be set in the environment of a child, in addition to or instead of our own.
using Variables = std::vector<std::pair<std::string, std::string>>;

/// How a child ended.
class ExitStatus {
public:
  ExitStatus() = default;
  /// Takes a status as waitpid() tells it.
  explicit ExitStatus(int waited);

  /// Returns the status as a shell tells it: what it exited with, or 128 + the signal it died of. Of a child that exits
  /// with 139 and one that dies of signal 11, this is the same.
  int code() const { return signal_ != 0 ? 128 + signal_ : exited_with_; }
  /// Returns the signal that it died of; 0 where it exited.
  int signal() const { return signal_; }

private:
  int exited_with_ = 0;
  int signal_ = 0;
};

/// A program to start as a child.
struct ChildProgram {
  std::vector<std::string> command; ///< name (looked up in PATH unless it holds a slash) and arguments
  Variables variables = {};
  /// Descriptors that become its standard streams; below 0: ours.
  int input = -1;
  int output = -1;
  int errors = -1;
  bool standard_streams_only = false; ///< also descriptors that are not closed on exec stay with us
  const sigset_t* blocked = nullptr;  ///< signals that are blocked in it; null: as here
  Failure refusal = Failure::runtime; ///< the failure where the system cannot execute it
};

/// A child process. Waits for its end on destruction, so that none stays behind.
class Child {
public:
  /// Starts a program. Throws Error(program.refusal) when it cannot be executed.
  static Child execute(const ChildProgram& program);
  /// Starts a copy of this process that runs `body`, which must not return. Throws Error(runtime).
  static Child fork(const std::function<void()>& body);

  Child(Child&& other) noexcept : process_(std::exchange(other.process_, -1)) {}
  Child& operator=(Child&&) = delete;
  ~Child();

  pid_t process() const { return process_; }
  /// Returns whether it has ended; wait() does not block then.
  bool has_ended() const;
  /// Waits for its end, also when signals arrive meanwhile. To be called once.
  ExitStatus wait();

private:
  explicit Child(pid_t process) : process_(process) {}

  pid_t process_;
};

/// Waits for the first of these children to end, also when signals arrive meanwhile, and returns its place. The child
/// has still to be waited for. Every child of this process must be one of them. Throws Error(runtime).
std::size_t first_to_end(const std::vector<Child>& children);

/// Returns the file that executing `name` would execute: the name itself if it holds a slash, else the first in PATH;
/// empty if there is none.
std::string found_command(const std::string& name);

} // namespace timeless
