#include "tools/child_process.h"

#include "trace/error.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <poll.h>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>

namespace timeless::tools {

namespace {

// What a user or a batch system may send to the command, meaning the program it runs.
constexpr std::array forwarded_signals = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGXCPU};

volatile std::sig_atomic_t running_child = 0;

void forward(int signal, siginfo_t* information, void* /*context*/) {
  // The terminal has sent it to the child already; twice means "abort at once" to mpirun.
  if (information->si_code == SI_KERNEL || running_child == 0) return;
  const int saved = errno;
  kill(static_cast<pid_t>(running_child), signal);
  errno = saved;
}

/// Forwards signals while it lives; the child gets the dispositions from before.
class Forwarding {
public:
  Forwarding() {
    struct sigaction action {};
    action.sa_sigaction = forward;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigemptyset(&action.sa_mask);
    for (const int signal : forwarded_signals)
      sigaddset(&action.sa_mask, signal);
    // None may arrive between here and the child's number being known.
    sigprocmask(SIG_BLOCK, &action.sa_mask, &before_);
    for (std::size_t i = 0; i < forwarded_signals.size(); ++i)
      sigaction(forwarded_signals[i], nullptr, &old_[i]);
    for (std::size_t i = 0; i < forwarded_signals.size(); ++i)
      if (old_[i].sa_handler != SIG_IGN) sigaction(forwarded_signals[i], &action, nullptr);
  }
  Forwarding(const Forwarding&) = delete;
  Forwarding& operator=(const Forwarding&) = delete;
  ~Forwarding() {
    running_child = 0;
    restore();
  }
  void child_runs(pid_t child) {
    running_child = child;
    sigprocmask(SIG_SETMASK, &before_, nullptr);
  }
  void restore() {
    for (std::size_t i = 0; i < forwarded_signals.size(); ++i)
      sigaction(forwarded_signals[i], &old_[i], nullptr);
    sigprocmask(SIG_SETMASK, &before_, nullptr);
  }

private:
  sigset_t before_{};
  std::array<struct sigaction, forwarded_signals.size()> old_{};
};

class Pipe {
public:
  Pipe() {
    if (pipe2(ends_.data(), O_CLOEXEC) != 0)
      throw Error(Failure::runtime, std::string("no pipe: ") + std::strerror(errno), "", "close other programs");
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  int reading() const { return ends_[0]; }
  int writing() const { return ends_[1]; }
  void close_reading() { close_end(0); }
  void close_writing() { close_end(1); }

private:
  void close_end(std::size_t end) {
    if (ends_[end] >= 0) close(ends_[end]);
    ends_[end] = -1;
  }
  std::array<int, 2> ends_{-1, -1};
};

/// Becomes the command; returns errno.
int execute(const std::vector<std::string>& command, const Variables& variables) {
  for (const auto& [name, value] : variables)
    setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string& argument : command)
    arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  return errno;
}

/// In the child: tells the parent why it could not become the command.
[[noreturn]] void execute_or_tell(const std::vector<std::string>& command, const Variables& variables, Pipe& trouble) {
  const int reason = execute(command, variables);
  if (write(trouble.writing(), &reason, sizeof reason) != sizeof reason) _exit(126);
  _exit(127);
}

/// In the parent: why the child could not become the command, if so.
std::optional<int> trouble_told(Pipe& trouble) {
  trouble.close_writing();
  int reason = 0;
  ssize_t got = 0;
  do
    got = read(trouble.reading(), &reason, sizeof reason);
  while (got < 0 && errno == EINTR);
  return got == sizeof reason ? std::optional(reason) : std::nullopt;
}

ExitStatus wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

pid_t fork_or_throw() {
  const pid_t child = fork();
  if (child < 0) throw Error(Failure::runtime, std::string("no process: ") + std::strerror(errno));
  return child;
}

void check_executed(Failure failure, const std::vector<std::string>& command, Pipe& trouble, pid_t child) {
  if (const std::optional<int> reason = trouble_told(trouble)) {
    wait_for(child);
    throw Error(failure, std::string("cannot be executed: ") + std::strerror(*reason), command.front(),
                "give a command that runs on its own");
  }
}

using Clock = std::chrono::steady_clock;

/// What is done to a child that does not end by itself.
class Deadline {
public:
  Deadline() = default; ///< none
  Deadline(pid_t child, std::chrono::milliseconds limit, const std::function<void()>& late)
      : child_(child), next_(Clock::now() + limit), late_(&late) {}

