#include "replay/platform/simgrid_process.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <optional>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace timeless::replay {

namespace {

/// What travels from child to parent: kind, length, payload.
enum class Message : char { progress = 'P', part = 'T', answer = 'A', error = 'E' };

constexpr std::size_t header_size = 1 + sizeof(std::uint64_t);
constexpr std::size_t log_kept = 4096;

void write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) ::_exit(1);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void put(std::string& bytes, std::uint64_t value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void put(std::string& bytes, std::string_view text) {
  put(bytes, std::uint64_t{text.size()});
  bytes.append(text);
}

std::uint64_t take_number(std::string_view& bytes) {
  std::uint64_t value = 0;
  if (bytes.size() < sizeof value) throw Error(Failure::runtime, "a child process sent half a message");
  std::memcpy(&value, bytes.data(), sizeof value);
  bytes.remove_prefix(sizeof value);
  return value;
}

std::string take_text(std::string_view& bytes) {
  const std::uint64_t size = take_number(bytes);
  if (size > bytes.size()) throw Error(Failure::runtime, "a child process sent half a message");
  std::string text(bytes.substr(0, size));
  bytes.remove_prefix(size);
  return text;
}

void send(int descriptor, Message kind, std::string_view payload) {
  std::string bytes(1, static_cast<char>(kind));
  put(bytes, payload);
  write_all(descriptor, bytes);
}

[[noreturn]] void throw_sent_error(std::string_view payload) {
  const auto failure = static_cast<Failure>(take_number(payload));
  std::string what = take_text(payload);
  std::string where = take_text(payload);
  std::string advice = take_text(payload);
  throw Error(failure, std::move(what), std::move(where), std::move(advice));
}

/// The last line of a log that says something, without SimGrid's "[0.000000] [module/INFO]" in front of it.
std::string last_words(std::string_view log) {
  // SimGrid follows these up with pages of advice on its own options.
  for (const char* crash : {"Segmentation fault", "Access violation", "malloc()", "free()", "realloc()", "double free",
                            "corrupted", "stack smashing", "Stack overflow"})
    if (log.find(crash) != std::string_view::npos) return "SimGrid crashes";
  for (const char* exhausted : {"std::bad_alloc", "std::length_error", "Cannot allocate memory"})
    if (log.find(exhausted) != std::string_view::npos) return "SimGrid has not enough memory for it";
  while (!log.empty()) {
    const std::size_t end = log.find_last_not_of("\n\r \t");
    if (end == std::string_view::npos) return {};
    log = log.substr(0, end + 1);
    const std::size_t begin = log.rfind('\n') + 1;
    std::string_view line = log.substr(begin);
    while (line.starts_with('[')) {
      const std::size_t close = line.find(']');
      if (close == std::string_view::npos) break;
      line.remove_prefix(close + 1);
      line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    }
    const bool noise = line.empty() || line.starts_with("Current backtrace") || line.starts_with("->") ||
                       line.starts_with("Exiting now") || line.starts_with("Display of current backtrace") ||
                       line.starts_with("(backtrace");
    if (!noise) return std::string(line);
    log = log.substr(0, begin == 0 ? 0 : begin - 1);
  }
  return {};
}

/// Splits what arrives into messages.
class Inbox {
public:
  Inbox(const ChildProgress& progress, const ChildPart& part) : progress_(progress), part_(part) {}

  void add(std::string_view bytes) {
    bytes_.append(bytes);
    while (bytes_.size() >= header_size) {
      std::string_view rest = std::string_view(bytes_).substr(1);
      const std::uint64_t size = take_number(rest);
      if (rest.size() < size) return;
      receive(static_cast<Message>(bytes_.front()), rest.substr(0, size));
      bytes_.erase(0, header_size + size);
    }
  }

  std::optional<std::string> answer;
  std::optional<std::string> error;

private:
  void receive(Message kind, std::string_view payload) {
    switch (kind) {
    case Message::progress: {
      const std::uint64_t done = take_number(payload);
      if (progress_) progress_(done, take_number(payload));
      break;
    }
    case Message::part:
      if (part_) part_(payload);
      break;
    case Message::answer:
      answer = std::string(payload);
      break;
    case Message::error:
      error = std::string(payload);
      break;
    }
  }

  const ChildProgress& progress_;
  const ChildPart& part_;
  std::string bytes_;
};

/// Both ends of a pipe, closed on destruction.
struct Pipe {
  Pipe() {
    if (::pipe2(ends, O_CLOEXEC) != 0) throw Error(Failure::runtime, "cannot make a pipe", {}, std::strerror(errno));
  }
  ~Pipe() {
    close(0);
    close(1);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  void close(int end) {
    if (ends[end] >= 0) ::close(ends[end]);
    ends[end] = -1;
  }
  int ends[2] = {-1, -1};
};

[[noreturn]] void be_the_child(const ChildWork& work, int answers, int log) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::signal(SIGABRT, SIG_DFL);
  // What the parent removes when it is interrupted is not this process's; a terminal's Ctrl-C ends the parent, which
  // ends this one.
  for (const int signal : {SIGTERM, SIGHUP})
    std::signal(signal, SIG_DFL);
  std::signal(SIGINT, SIG_IGN);
  const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  ::dup2(nowhere, STDOUT_FILENO);
  ::dup2(log, STDERR_FILENO);
  const ChildReport report(answers);
  try {
    report.finish(work(report));
  } catch (const std::exception& error) {
    report.fail(error);
  } catch (...) {
    ::_exit(1);
  }
}

/// Reads both pipes until the child has closed them; returns the end of its log.
std::string listen(Pipe& answers, Pipe& log, Inbox& inbox) {
  std::string words;
  pollfd files[2] = {{.fd = answers.ends[0], .events = POLLIN, .revents = 0},
                     {.fd = log.ends[0], .events = POLLIN, .revents = 0}};
  while (files[0].fd >= 0 || files[1].fd >= 0) {
    if (::poll(files, 2, -1) < 0 && errno != EINTR) break;
    for (pollfd& file : files) {
      if (file.fd < 0 || file.revents == 0) continue;
      char buffer[65536];
      const ssize_t count = ::read(file.fd, buffer, sizeof buffer);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) {
        file.fd = -1;
        continue;
      }
      const std::string_view bytes(buffer, static_cast<std::size_t>(count));
      if (&file == files) {
        inbox.add(bytes);
      } else {
        words.append(bytes);
        if (words.size() > 2 * log_kept) words.erase(0, words.size() - log_kept);
      }
    }
  }
  return words;
}

