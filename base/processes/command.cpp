#include "base/processes/command.h"

#include "base/error.h"
#include "base/processes/descendants.h"
#include "base/processes/pipe.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <fcntl.h>
#include <functional>
#include <optional>
#include <poll.h>
#include <unistd.h>

namespace timeless {

namespace {

// What a user or a batch system may send to the command, meaning the program it runs.
constexpr std::array forwarded_signals = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGXCPU};

volatile std::sig_atomic_t running_child = 0; // that signals are forwarded to
volatile std::sig_atomic_t asked_to_end = 0;  // by which signal
volatile std::sig_atomic_t asked_by_terminal = 0;

void forward(int signal, siginfo_t* information, void* /*context*/) {
  if (signal != SIGUSR1 && signal != SIGUSR2) {
    asked_to_end = signal;
    asked_by_terminal = information->si_code == SI_KERNEL ? 1 : 0;
  }
  // The terminal has sent it to the child already; twice means "abort at once" to mpirun.
  if (information->si_code == SI_KERNEL || running_child == 0) return;
  const int saved = errno;
  kill(static_cast<pid_t>(running_child), signal);
  errno = saved;
}

/// Forwards signals while it lives, to a child that has none of them blocked or ignored but those that were before.
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
    asked_to_end = 0;
    asked_by_terminal = 0;
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
  /// Lets signals come: to this child, or only to us.
  void child_runs(std::optional<pid_t> child) {
    running_child = child.value_or(0);
    sigprocmask(SIG_SETMASK, &before_, nullptr);
  }
  const sigset_t& blocked_before() const { return before_; }
  /// Returns the signal that asked us to end; 0: none has.
  static int interrupted() { return asked_to_end; }
  /// Returns whether what we have started got that signal, too.
  static bool told_all() { return asked_by_terminal != 0; }

private:
  void restore() {
    for (std::size_t i = 0; i < forwarded_signals.size(); ++i)
      sigaction(forwarded_signals[i], &old_[i], nullptr);
    sigprocmask(SIG_SETMASK, &before_, nullptr);
  }

  sigset_t before_{};
  std::array<struct sigaction, forwarded_signals.size()> old_{};
};

using Clock = std::chrono::steady_clock;

/// What is done to a child that does not end by itself.
class Deadline {
public:
  Deadline(pid_t child, const Watching& watching) : child_(child), watching_(&watching) {
    if (watching.limit) next_ = Clock::now() + *watching.limit;
  }

  /// Ends the command as if the time were over.
  void end_now() { end_by(SIGTERM); }

  /// Asks the command to end, and what it has started, by this signal; 0: they know.
  void end_by(int signal) {
    if (asked_) return;
    if (signal != 0) signal_with_descendants(child_, signal);
    asked_ = true;
    next_ = Clock::now() + std::chrono::seconds(5);
  }

  /// Does what is due. Returns for how many milliseconds nothing else will be, as poll() takes them; -2 once the child
  /// is gone for certain: what it started may live on, and keep its output open.
  int act_when_due() {
    if (watching_->meanwhile) watching_->meanwhile();
    if (asked_ && !next_) return -2;
    if (next_ && Clock::now() >= *next_) {
      if (!asked_ && watching_->late) watching_->late();
      signal_with_descendants(child_, asked_ ? SIGKILL : SIGTERM);
      next_ = asked_ ? std::nullopt : std::optional(Clock::now() + std::chrono::seconds(5));
      asked_ = true;
    }
    if (!next_ && asked_) return 0; // once more, for what it said last
    constexpr int often = 200;      // a signal may come just before poll()
    if (!next_) return often;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*next_ - Clock::now()).count();
    return static_cast<int>(std::clamp<std::int64_t>(left, 0, often));
  }

private:
  pid_t child_;
  const Watching* watching_;
  std::optional<Clock::time_point> next_;
  bool asked_ = false;
};

} // namespace

Ended run_in_our_place(const std::vector<std::string>& command, const Variables& variables) {
  Forwarding forwarding;
  Child child = Child::execute(
      {.command = command, .variables = variables, .blocked = &forwarding.blocked_before(), .refusal = Failure::usage});
  forwarding.child_runs(child.process());
  const ExitStatus status = child.wait();
  return {status, Forwarding::interrupted()};
}

