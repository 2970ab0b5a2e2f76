#include "tracer/process/signals.h"

#include "tracer/common/next_function.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace timeless::tracer {

namespace {

/// Those that end a process unless it says otherwise, but for SIGKILL, which cannot be seen coming.
constexpr std::array named = {SIGTERM,   SIGINT,  SIGHUP,  SIGQUIT,   SIGSEGV, SIGBUS,  SIGFPE,  SIGILL,
                              SIGABRT,   SIGSYS,  SIGTRAP, SIGXCPU,   SIGXFSZ, SIGUSR1, SIGUSR2, SIGALRM,
                              SIGVTALRM, SIGPROF, SIGPIPE, SIGSTKFLT, SIGIO,   SIGPWR};

/// Calls `action` for these signals and the real-time ones, but for the last, which is Valgrind's own where there is
/// one.
template <typename Action>
void for_each_watched(Action&& action) {
  for (const int number : named)
    action(number);
  for (int number = SIGRTMIN; number < SIGRTMAX; ++number)
    action(number);
}

/// Not the one that the program calls, which is ours (tracer/threads/signal_handlers.cpp).
int system_sigaction(int number, const struct sigaction* action, struct sigaction* old) {
  static const auto next = next_function<decltype(&::sigaction)>("sigaction");
  return next(number, action, old);
}

using Dispositions = std::array<struct sigaction, NSIG>;

Dispositions before_mpi;
/// What our handler stands in the place of.
Dispositions replaced;
std::atomic<Journal*> watching{nullptr};
pid_t owner = 0;
bool own_stack = false;

/// A stack for the handler where the program has none: without one, running out of stack could not be told.
alignas(16) char handler_stack[std::size_t{256} << 10U];

bool is_handler(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) != 0 || (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN);
}

bool same_handler(const struct sigaction& left, const struct sigaction& right) {
  return left.sa_handler == right.sa_handler && (left.sa_flags & SA_SIGINFO) == (right.sa_flags & SA_SIGINFO);
}

/// The handlers of libraries that report the signal and end the process: nobody recovers in them.
bool of_a_reporting_library(const struct sigaction& action) {
  Dl_info info;
  if (dladdr(reinterpret_cast<const void*>(action.sa_handler), &info) == 0 || info.dli_fname == nullptr) return false;
  const std::string_view path(info.dli_fname);
  const std::string_view file = path.substr(path.rfind('/') + 1);
  return file.starts_with("libgfortran.") || file.starts_with("libopen-pal.") || file.starts_with("libopen-rte.");
}

bool to_be_watched(int number, const struct sigaction& now) {
  if (!is_handler(now)) return now.sa_handler == SIG_DFL;
  const bool by_mpi = !is_handler(before_mpi[static_cast<std::size_t>(number)]) &&
                      !same_handler(now, before_mpi[static_cast<std::size_t>(number)]);
  return by_mpi || of_a_reporting_library(now);
}

std::uintptr_t stack_pointer([[maybe_unused]] void* context) {
#if defined(__x86_64__)
  return static_cast<std::uintptr_t>(static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RSP]);
#elif defined(__aarch64__)
  return static_cast<ucontext_t*>(context)->uc_mcontext.sp;
#else
  return 0;
#endif
}

/// A fault this close to the stack pointer is its stack's end. A handler that has to run on that stack could not.
bool out_of_stack(int number, const siginfo_t* info, void* context) {
  if (number != SIGSEGV || info->si_code <= 0) return false;
  constexpr std::uintptr_t near = std::size_t{64} << 10U;
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  const std::uintptr_t stack = stack_pointer(context);
  return (address > stack ? address - stack : stack - address) < near;
}

void set_default(int number) {
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  system_sigaction(number, &action, nullptr);
}

/// Returns true for a signal that the instruction raises which the program stands at, and will raise again.
bool raised_by_instruction(int number, const siginfo_t* info) {
  return info->si_code > 0 && (number == SIGSEGV || number == SIGBUS || number == SIGILL || number == SIGFPE);
}

/// Lets the signal do what it does by default, with all that is known of it: it takes effect on the way out of the
/// handler, where the program stood.
void repeat(int number, siginfo_t* info) {
  set_default(number);
  if (raised_by_instruction(number, info)) return;
  if (::syscall(SYS_rt_tgsigqueueinfo, ::getpid(), ::gettid(), number, info) != 0) ::raise(number);
}

