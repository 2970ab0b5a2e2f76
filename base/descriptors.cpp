#include "base/descriptors.h"

#include <unistd.h>

#include <cerrno>

namespace timeless {

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

ssize_t read_at(int descriptor, std::uint64_t offset, char* to, std::size_t bytes) {
  std::size_t done = 0;
  while (done < bytes) {
    const ssize_t count = ::pread(descriptor, to + done, bytes - done, static_cast<off_t>(offset + done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return -1;
    if (count == 0) break;
    done += static_cast<std::size_t>(count);
  }
  return static_cast<ssize_t>(done);
}

std::size_t write_at(int descriptor, std::uint64_t offset, std::string_view bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count =
        ::pwrite(descriptor, bytes.data() + done, bytes.size() - done, static_cast<off_t>(offset + done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) break;
    done += static_cast<std::size_t>(count);
  }
  return done;
}

} // namespace timeless
