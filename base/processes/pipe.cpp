#include "base/processes/pipe.h"

#include "base/error.h"

#include <cerrno>
#include <cstring>
#include <string>

#include <fcntl.h>
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

bool read_whole(int descriptor, void* to, std::size_t bytes) {
  auto* place = static_cast<char*>(to);
  while (bytes > 0) {
    const ssize_t count = ::read(descriptor, place, bytes);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    place += count;
    bytes -= static_cast<std::size_t>(count);
  }
  return true;
}

bool write_whole(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

} // namespace timeless
