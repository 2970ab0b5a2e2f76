#include "replay/distributed/served_platform.h"

#include "replay/distributed/reports.h"
#include "replay/engine/words.h"
#include "trace/error.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>
#include <optional>
#include <utility>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace timeless::replay {

namespace {

/// What either side says is a number of words, and these.
using Words = Batch;

/// False at the end of what there is to read, or on an error.
bool read_all(int file, void* to, std::size_t bytes) {
  auto* place = static_cast<char*>(to);
  while (bytes > 0) {
    const ssize_t count = ::read(file, place, bytes);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    place += count;
    bytes -= static_cast<std::size_t>(count);
  }
  return true;
}

bool write_all(int file, const void* from, std::size_t bytes) {
  const auto* place = static_cast<const char*>(from);
  while (bytes > 0) {
    const ssize_t count = ::write(file, place, bytes);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    place += count;
    bytes -= static_cast<std::size_t>(count);
  }
  return true;
}

std::optional<Words> hear(int file) {
  std::uint64_t count = 0;
  constexpr std::uint64_t most = std::uint64_t{1} << 32U; // words of a description
  if (!read_all(file, &count, sizeof count) || count > most) return std::nullopt;
  Words words(count);
  if (!read_all(file, words.data(), count * sizeof(std::uint64_t))) return std::nullopt;
  return words;
}

bool say(int file, Words words) {
  words.insert(words.begin(), words.size());
  return write_all(file, words.data(), words.size() * sizeof(std::uint64_t));
}

// ---- what is told; an answer begins with 1, or with 0 and an error

/// The rest of an answer; throws the error it tells.
WordReader read_answer(const Words& answer) {
  WordReader words(answer);
  if (words.number() == 0) std::rethrow_exception(read_problem(words));
  return words;
}

void write(WordWriter& words, const PiecewiseSetting& setting) {
  words.put(std::uint64_t{setting.pieces().size()});
  for (const PiecewiseSetting::Piece& piece : setting.pieces()) {
    words.put(piece.above);
    words.put(piece.fixed);
    words.put(piece.per_byte);
  }
}

PiecewiseSetting read_setting(WordReader& words) {
  std::vector<PiecewiseSetting::Piece> pieces;
  for (std::uint64_t left = words.number(); left > 0; --left) {
    const double above = words.real();
    const double fixed = words.real();
    pieces.push_back({.above = above, .fixed = fixed, .per_byte = words.real()});
  }
  return PiecewiseSetting(std::move(pieces));
}

constexpr std::array piecewise{&SmpiSettings::latency_factor, &SmpiSettings::bandwidth_factor,
                               &SmpiSettings::send_overhead, &SmpiSettings::isend_overhead,
                               &SmpiSettings::receive_overhead};

void write(WordWriter& words, const SmpiSettings& settings) {
  for (const auto setting : piecewise)
    write(words, settings.*setting);
  words.put(settings.asynchronous_below);
  words.put(settings.detached_below);
  words.put(settings.tcp_window);
  words.put(settings.cross_traffic);
}

SmpiSettings read_settings(WordReader& words) {
  SmpiSettings settings;
  for (const auto setting : piecewise)
    settings.*setting = read_setting(words);
  settings.asynchronous_below = words.number();
  settings.detached_below = words.number();
  settings.tcp_window = words.real();
  settings.cross_traffic = words.real();
  return settings;
}

Words description(const Platform& platform) {
  Words description;
  WordWriter words(description);
  words.put(std::uint64_t{1});
  words.put(platform.file().string());
  words.put(std::uint64_t{platform.hosts().size()});
  for (const PlatformHost& host : platform.hosts()) {
    words.put(host.name);
    words.put(host.speed);
    words.put(static_cast<std::uint64_t>(host.cores));
  }
  write(words, platform.settings());
  words.put(std::uint64_t{platform.notes().size()});
  for (const std::string& note : platform.notes())
    words.put(note);
  return description;
}

Words route_between(const Platform& platform, const Words& question) {
  WordReader hosts(question);
  const std::uint64_t from = hosts.number();
  const Route route = platform.route(from, hosts.number());
  Words answer;
  WordWriter words(answer);
  words.put(std::uint64_t{1});
  words.put(route.latency);
  words.put(route.bandwidth);
  words.put(std::uint64_t{route.loopback ? 1U : 0U});
  return answer;
}

/// What `part` answers, or what it throws.
template <typename Part>
Words answer_of(Part part) {
  try {
    return part();
  } catch (...) {
    Words answer{0};
    WordWriter words(answer);
    write(words, std::current_exception());
    return answer;
  }
}

} // namespace