void wait_for(pid_t child, int& status) {
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
}

} // namespace

void ChildReport::progress(std::uint64_t done, std::uint64_t total) const {
  std::string payload;
  put(payload, done);
  put(payload, total);
  send(descriptor_, Message::progress, payload);
}

void ChildReport::part(std::string_view bytes) const {
  send(descriptor_, Message::part, bytes);
}

void ChildReport::finish(std::string_view answer) const {
  send(descriptor_, Message::answer, answer);
  ::_exit(0);
}

void ChildReport::fail(const std::exception& error) const {
  const auto* ours = dynamic_cast<const Error*>(&error);
  std::string payload;
  put(payload, static_cast<std::uint64_t>(ours != nullptr ? ours->failure() : Failure::runtime));
  put(payload, std::string_view(ours != nullptr ? ours->description() : error.what()));
  put(payload, std::string_view(ours != nullptr ? ours->where() : ""));
  put(payload, std::string_view(ours != nullptr ? ours->advice() : ""));
  send(descriptor_, Message::error, payload);
  ::_exit(0);
}

std::string run_apart(const ChildWork& work, const ChildDeath& death, const ChildProgress& progress,
                      const ChildPart& part) {
  Pipe answers;
  Pipe log;
  // What the parent has buffered must not be written twice.
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child < 0) throw Error(Failure::runtime, "cannot start a child process", {}, std::strerror(errno));
  if (child == 0) be_the_child(work, answers.ends[1], log.ends[1]);
  answers.close(1);
  log.close(1);

  Inbox inbox(progress, part);
  std::string words;
  int status = 0;
  try {
    words = listen(answers, log, inbox);
  } catch (...) {
    ::kill(child, SIGKILL);
    wait_for(child, status);
    throw;
  }
  wait_for(child, status);
  if (inbox.error) throw_sent_error(*inbox.error);
  if (inbox.answer) return std::move(*inbox.answer);

  std::string reason = last_words(words);
  if (reason.empty() && WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV) reason = "SimGrid crashes";
  if (reason.empty() && WIFSIGNALED(status)) reason = std::string("it died of: ") + ::strsignal(WTERMSIG(status));
  throw Error(death.failure, death.what + (reason.empty() ? "" : ": " + reason), death.where, death.advice);
}

} // namespace timeless::replay
