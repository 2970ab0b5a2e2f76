#include "base/processes/pipe.h"

#include "base/error.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

namespace timeless {

Pipe::Pipe() {
  if (::pipe2(ends_.data(), O_CLOEXEC) != 0)
    throw Error(Failure::runtime, std::string("no pipe: ") + std::strerror(errno), {}, "close other programs");
}

Pipe::~Pipe() {
  close_reading();
  close_writing();
}

void Pipe::close_end(std::size_t end) {
  if (ends_[end] >= 0) ::close(ends_[end]);
  ends_[end] = -1;
}

void listen_to_all(std::span<const Listening> sources, const std::function<int()>& wait) {
  std::vector<pollfd> open;
  for (const Listening& source : sources)
    open.push_back({.fd = source.descriptor, .events = POLLIN, .revents = 0});
  const auto at_end = [](const pollfd& file) { return file.fd < 0; };
  while (!std::ranges::all_of(open, at_end)) {
    const int limit = wait();
    if (limit < -1) return;
    const int ready = ::poll(open.data(), open.size(), limit);
    if (ready < 0 && errno != EINTR) return;
    if (ready <= 0) continue;
    for (std::size_t i = 0; i < open.size(); ++i) {
      if (open[i].fd < 0 || open[i].revents == 0) continue;
      char chunk[65536];
      const ssize_t got = ::read(open[i].fd, chunk, sizeof chunk);
      if (got > 0)
        sources[i].take({chunk, static_cast<std::size_t>(got)});
      else if (got == 0 || errno != EINTR)
        open[i].fd = -1;
    }
  }
}

} // namespace timeless
