#include "tools/cli/page_server.h"

#include "base/error.h"

#include <fmt/format.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

namespace timeless::tools {

namespace {

[[noreturn]] void refuse(const char* what) {
  throw Error(Failure::runtime, fmt::format("{}: {}", what, std::strerror(errno)), "127.0.0.1",
              "choose another --port, or write the page with -o");
}

/// A browser that stops reading or writing is left after some seconds.
void limit_waiting(int connection) {
  const timeval limit{.tv_sec = 5, .tv_usec = 0};
  setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}

/// The head of a request, as far as it comes.
std::string request_of(int connection) {
  constexpr std::size_t longest = 16384;
  std::string request;
  std::array<char, 2048> part{};
  while (request.size() < longest && request.find("\r\n\r\n") == std::string::npos) {
    const ssize_t count = recv(connection, part.data(), part.size(), 0);
    if (count <= 0) break;
    request.append(part.data(), static_cast<std::size_t>(count));
  }
  return request;
}

void send_all(int connection, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = send(connection, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

void answer(int connection, const std::string& page) {
  limit_waiting(connection);
  const std::string request = request_of(connection);
  const bool known = request.starts_with("GET / ") || request.starts_with("GET /?");
  const std::string_view body = known ? std::string_view(page) : std::string_view("not here\n");
  send_all(connection,
           fmt::format("HTTP/1.1 {}\r\nContent-Type: {}; charset=utf-8\r\nContent-Length: {}\r\n"
                       "Cache-Control: no-store\r\nConnection: close\r\n\r\n",
                       known ? "200 OK" : "404 Not Found", known ? "text/html" : "text/plain", body.size()));
  send_all(connection, body);
}

} // namespace

void serve_page(const std::string& page, std::uint16_t port, const std::function<void(const std::string&)>& ready) {
  const int listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (listening < 0) refuse("no socket");
  const int again = 1;
  setsockopt(listening, SOL_SOCKET, SO_REUSEADDR, &again, sizeof again);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  constexpr int waiting = 16;
  if (bind(listening, generic, size) != 0 || listen(listening, waiting) != 0 ||
      getsockname(listening, generic, &size) != 0)
    refuse("no port to serve the page at");
  ready(fmt::format("http://127.0.0.1:{}/", ntohs(address.sin_port)));
  for (;;) {
    const int connection = accept4(listening, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection < 0) {
      if (errno == EINTR || errno == ECONNABORTED || errno == EMFILE || errno == ENFILE) continue;
      refuse("no more browsers");
    }
    answer(connection, page);
    close(connection);
  }
}

} // namespace timeless::tools