namespace {

/// A standard input that is at its end.
class NoInput {
public:
  NoInput() : descriptor_(open("/dev/null", O_RDONLY | O_CLOEXEC)) {}
  NoInput(const NoInput&) = delete;
  NoInput& operator=(const NoInput&) = delete;
  ~NoInput() { close(descriptor_); }
  int descriptor() const { return descriptor_; }

private:
  int descriptor_;
};

/// The commands that run captured, for a signal handler; those beyond its size are not in it.
std::array<std::atomic<pid_t>, 64> captured_commands{};

/// A command's place among them while it lives.
class Registered {
public:
  explicit Registered(pid_t process) {
    for (std::atomic<pid_t>& free : captured_commands) {
      pid_t nobody = 0;
      if (!free.compare_exchange_strong(nobody, process)) continue;
      place_ = &free;
      return;
    }
  }
  Registered(const Registered&) = delete;
  Registered& operator=(const Registered&) = delete;
  ~Registered() { leave(); }
  /// To be called before the process is waited for: its number may be another's afterwards.
  void leave() {
    if (place_ != nullptr) place_->store(0);
    place_ = nullptr;
  }

private:
  std::atomic<pid_t>* place_ = nullptr;
};

/// A child without input whose output we read.
class CapturedChild {
public:
  CapturedChild(const std::vector<std::string>& command, const Variables& variables, const sigset_t* blocked = nullptr)
      : child_(start(command, variables, blocked)) {
    output_.close_writing();
    errors_.close_writing();
  }

  pid_t process() const { return child_.process(); }

  /// With `interruptible`, a signal that asks us to end ends the command.
  Captured end(const Watching& watching, bool interruptible = false) {
    Captured captured;
    Deadline deadline(child_.process(), watching);
    const auto take = [&](std::string_view bytes) {
      if (!watching.heard)
        captured.output += bytes;
      else if (!watching.heard(bytes))
        deadline.end_now();
    };
    const auto act = [&] {
      captured.interrupted = interruptible ? Forwarding::interrupted() : 0;
      if (captured.interrupted != 0) deadline.end_by(Forwarding::told_all() ? 0 : captured.interrupted);
      return deadline.act_when_due();
    };
    const Listening sources[] = {{output_.reading(), take},
                                 {errors_.reading(), [&](std::string_view bytes) { captured.errors += bytes; }}};
    listen_to_all(sources, act);
    // It may have closed its output, and live on.
    constexpr int a_moment = 2;
    while (!child_.has_ended() && act() >= -1)
      ::poll(nullptr, 0, a_moment);
    registered_.leave();
    captured.status = child_.wait();
    return captured;
  }

private:
  Child start(const std::vector<std::string>& command, const Variables& variables, const sigset_t* blocked) const {
    const NoInput nothing;
    return Child::execute({.command = command,
                           .variables = variables,
                           .input = nothing.descriptor(),
                           .output = output_.writing(),
                           .errors = errors_.writing(),
                           .blocked = blocked});
  }

  Pipe output_;
  Pipe errors_;
  Child child_;
  Registered registered_{child_.process()};
};

} // namespace

void end_captured_commands() noexcept {
  for (const std::atomic<pid_t>& command : captured_commands)
    if (const pid_t process = command.load(); process != 0) kill(process, SIGTERM);
}

Captured run_captured(const std::vector<std::string>& command, const Variables& variables) {
  return CapturedChild(command, variables).end({});
}

Captured run_captured_at_most(const std::vector<std::string>& command, const Variables& variables,
                              std::chrono::milliseconds limit, const std::function<void()>& late) {
  return CapturedChild(command, variables).end({.limit = limit, .late = late});
}

Captured run_watched(const std::vector<std::string>& command, const Variables& variables, const Watching& watching) {
  Forwarding forwarding;
  CapturedChild child(command, variables, &forwarding.blocked_before());
  forwarding.child_runs(std::nullopt);
  return child.end(watching, true);
}

} // namespace timeless