void serve_platform(const std::function<std::unique_ptr<Platform>()>& load, int in, int out) {
  std::unique_ptr<Platform> platform;
  const Words first = answer_of([&] {
    platform = load();
    return description(*platform);
  });
  if (!say(out, first) || !platform) return;
  while (const std::optional<Words> question = hear(in))
    if (!say(out, answer_of([&] { return route_between(*platform, *question); }))) return;
}

/// The other program.
class ServedPlatform::Server {
public:
  explicit Server(const std::vector<std::string>& command) : name_(command.front()) {
    std::array<int, 2> questions{};
    std::array<int, 2> answers{};
    if (::pipe2(questions.data(), O_CLOEXEC) != 0) cannot_start(errno);
    if (::pipe2(answers.data(), O_CLOEXEC) != 0) {
      const int code = errno;
      ::close(questions[0]);
      ::close(questions[1]);
      cannot_start(code);
    }
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, questions[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, answers[1], STDOUT_FILENO);
    // An MPI library's connections are nothing for it.
    posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
    std::vector<char*> arguments;
    for (const std::string& word : command)
      arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    const int code = ::posix_spawn(&process_, arguments.front(), &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    ::close(questions[0]);
    ::close(answers[1]);
    questions_ = questions[1];
    answers_ = answers[0];
    if (code == 0) return;
    ::close(questions_);
    ::close(answers_);
    cannot_start(code);
  }

  ~Server() {
    ::close(questions_);
    ::close(answers_);
    while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  void ask(Words question) {
    // Where it has ended, writing must not end this process, too.
    struct sigaction ignore = {};
    ignore.sa_handler = SIG_IGN;
    struct sigaction before = {};
    ::sigaction(SIGPIPE, &ignore, &before);
    const bool said = say(questions_, std::move(question));
    ::sigaction(SIGPIPE, &before, nullptr);
    if (!said) has_ended();
  }

  Words answer() {
    std::optional<Words> words = hear(answers_);
    if (!words) has_ended();
    return std::move(*words);
  }

private:
  [[noreturn]] void cannot_start(int code) const {
    throw Error(Failure::runtime, std::string("cannot start what reads platform files: ") + std::strerror(code), name_,
                "install Timeless as a whole");
  }
  [[noreturn]] void has_ended() const {
    throw Error(Failure::runtime, "what reads platform files has ended", name_,
                "see what it printed; `timeless replay` reads the file itself");
  }

  std::string name_;
  pid_t process_ = -1;
  int questions_ = -1;
  int answers_ = -1;
};

ServedPlatform::ServedPlatform(const std::vector<std::string>& command) : server_(std::make_unique<Server>(command)) {
  const Words answer = server_->answer();
  WordReader words = read_answer(answer);
  file_ = words.text();
  for (std::uint64_t left = words.number(); left > 0; --left) {
    PlatformHost host;
    host.name = words.text();
    host.speed = words.real();
    host.cores = static_cast<int>(words.number());
    hosts_.push_back(std::move(host));
  }
  settings_ = read_settings(words);
  for (std::uint64_t left = words.number(); left > 0; --left)
    notes_.push_back(words.text());
}

ServedPlatform::~ServedPlatform() = default;

Route ServedPlatform::route(std::size_t from, std::size_t to) const {
  server_->ask({from, to});
  const Words answer = server_->answer();
  WordReader words = read_answer(answer);
  Route route;
  route.latency = words.real();
  route.bandwidth = words.real();
  route.loopback = words.number() != 0;
  return route;
}

} // namespace timeless::replay
