// Tells a thread when it runs a handler of signals. What the tracer records needs locks and memory, which the thread
// may have been interrupted with; a handler may post a semaphore all the same (thread_points.h).
#include "tracer/common/next_function.h"
#include "tracer/process/signals.h"
#include "tracer/record/call_scope.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <iterator>

namespace timeless::tracer {
namespace {

using Handler = void (*)(int);
using InformedHandler = void (*)(int, siginfo_t*, void*);

/// The handlers that run() or run_informed() stand in the place of, by signal.
constinit std::array<std::atomic<void*>, NSIG> handlers{};

/// A handler that is left by a jump leaves the thread in it, until it calls MPI (CallScope).
class InHandler {
public:
  InHandler() : outer_(thread_state.in_handler) { thread_state.in_handler = true; }
  ~InHandler() { thread_state.in_handler = outer_; }
  InHandler(const InHandler&) = delete;
  InHandler& operator=(const InHandler&) = delete;

private:
  bool outer_;
};

void run(int number) {
  const InHandler here;
  reinterpret_cast<Handler>(handlers[static_cast<std::size_t>(number)].load())(number);
}

void run_informed(int number, siginfo_t* info, void* context) {
  const InHandler here;
  reinterpret_cast<InformedHandler>(handlers[static_cast<std::size_t>(number)].load())(number, info, context);
}

void* const own_handlers[] = {reinterpret_cast<void*>(run), reinterpret_cast<void*>(run_informed)};

bool is_own(Handler handler) {
  return std::ranges::find(own_handlers, reinterpret_cast<void*>(handler)) != std::end(own_handlers);
}

bool is_function(Handler handler) {
  return handler != SIG_DFL && handler != SIG_IGN && handler != SIG_ERR && handler != SIG_HOLD;
}

/// Sets what handles the signal by `set()`, which returns what did before, or SIG_ERR; returns the program's, or what
/// the handler that notes the process's end stands in the place of. That one comes back in the place of SIG_DFL.
template <typename Set>
Handler replace_handler(int number, Handler handler, Set&& set) {
  if (number <= 0 || number >= NSIG) return set();
  std::atomic<void*>& known = handlers[static_cast<std::size_t>(number)];
  void* const before = known.load();
  if (is_function(handler) && !is_own(handler)) known.store(reinterpret_cast<void*>(handler));
  Handler replaced = set();
  if (replaced == SIG_ERR) return replaced;
  if (const struct sigaction* const hidden = behind_own_handler(number, replaced))
    replaced = hidden->sa_handler;
  else if (is_own(replaced))
    replaced = reinterpret_cast<Handler>(before);
  if (handler == SIG_DFL) watch_again(number);
  return replaced;
}

int set_action(decltype(&sigaction) next, int number, const struct sigaction* action, struct sigaction* old) {
  struct sigaction given {};
  struct sigaction before {};
  struct sigaction shown {};
  if (action != nullptr) given = *action;
  const Handler handler = action != nullptr ? given.sa_handler : SIG_ERR; // which is set by nobody
  if (is_function(handler)) {
    if ((given.sa_flags & SA_SIGINFO) != 0)
      given.sa_sigaction = run_informed;
    else
      given.sa_handler = run;
  }
  int status = 0;
  const Handler replaced = replace_handler(number, handler, [&] {
    status = next(number, action != nullptr ? &given : nullptr, &before);
    const struct sigaction* const hidden = behind_own_handler(number, before.sa_handler);
    shown = hidden != nullptr ? *hidden : before;
    return status == 0 ? before.sa_handler : SIG_ERR;
  });
  if (status != 0 || old == nullptr) return status;
  *old = shown;
  old->sa_handler = replaced;
  return status;
}

} // namespace
} // namespace timeless::tracer

using namespace timeless::tracer;

#define TIMELESS_SETS_HANDLER(name)                                                                                    \
  __attribute__((visibility("default"))) sighandler_t name(int number, sighandler_t handler) noexcept {                \
    static const auto next = next_function<sighandler_t (*)(int, sighandler_t)>(#name);                                \
    return replace_handler(number, handler, [=] { return next(number, is_function(handler) ? run : handler); });       \
  }

extern "C" {

// NOLINTBEGIN(bugprone-reserved-identifier,readability-inconsistent-declaration-parameter-name)
__attribute__((visibility("default"))) int sigaction(int number, const struct sigaction* action,
                                                     struct sigaction* old) noexcept {
  static const auto next = next_function<decltype(&sigaction)>("sigaction");
  return set_action(next, number, action, old);
}

TIMELESS_SETS_HANDLER(signal)
TIMELESS_SETS_HANDLER(ssignal)
TIMELESS_SETS_HANDLER(bsd_signal)
TIMELESS_SETS_HANDLER(sysv_signal)
TIMELESS_SETS_HANDLER(__sysv_signal)
TIMELESS_SETS_HANDLER(sigset)
// NOLINTEND(bugprone-reserved-identifier,readability-inconsistent-declaration-parameter-name)
}
