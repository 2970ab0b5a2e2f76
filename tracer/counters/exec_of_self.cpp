// Lets a program under the icount tool execute itself again as /proc/self/exe. To the kernel that file is the tool, and
// Valgrind, which has the program read its own path there, passes the name on to the kernel as it is.
#include "tracer/icount/icount.h"

#include <array>
#include <charconv>
#include <climits>
#include <cstdarg>
#include <cstddef>
#include <cstring>
#include <dlfcn.h>
#include <spawn.h>
#include <string_view>
#include <sys/syscall.h>
#include <unistd.h>

namespace timeless::tracer {
namespace {

using Path = std::array<char, PATH_MAX>;

bool is_own_program(const char* path) {
  std::string_view name(path);
  if (!name.starts_with("/proc/") || !name.ends_with("/exe")) return false;
  name.remove_prefix(std::strlen("/proc/"));
  name.remove_suffix(std::strlen("/exe"));
  pid_t process = 0;
  const auto [end, failure] = std::from_chars(name.data(), name.data() + name.size(), process);
  return name == "self" || name == "thread-self" ||
         (failure == std::errc() && end == name.data() + name.size() && process == ::getpid());
}

/// Returns the path to be executed for this one; `room` is for it. Between fork() and exec, too: no memory, no locks.
const char* resolved(const char* path, Path& room) {
  if (path == nullptr || ICOUNT_ABI() == 0 || !is_own_program(path)) return path;
  const ssize_t length = ::readlink("/proc/self/exe", room.data(), room.size() - 1);
  if (length <= 0) return path;
  room[static_cast<std::size_t>(length)] = '\0';
  return room.data();
}

int execute(const char* path, char* const* arguments, char* const* environment) {
  Path room;
  return static_cast<int>(::syscall(SYS_execve, resolved(path, room), arguments, environment));
}

template <typename Function>
Function of_c_library(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

/// The C library's functions that look a name up in PATH, and those that begin a process; found when this library is
/// loaded, since a child may not look for them.
struct Next {
  decltype(&::execvpe) search = of_c_library<decltype(&::execvpe)>("execvpe");
  decltype(&::posix_spawn) spawn = of_c_library<decltype(&::posix_spawn)>("posix_spawn");
  decltype(&::posix_spawnp) spawn_searched = of_c_library<decltype(&::posix_spawnp)>("posix_spawnp");
};

const Next& next() {
  static const Next found;
  return found;
}

__attribute__((constructor)) void find_next() {
  next();
}

/// Calls `use(arguments)` with what execl() and its kind were given, from the first to the null pointer behind the
/// last; `rest` is left behind that.
template <typename Use>
int with_arguments(const char* first, std::va_list& rest, Use&& use) {
  std::va_list counted;
  va_copy(counted, rest);
  std::size_t count = 1;
  for (const char* each = first; each != nullptr; each = va_arg(counted, const char*))
    ++count;
  va_end(counted);
  auto* const arguments = static_cast<const char**>(__builtin_alloca(count * sizeof(const char*)));
  arguments[0] = first;
  for (std::size_t i = 1; i < count; ++i)
    arguments[i] = va_arg(rest, const char*);
  return use(const_cast<char* const*>(arguments));
}

} // namespace
} // namespace timeless::tracer

#define INTERPOSED extern "C" __attribute__((visibility("default")))

INTERPOSED int execve(const char* path, char* const* arguments, char* const* environment) noexcept {
  return timeless::tracer::execute(path, arguments, environment);
}

INTERPOSED int execv(const char* path, char* const* arguments) noexcept {
  return timeless::tracer::execute(path, arguments, environ);
}

INTERPOSED int execvpe(const char* name, char* const* arguments, char* const* environment) noexcept {
  timeless::tracer::Path room;
  return timeless::tracer::next().search(timeless::tracer::resolved(name, room), arguments, environment);
}

INTERPOSED int execvp(const char* name, char* const* arguments) noexcept {
  return execvpe(name, arguments, environ);
}

INTERPOSED int execl(const char* path, const char* first, ...) noexcept {
  std::va_list rest;
  va_start(rest, first);
  const int status =
      timeless::tracer::with_arguments(first, rest, [path](char* const* arguments) { return execv(path, arguments); });
  va_end(rest);
  return status;
}

INTERPOSED int execlp(const char* name, const char* first, ...) noexcept {
  std::va_list rest;
  va_start(rest, first);
  const int status =
      timeless::tracer::with_arguments(first, rest, [name](char* const* arguments) { return execvp(name, arguments); });
  va_end(rest);
  return status;
}

INTERPOSED int execle(const char* path, const char* first, ...) noexcept {
  std::va_list rest;
  va_start(rest, first);
  const int status = timeless::tracer::with_arguments(first, rest, [path, &rest](char* const* arguments) {
    return execve(path, arguments, va_arg(rest, char* const*));
  });
  va_end(rest);
  return status;
}

INTERPOSED int posix_spawn(pid_t* child, const char* path, const posix_spawn_file_actions_t* actions,
                           const posix_spawnattr_t* attributes, char* const* arguments, char* const* environment) {
  timeless::tracer::Path room;
  return timeless::tracer::next().spawn(child, timeless::tracer::resolved(path, room), actions, attributes, arguments,
                                        environment);
}

INTERPOSED int posix_spawnp(pid_t* child, const char* name, const posix_spawn_file_actions_t* actions,
                            const posix_spawnattr_t* attributes, char* const* arguments, char* const* environment) {
  timeless::tracer::Path room;
  return timeless::tracer::next().spawn_searched(child, timeless::tracer::resolved(name, room), actions, attributes,
                                                 arguments, environment);
}
