#include "base/processes/child.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace timeless {

namespace {

/// Pointers to words, with a null behind them, as exec takes them.
std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> list;
  list.reserve(words.size() + 1);
  for (const std::string& word : words)
    list.push_back(const_cast<char*>(word.c_str()));
  list.push_back(nullptr);
  return list;
}

std::vector<std::string> environment_with(const Variables& variables) {
  std::vector<std::string> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::string_view name = text.substr(0, text.find('='));
    if (std::ranges::find(variables, name, &Variables::value_type::first) == variables.end())
      environment.emplace_back(text);
  }
  for (const auto& [name, value] : variables)
    environment.push_back(name + "=" + value);
  return environment;
}

/// What posix_spawn is told beside the command.
class SpawnRequest {
public:
  explicit SpawnRequest(const ChildProgram& program) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawnattr_init(&attributes_);
    become(program.input, STDIN_FILENO);
    become(program.output, STDOUT_FILENO);
    become(program.errors, STDERR_FILENO);
    if (program.standard_streams_only) posix_spawn_file_actions_addclosefrom_np(&actions_, STDERR_FILENO + 1);
    if (program.blocked == nullptr) return;
    posix_spawnattr_setsigmask(&attributes_, program.blocked);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK);
  }
  SpawnRequest(const SpawnRequest&) = delete;
  SpawnRequest& operator=(const SpawnRequest&) = delete;
  ~SpawnRequest() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }

  int spawn(pid_t& process, const std::vector<std::string>& command, char** environment) const {
    return ::posix_spawnp(&process, command.front().c_str(), &actions_, &attributes_, pointers(command).data(),
                          environment);
  }

private:
  void become(int descriptor, int stream) {
    if (descriptor >= 0) posix_spawn_file_actions_adddup2(&actions_, descriptor, stream);
  }

  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

} // namespace

Child Child::execute(const ChildProgram& program) {
  const std::vector<std::string> environment = environment_with(program.variables);
  const SpawnRequest request(program);
  pid_t process = -1;
  int code = request.spawn(process, program.command, pointers(environment).data());
  if (code == ENOEXEC) {
    // A script that does not say what interprets it: the shell does, as in execvp().
    std::vector<std::string> command = program.command;
    command.front() = found_command(command.front());
    command.insert(command.begin(), "/bin/sh");
    code = request.spawn(process, command, pointers(environment).data());
  }
  if (code != 0)
    throw Error(program.refusal, std::string("cannot be executed: ") + std::strerror(code), program.command.front(),
                "give a command that runs on its own");
  return Child(process);
}

Child Child::fork(const std::function<void()>& body) {
  // What is buffered here must not be written twice.
  std::fflush(nullptr);
  const pid_t process = ::fork();
  if (process < 0) throw Error(Failure::runtime, std::string("no process: ") + std::strerror(errno));
  if (process == 0) {
    body();
    ::_exit(1);
  }
  return Child(process);
}

ExitStatus::ExitStatus(int waited)
    : exited_with_(WIFEXITED(waited) ? WEXITSTATUS(waited) : 0), signal_(WIFSIGNALED(waited) ? WTERMSIG(waited) : 0) {}

Child::~Child() {
  if (process_ > 0) wait();
}

bool Child::has_ended() const {
  siginfo_t ended{};
  return ::waitid(P_PID, static_cast<id_t>(process_), &ended, WEXITED | WNOHANG | WNOWAIT) != 0 || ended.si_pid != 0;
}

ExitStatus Child::wait() {
  int status = 0;
  while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
  return ExitStatus(status);
}

std::size_t first_to_end(const std::vector<Child>& children) {
  siginfo_t ended{};
  while (::waitid(P_ALL, 0, &ended, WEXITED | WNOWAIT) < 0)
    if (errno != EINTR) throw Error(Failure::runtime, std::string("no child to wait for: ") + std::strerror(errno));
  const auto found = std::ranges::find(children, ended.si_pid, &Child::process);
  if (found == children.end()) throw Error(Failure::runtime, "an unknown child has ended");
  return static_cast<std::size_t>(found - children.begin());
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

} // namespace timeless