/// Returns true when the signal is to have its default effect as soon as the handler has returned: a library that
/// reported it has sent it again, as Open MPI and the Fortran library do.
bool comes_again(int number) {
  sigset_t pending;
  struct sigaction now {};
  return ::sigpending(&pending) == 0 && ::sigismember(&pending, number) == 1 &&
         system_sigaction(number, nullptr, &now) == 0 && !is_handler(now) && now.sa_handler == SIG_DFL;
}

void note(Journal& journal, int number, const siginfo_t* info) {
  const bool sent = info->si_code == SI_USER || info->si_code == SI_QUEUE || info->si_code == SI_TKILL;
  journal.note_signal(
      {.number = static_cast<std::uint32_t>(number), .code = info->si_code, .sender = sent ? info->si_pid : 0});
}

void on_signal(int number, siginfo_t* info, void* context) {
  const int error = errno;
  Journal* const journal = ::getpid() == owner ? watching.load() : nullptr;
  if (journal != nullptr && number == SIGBUS && info->si_code > 0 && journal->holds(info->si_addr)) {
    // The journal has lost its file: that must not end the program.
    journal->detach();
    errno = error;
    return;
  }
  if (journal != nullptr) note(*journal, number, info);
  const struct sigaction& before = replaced[static_cast<std::size_t>(number)];
  const bool cannot_run = own_stack && (before.sa_flags & SA_ONSTACK) == 0 && out_of_stack(number, info, context);
  if (!is_handler(before) || cannot_run) {
    repeat(number, info);
    errno = error;
    return;
  }
  if ((before.sa_flags & SA_RESETHAND) != 0) set_default(number);
  errno = error;
  if ((before.sa_flags & SA_SIGINFO) != 0)
    before.sa_sigaction(number, info, context);
  else
    before.sa_handler(number);
  // Still here after a signal that was sent: it has not ended the process. But abort() sends it again.
  if (journal != nullptr && info->si_code <= 0 && number != SIGABRT && !comes_again(number)) journal->note_signal({});
}

void provide_stack() {
  stack_t known{};
  if (::sigaltstack(nullptr, &known) != 0 || (known.ss_flags & SS_DISABLE) == 0) return;
  const stack_t stack{.ss_sp = handler_stack, .ss_flags = 0, .ss_size = sizeof handler_stack};
  own_stack = ::sigaltstack(&stack, nullptr) == 0;
}

void watch(int number) {
  struct sigaction& before = replaced[static_cast<std::size_t>(number)];
  if (system_sigaction(number, nullptr, &before) != 0 || !to_be_watched(number, before)) return;
  struct sigaction action {};
  action.sa_sigaction = on_signal;
  action.sa_mask = before.sa_mask;
  action.sa_flags = SA_SIGINFO;
  const bool on_stack = !is_handler(before) || (before.sa_flags & SA_ONSTACK) != 0 || own_stack;
  if (on_stack) action.sa_flags |= SA_ONSTACK;
  if (is_handler(before)) action.sa_flags |= before.sa_flags & (SA_RESTART | SA_NODEFER);
  system_sigaction(number, &action, nullptr);
}

} // namespace

void remember_signals() {
  for_each_watched(
      [](int number) { system_sigaction(number, nullptr, &before_mpi[static_cast<std::size_t>(number)]); });
}

void watch_signals(Journal& journal) {
  owner = ::getpid();
  watching.store(&journal);
  provide_stack();
  for_each_watched(watch);
}

const struct sigaction* behind_own_handler(int number, void (*now)(int)) noexcept {
  struct sigaction own {};
  own.sa_sigaction = on_signal;
  return now == own.sa_handler ? &replaced[static_cast<std::size_t>(number)] : nullptr;
}

void watch_again(int number) noexcept {
  if (!noting_ends()) return;
  for_each_watched([number](int watched) {
    if (watched == number) watch(number);
  });
}

bool noting_ends() noexcept {
  return watching.load() != nullptr && ::getpid() == owner;
}

void note_end_by_mpi(int status) noexcept {
  if (Journal* const journal = watching.load(); journal != nullptr)
    journal->note_signal({.number = trace::ended_by_mpi, .code = status});
}

void await_quick_exit() noexcept {
  static const int registered = ::at_quick_exit([] {
    if (!noting_ends()) return;
    if (Journal* const journal = watching.load(); journal != nullptr)
      journal->note_signal({.number = trace::ended_by_quick_exit});
  });
  static_cast<void>(registered); // where the C library refuses, the end is one that says nothing
}

void forget_journal() noexcept {
  watching.store(nullptr);
}

} // namespace timeless::tracer
