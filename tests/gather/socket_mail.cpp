#include "tests/gather/socket_mail.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace timeless::test {

Mail::Mail(int own, std::vector<int> sockets) : own_(own), links_(sockets.size()) {
  for (std::size_t i = 0; i < sockets.size(); ++i)
    links_[i].socket = sockets[i];
}

void Mail::send(const Communicator& communicator, int to, int tag, const void* from, std::size_t bytes,
                std::shared_ptr<Request> synchronous) {
  Head head{.context = communicator.context,
            .number = ++sent_,
            .bytes = bytes,
            .tag = tag,
            .kind = synchronous ? Head::Kind::wants_answer : Head::Kind::message};
  if (synchronous) unanswered_[sent_] = std::move(synchronous);
  post(communicator.members[static_cast<std::size_t>(to)], head, from);
}

std::shared_ptr<Request> Mail::receive(const Communicator& communicator, int from, int tag, void* to) {
  auto request = std::make_shared<Request>();
  request->context = communicator.context;
  request->from = communicator.members[static_cast<std::size_t>(from)];
  request->tag = tag;
  request->buffer = static_cast<char*>(to);
  const auto message = std::ranges::find_if(unmatched_, [&](const Message& each) { return fits(*request, each); });
  if (message == unmatched_.end()) {
    asked_.push_back(request);
  } else {
    match(*request, *message);
    unmatched_.erase(message);
  }
  return request;
}

void Mail::wait(const Request& request) {
  while (!request.done)
    if (!progress()) pause();
}

void Mail::send_text(const Communicator& communicator, int to, const std::string& text) {
  const std::uint64_t size = text.size();
  send(communicator, to, inner_tag, &size, sizeof size);
  send(communicator, to, inner_tag, text.data(), text.size());
}

std::string Mail::receive_text(const Communicator& communicator, int from) {
  std::uint64_t size = 0;
  wait(*receive(communicator, from, inner_tag, &size));
  std::string text(size, '\0');
  wait(*receive(communicator, from, inner_tag, text.data()));
  return text;
}

bool Mail::progress() {
  bool moved = false;
  for (std::size_t other = 0; other < links_.size(); ++other)
    if (links_[other].socket >= 0) moved = write_to(links_[other]) || moved;
  for (std::size_t other = 0; other < links_.size(); ++other)
    if (links_[other].socket >= 0) moved = read_from(static_cast<int>(other)) || moved;
  return moved;
}

void Mail::flush() {
  while (std::ranges::any_of(links_, [](const Link& link) { return link.socket >= 0 && !link.out.empty(); }))
    if (!progress()) pause();
}

bool Mail::fits(const Request& request, const Message& message) {
  return request.context == message.head.context && request.from == message.from &&
         (request.tag == message.head.tag || request.tag == MPI_ANY_TAG);
}

void Mail::post(int to, const Head& head, const void* from) {
  if (to == own_) return take({.head = head, .from = to, .bytes = {static_cast<const char*>(from), head.bytes}});
  std::string& out = links_[static_cast<std::size_t>(to)].out;
  out.append(reinterpret_cast<const char*>(&head), sizeof head);
  if (head.bytes > 0) out.append(static_cast<const char*>(from), head.bytes);
}

void Mail::match(Request& request, const Message& message) {
  if (!message.bytes.empty()) std::memcpy(request.buffer, message.bytes.data(), message.bytes.size());
  request.status.MPI_SOURCE = message.from;
  request.status.MPI_TAG = message.head.tag;
  request.status._ucount = message.bytes.size();
  request.done = true;
  if (message.head.kind == Head::Kind::wants_answer)
    post(message.from, {.number = message.head.number, .kind = Head::Kind::answer}, nullptr);
}

void Mail::take(Message message) {
  if (message.head.kind == Head::Kind::answer) {
    unanswered_.at(message.head.number)->done = true;
    unanswered_.erase(message.head.number);
    return;
  }
  const auto request = std::ranges::find_if(asked_, [&](const auto& each) { return fits(*each, message); });
  if (request == asked_.end()) {
    unmatched_.push_back(std::move(message));
    return;
  }
  match(**request, message);
  asked_.erase(request);
}

bool Mail::write_to(Link& link) {
  if (link.out.empty()) return false;
  const ssize_t written = ::send(link.socket, link.out.data(), link.out.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  if (written < 0 && errno == EPIPE) link.out.clear();
  if (written <= 0) return false;
  link.out.erase(0, static_cast<std::size_t>(written));
  return true;
}

bool Mail::read_from(int other) {
  Link& link = links_[static_cast<std::size_t>(other)];
  char buffer[1 << 16];
  const ssize_t count = ::recv(link.socket, buffer, sizeof buffer, MSG_DONTWAIT);
  if (count <= 0) return false;
  link.in.append(buffer, static_cast<std::size_t>(count));
  Head head;
  while (link.in.size() >= sizeof head) {
    std::memcpy(&head, link.in.data(), sizeof head);
    if (link.in.size() < sizeof head + head.bytes) break;
    take({.head = head, .from = other, .bytes = link.in.substr(sizeof head, head.bytes)});
    link.in.erase(0, sizeof head + head.bytes);
  }
  return true;
}

void Mail::pause() const {
  std::vector<pollfd> polled;
  for (const Link& link : links_)
    if (link.socket >= 0)
      polled.push_back({link.socket, static_cast<short>(link.out.empty() ? POLLIN : POLLIN | POLLOUT), 0});
  ::poll(polled.data(), polled.size(), 10);
}

} // namespace timeless::test
