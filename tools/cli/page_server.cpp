#include "tools/cli/page_server.h"

#include "base/error.h"

#include <fmt/format.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

namespace timeless::tools {

namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void refuse(const char* what) {
  throw Error(Failure::runtime, fmt::format("{}: {}", what, std::strerror(errno)), "127.0.0.1",
              "choose another --port, or write the page with -o");
}

/// Returns the value of a request's header, in small letters, without the blanks around it; empty where there is none.
std::string header(std::string_view request, std::string_view name) {
  std::string text(request);
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const std::size_t at = text.find("\r\n" + std::string(name) + ":");
  if (at == std::string::npos) return {};
  const std::size_t begin = text.find_first_not_of(" \t", at + name.size() + 3);
  const std::size_t end = text.find("\r\n", at + 2);
  if (begin >= end) return {};
  const std::size_t last = text.find_last_not_of(" \t", end - 1);
  return text.substr(begin, last + 1 - begin);
}

/// A page of another site whose name has come to mean this machine (DNS rebinding) asks with that name.
bool asks_this_machine(std::string_view request, std::uint16_t port) {
  const std::string host = header(request, "host");
  return std::ranges::any_of(std::array{"127.0.0.1", "localhost", "[::1]"}, [&](const char* name) {
    return host == fmt::format("{}:{}", name, port) || (port == 80 && host == name);
  });
}

/// What a browser is sent: a head, and what it is about.
struct Answer {
  std::string head;
  std::string_view body;

  std::size_t size() const { return head.size() + body.size(); }
  std::string_view from(std::size_t sent) const {
    return sent < head.size() ? std::string_view(head).substr(sent) : body.substr(sent - head.size());
  }
};

Answer answer_to(std::string_view request, const std::string& page, std::uint16_t port) {
  const bool asks = asks_this_machine(request, port);
  const bool head = request.starts_with("HEAD ");
  const std::string_view target = request.substr(std::min(request.size(), request.find(' ') + 1));
  const bool reads = head || request.starts_with("GET ");
  const bool known = target.starts_with("/ ") || target.starts_with("/?");
  const char* const status = !asks    ? "403 Forbidden"
                             : !reads ? "405 Method Not Allowed"
                             : known  ? "200 OK"
                                      : "404 Not Found";
  const bool good = asks && reads && known;
  const std::string_view body = good ? std::string_view(page) : asks ? "not here\n" : "not by this name\n";
  return {.head =
              fmt::format("HTTP/1.1 {}\r\nContent-Type: {}; charset=utf-8\r\nContent-Length: {}\r\n"
                          "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n{}"
                          "Connection: close\r\n\r\n",
                          status, good ? "text/html" : "text/plain", body.size(), reads ? "" : "Allow: GET, HEAD\r\n"),
          .body = head ? std::string_view() : body};
}

/// A browser that asks, or is answered.
struct Connection {
  int socket = -1;
  Clock::time_point until; ///< it is left then
  std::string request = {};
  Answer answer = {}; ///< empty: the request has not come to its end
  std::size_t sent = 0;
};

/// Answers many browsers at once, in one thread: none waits for another that is slow.
class Server {
public:
  Server(const std::string& page, int listening, std::uint16_t port)
      : page_(page), listening_(listening), port_(port) {}

  void step() {
    std::vector<pollfd> waiting{{.fd = listening_, .events = POLLIN, .revents = 0}};
    for (const Connection& one : connections_)
      waiting.push_back({.fd = one.socket, .events = short(one.answer.head.empty() ? POLLIN : POLLOUT), .revents = 0});
    constexpr int look_again = 1000; // milliseconds: for browsers that are to be left
    if (poll(waiting.data(), waiting.size(), connections_.empty() ? -1 : look_again) < 0 && errno != EINTR)
      refuse("cannot wait for browsers");
    for (std::size_t i = 0; i < connections_.size(); ++i)
      if (waiting[i + 1].revents != 0 || Clock::now() > connections_[i].until) serve(connections_[i]);
    std::erase_if(connections_, [](const Connection& one) { return one.socket < 0; });
    if (waiting.front().revents != 0) accept_one();
  }

private:
  void accept_one() {
    constexpr std::size_t most = 64;
    const int socket = accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (socket < 0) {
      if (errno == EINTR || errno == EAGAIN || errno == ECONNABORTED || errno == EMFILE || errno == ENFILE) return;
      refuse("no more browsers");
    }
    if (connections_.size() >= most) { // the one that has been here longest
      close(connections_.front().socket);
      connections_.erase(connections_.begin());
    }
    connections_.push_back({.socket = socket, .until = Clock::now() + std::chrono::seconds(30)});
  }

  void serve(Connection& one) {
    const bool stays = Clock::now() <= one.until && (one.answer.head.empty() ? read(one) : write(one));
    if (stays) return;
    close(one.socket);
    one.socket = -1;
  }

  bool read(Connection& one) {
    constexpr std::size_t longest = 16384;
    std::array<char, 4096> part{};
    const ssize_t count = recv(one.socket, part.data(), part.size(), 0);
    if (count < 0) return errno == EAGAIN || errno == EINTR;
    one.request.append(part.data(), static_cast<std::size_t>(count));
    const bool whole = one.request.find("\r\n\r\n") != std::string::npos;
    if (whole) one.answer = answer_to(one.request, page_, port_);
    return whole || (count > 0 && one.request.size() < longest);
  }

  bool write(Connection& one) {
    const std::string_view rest = one.answer.from(one.sent);
    const ssize_t count = send(one.socket, rest.data(), rest.size(), MSG_NOSIGNAL);
    if (count < 0) return errno == EAGAIN || errno == EINTR;
    one.sent += static_cast<std::size_t>(count);
    return one.sent < one.answer.size();
  }

  const std::string& page_;
  int listening_;
  std::uint16_t port_;
  std::vector<Connection> connections_; ///< by when they came
};

} // namespace

PagePort::PagePort(std::uint16_t port) : listening_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {
  if (listening_ < 0) refuse("no socket");
  const int again = 1;
  setsockopt(listening_, SOL_SOCKET, SO_REUSEADDR, &again, sizeof again);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  constexpr int waiting = 16;
  if (bind(listening_, generic, size) != 0 || listen(listening_, waiting) != 0 ||
      getsockname(listening_, generic, &size) != 0) {
    const int why = errno;
    close(listening_);
    errno = why;
    refuse("no port to serve the page at");
  }
  port_ = ntohs(address.sin_port);
}

PagePort::~PagePort() {
  close(listening_);
}

void PagePort::serve(const std::string& page, const std::function<void(const std::string&)>& ready) const {
  ready(fmt::format("http://127.0.0.1:{}/", port_));
  Server server(page, listening_, port_);
  for (;;)
    server.step();
}

} // namespace timeless::tools