  /// Milliseconds until something is to be done, as poll() takes them.
  int wait() const {
    if (!next_) return -1;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*next_ - Clock::now()).count();
    return static_cast<int>(std::clamp<std::int64_t>(left, 0, 3'600'000));
  }

  void act_when_due() {
    if (!next_ || Clock::now() < *next_) return;
    if (!asked_) (*late_)();
    kill(child_, asked_ ? SIGKILL : SIGTERM);
    next_ = asked_ ? std::nullopt : std::optional(Clock::now() + std::chrono::seconds(5));
    asked_ = true;
  }

private:
  pid_t child_ = 0;
  std::optional<Clock::time_point> next_;
  const std::function<void()>* late_ = nullptr;
  bool asked_ = false;
};

void read_all(int output, int errors, Captured& captured, Deadline deadline = {}) {
  std::array<pollfd, 2> sources = {{{output, POLLIN, 0}, {errors, POLLIN, 0}}};
  const std::array<std::string*, 2> sinks = {&captured.output, &captured.errors};
  while (sources[0].fd >= 0 || sources[1].fd >= 0) {
    const int ready = poll(sources.data(), sources.size(), deadline.wait());
    if (ready < 0 && errno != EINTR) return;
    deadline.act_when_due();
    if (ready <= 0) continue;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      if (sources[i].fd < 0 || sources[i].revents == 0) continue;
      std::array<char, 4096> chunk{};
      const ssize_t got = read(sources[i].fd, chunk.data(), chunk.size());
      if (got > 0)
        sinks[i]->append(chunk.data(), static_cast<std::size_t>(got));
      else if (got == 0 || errno != EINTR)
        sources[i].fd = -1;
    }
  }
}

} // namespace

ExitStatus run_in_our_place(const std::vector<std::string>& command, const Variables& variables) {
  Pipe trouble;
  Forwarding forwarding;
  const pid_t child = fork_or_throw();
  if (child == 0) {
    forwarding.restore();
    execute_or_tell(command, variables, trouble);
  }
  forwarding.child_runs(child);
  check_executed(Failure::usage, command, trouble, child);
  return wait_for(child);
}

namespace {

/// A child without input whose output we read.
class CapturedChild {
public:
  CapturedChild(const std::vector<std::string>& command, const Variables& variables) : child_(fork_or_throw()) {
    if (child_ == 0) {
      const int nothing = open("/dev/null", O_RDONLY);
      dup2(nothing, STDIN_FILENO);
      dup2(output_.writing(), STDOUT_FILENO);
      dup2(errors_.writing(), STDERR_FILENO);
      execute_or_tell(command, variables, trouble_);
    }
    output_.close_writing();
    errors_.close_writing();
    check_executed(Failure::runtime, command, trouble_, child_);
  }

  pid_t process() const { return child_; }

  Captured end(const Deadline& deadline) {
    Captured captured;
    read_all(output_.reading(), errors_.reading(), captured, deadline);
    captured.status = wait_for(child_);
    return captured;
  }

private:
  Pipe trouble_;
  Pipe output_;
  Pipe errors_;
  pid_t child_;
};

} // namespace

Captured run_captured(const std::vector<std::string>& command, const Variables& variables) {
  return CapturedChild(command, variables).end({});
}

Captured run_captured_at_most(const std::vector<std::string>& command, const Variables& variables,
                              std::chrono::milliseconds limit, const std::function<void()>& late) {
  CapturedChild child(command, variables);
  return child.end(Deadline(child.process(), limit, late));
}

std::string found_command(const std::string& name) {
  if (name.find('/') != std::string::npos) return access(name.c_str(), F_OK) == 0 ? name : std::string();
  const char* path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "" : path;
  while (!name.empty() && !rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    std::string candidate = std::string(rest.substr(0, end)) + "/" + name;
    if (end > 0 && access(candidate.c_str(), X_OK) == 0) return candidate;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return {};
}

} // namespace timeless::tools
