#include "tracer/counters/reexec_environment.h"

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <unistd.h>

namespace timeless::tracer {
namespace {

constexpr const char* reexec_variable = "TIMELESS_ICOUNT_REEXEC";
constexpr const char* name_variable = "TIMELESS_ICOUNT_NAME";
constexpr const char* saved_library_variable = "TIMELESS_ICOUNT_VALGRIND_LIB";
constexpr const char* library_variable = "VALGRIND_LIB";
constexpr const char* launcher_variable = "VALGRIND_LAUNCHER";
constexpr const char* preload_variable = "LD_PRELOAD";

std::optional<std::string> environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

void set_or_unset(const char* name, const std::optional<std::string>& value) {
  if (value)
    setenv(name, value->c_str(), 1);
  else
    unsetenv(name);
}

std::size_t bytes_on_stack(char* const* strings) {
  std::size_t bytes = 0;
  for (; *strings != nullptr; ++strings)
    bytes += std::strlen(*strings) + 1 + sizeof(char*);
  return bytes;
}

/// Fills the variable up so that arguments and environment take a whole number of pages. Where the stack begins, and
/// with it how the program's arrays are aligned, must not depend on the length of a job's number: copying an array
/// takes more or fewer instructions with its alignment.
void pad(const std::string& value, char* const* argv) {
  constexpr std::size_t page = 4096;
  setenv(reexec_variable, value.c_str(), 1);
  const std::size_t excess = (bytes_on_stack(argv) + bytes_on_stack(environ)) % page;
  setenv(reexec_variable, (value + std::string((page - excess) % page, ' ')).c_str(), 1);
}

/// Reads "PID LOG" and padding.
std::optional<Reexec> parsed(std::string_view value) {
  Reexec reexec;
  const auto [end, failed] = std::from_chars(value.data(), value.data() + value.size(), reexec.process);
  if (failed != std::errc{} || end == value.data() + value.size() || *end != ' ') return std::nullopt;
  value.remove_prefix(static_cast<std::size_t>(end - value.data()) + 1);
  reexec.log = value.substr(0, value.find_last_not_of(' ') + 1);
  return reexec;
}

/// Valgrind preloads a library of its own, before ours, from the tool's directory.
void remove_preload_of(const std::string& directory) {
  const std::optional<std::string> value = environment(preload_variable);
  if (!value || !value->starts_with(directory + "/vgpreload_")) return;
  const std::size_t end = value->find(':');
  set_or_unset(preload_variable, end == std::string::npos ? std::nullopt : std::optional(value->substr(end + 1)));
}

} // namespace

void enter_environment(const Reexec& reexec, const std::filesystem::path& tool_directory, char* const* argv,
                       const std::optional<std::string>& own_name) {
  set_or_unset(saved_library_variable, environment(library_variable));
  set_or_unset(name_variable, own_name);
  setenv(library_variable, tool_directory.c_str(), 1);
  setenv(launcher_variable, argv[0], 1);
  pad(std::to_string(reexec.process) + " " + reexec.log.string(), argv);
}

std::optional<Reexec> leave_environment(char** argv) {
  const std::optional<std::string> value = environment(reexec_variable);
  if (!value) return std::nullopt;
  if (const std::optional<std::string> directory = environment(library_variable)) remove_preload_of(*directory);
  set_or_unset(library_variable, environment(saved_library_variable));
  if (const std::optional<std::string> name = environment(name_variable); name && argv != nullptr) {
    argv[0] = strdup(name->c_str());
    program_invocation_name = argv[0];
    const char* slash = std::strrchr(argv[0], '/');
    program_invocation_short_name = slash == nullptr ? argv[0] : const_cast<char*>(slash + 1);
  }
  for (const char* variable : {reexec_variable, name_variable, saved_library_variable, launcher_variable})
    unsetenv(variable);
  return parsed(*value);
}

} // namespace timeless::tracer
