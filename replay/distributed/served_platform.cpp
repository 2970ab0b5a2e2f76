#include "replay/distributed/served_platform.h"

#include "base/bytes.h"
#include "base/descriptors.h"
#include "base/error.h"
#include "base/processes/child.h"
#include "base/processes/pipe.h"
#include "replay/distributed/reports.h"

#include <array>
#include <csignal>
#include <exception>
#include <optional>
#include <utility>

#include <unistd.h>

namespace timeless::replay {

namespace {

/// What either side says is a number of bytes, and these.
using Words = std::string;

std::optional<Words> hear(int file) {
  char size[sizeof(std::uint64_t)];
  constexpr std::uint64_t most = std::uint64_t{1} << 35U; // of a description
  if (!read_whole(file, size, sizeof size)) return std::nullopt;
  const auto bytes = load_fixed<std::uint64_t>(size);
  if (bytes > most) return std::nullopt;
  Words words(bytes, '\0');
  if (!read_whole(file, words.data(), bytes)) return std::nullopt;
  return words;
}

bool say(int file, const Words& words) {
  ByteWriter said;
  said.put(std::string_view(words));
  return write_whole(file, said.bytes());
}

// ---- what is told; an answer begins with 1, or with 0 and an error

/// Returns the rest of an answer; throws the error it tells.
ByteReader read_answer(const Words& answer) {
  ByteReader words(answer, ByteReader::From::process);
  if (words.number() == 0) std::rethrow_exception(read_problem(words));
  return words;
}

void write(ByteWriter& words, const PiecewiseSetting& setting) {
  words.put(std::uint64_t{setting.pieces().size()});
  for (const PiecewiseSetting::Piece& piece : setting.pieces()) {
    words.put(piece.above);
    words.put(piece.fixed);
    words.put(piece.per_byte);
  }
}

PiecewiseSetting read_setting(ByteReader& words) {
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

void write(ByteWriter& words, const SmpiSettings& settings) {
  for (const auto setting : piecewise)
    write(words, settings.*setting);
  words.put(settings.asynchronous_below);
  words.put(settings.detached_below);
  words.put(settings.tcp_window);
  words.put(settings.cross_traffic);
}

SmpiSettings read_settings(ByteReader& words) {
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
  ByteWriter words;
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
  return words.take();
}

Words route_between(const Platform& platform, const Words& question) {
  ByteReader hosts(question, ByteReader::From::process);
  const std::uint64_t from = hosts.number();
  const Route route = platform.route(from, hosts.number());
  ByteWriter words;
  words.put(std::uint64_t{1});
  words.put(route.latency);
  words.put(route.bandwidth);
  words.put(std::uint64_t{route.loopback ? 1U : 0U});
  return words.take();
}

/// Returns what `part` answers, or what it throws.
template <typename Part>
Words answer_of(Part part) {
  try {
    return part();
  } catch (...) {
    ByteWriter words;
    words.put(std::uint64_t{0});
    replay::write(words, std::current_exception());
    return words.take();
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
  explicit Server(const std::vector<std::string>& command)
      : name_(command.front()), process_(start(command, questions_, answers_)) {
    questions_.close_reading();
    answers_.close_writing();
  }
  // The end of the questions is its end, which ~Child() waits for.
  ~Server() { questions_.close_writing(); }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  void ask(const Words& question) {
    // Where it has ended, writing must not end this process, too.
    struct sigaction ignore = {};
    ignore.sa_handler = SIG_IGN;
    struct sigaction before = {};
    ::sigaction(SIGPIPE, &ignore, &before);
    const bool said = say(questions_.writing(), question);
    ::sigaction(SIGPIPE, &before, nullptr);
    if (!said) has_ended();
  }

  Words answer() {
    std::optional<Words> words = hear(answers_.reading());
    if (!words) has_ended();
    return std::move(*words);
  }

private:
  static Child start(const std::vector<std::string>& command, const Pipe& questions, const Pipe& answers) {
    try {
      // An MPI library's connections are nothing for it.
      return Child::execute({.command = command,
                             .input = questions.reading(),
                             .output = answers.writing(),
                             .standard_streams_only = true});
    } catch (const Error& error) {
      throw Error(Failure::runtime, "cannot start what reads platform files: " + error.description(), command.front(),
                  "install Timeless as a whole");
    }
  }
  [[noreturn]] void has_ended() const {
    throw Error(Failure::runtime, "what reads platform files has ended", name_,
                "see what it printed; `timeless replay` reads the file itself");
  }

  std::string name_;
  Pipe questions_;
  Pipe answers_;
  Child process_;
};

ServedPlatform::ServedPlatform(const std::vector<std::string>& command) : server_(std::make_unique<Server>(command)) {
  const Words answer = server_->answer();
  ByteReader words = read_answer(answer);
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
  ByteWriter question;
  question.put(std::uint64_t{from});
  question.put(std::uint64_t{to});
  server_->ask(question.bytes());
  const Words answer = server_->answer();
  ByteReader words = read_answer(answer);
  Route route;
  route.latency = words.real();
  route.bandwidth = words.real();
  route.loopback = words.number() != 0;
  return route;
}

} // namespace timeless::replay
