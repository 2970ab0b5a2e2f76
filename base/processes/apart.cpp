#include "base/processes/apart.h"

#include "base/bytes.h"
#include "base/descriptors.h"
#include "base/processes/pipe.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>
#include <utility>

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

namespace timeless {

namespace {

/// What travels from child to parent: kind, length, payload.
enum class Message : std::uint64_t { progress, part, answer, error };

constexpr std::size_t header_size = 2 * sizeof(std::uint64_t);
constexpr std::size_t log_kept = 4096;

void send(int descriptor, Message kind, std::string_view payload) {
  ByteWriter message;
  message.put(std::uint64_t{static_cast<unsigned char>(kind)});
  message.put(payload);
  if (!write_whole(descriptor, message.bytes())) ::_exit(1);
}

[[noreturn]] void throw_sent_error(std::string_view payload) {
  ByteReader sent(payload, ByteReader::From::process);
  const auto failure = static_cast<Failure>(sent.number());
  std::string what = sent.text();
  std::string where = sent.text();
  throw Error(failure, std::move(what), std::move(where), sent.text());
}

/// Splits what arrives into messages.
class Inbox {
public:
  Inbox(const ChildProgress& progress, const ChildPart& part) : progress_(progress), part_(part) {}

  void add(std::string_view bytes) {
    bytes_.append(bytes);
    while (bytes_.size() >= header_size) {
      ByteReader header(bytes_, ByteReader::From::process);
      const auto kind = static_cast<Message>(header.number());
      const std::uint64_t size = header.number();
      if (bytes_.size() - header_size < size) return;
      receive(kind, std::string_view(bytes_).substr(header_size, size));
      bytes_.erase(0, header_size + size);
    }
  }

  std::optional<std::string> answer;
  std::optional<std::string> error;

private:
  void receive(Message kind, std::string_view payload) {
    switch (kind) {
    case Message::progress: {
      ByteReader figures(payload, ByteReader::From::process);
      const std::uint64_t done = figures.number();
      if (progress_) progress_(done, figures.number());
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
std::string listen(const Pipe& answers, const Pipe& log, Inbox& inbox) {
  std::string words;
  const auto keep_end = [&](std::string_view bytes) {
    words.append(bytes);
    if (words.size() > 2 * log_kept) words.erase(0, words.size() - log_kept);
  };
  const Listening sources[] = {{answers.reading(), [&](std::string_view bytes) { inbox.add(bytes); }},
                               {log.reading(), keep_end}};
  listen_to_all(sources);
  return words;
}

} // namespace

std::string died_of(std::string_view /*log*/, ExitStatus status) {
  return status.signal() != 0 ? std::string("it died of: ") + ::strsignal(status.signal()) : std::string();
}

void ChildReport::progress(std::uint64_t done, std::uint64_t total) const {
  ByteWriter figures;
  figures.put(done);
  figures.put(total);
  send(descriptor_, Message::progress, figures.bytes());
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
  ByteWriter sent;
  sent.put(static_cast<std::uint64_t>(ours != nullptr ? ours->failure() : Failure::runtime));
  sent.put(std::string_view(ours != nullptr ? ours->description() : error.what()));
  sent.put(std::string_view(ours != nullptr ? ours->where() : ""));
  sent.put(std::string_view(ours != nullptr ? ours->advice() : ""));
  send(descriptor_, Message::error, sent.bytes());
  ::_exit(0);
}

std::string run_apart(const ChildWork& work, const ChildDeath& death, const ChildProgress& progress,
                      const ChildPart& part) {
  Pipe answers;
  Pipe log;
  Child child = Child::fork([&] { be_the_child(work, answers.writing(), log.writing()); });
  answers.close_writing();
  log.close_writing();

  Inbox inbox(progress, part);
  std::string words;
  try {
    words = listen(answers, log, inbox);
  } catch (...) {
    ::kill(child.process(), SIGKILL);
    throw;
  }
  const ExitStatus status = child.wait();
  if (inbox.error) throw_sent_error(*inbox.error);
  if (inbox.answer) return std::move(*inbox.answer);
  const std::string reason = (death.reason != nullptr ? death.reason : died_of)(words, status);
  throw Error(death.failure, death.what + (reason.empty() ? "" : ": " + reason), death.where, death.advice);
}

} // namespace timeless
