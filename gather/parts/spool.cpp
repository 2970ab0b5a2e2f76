#include "gather/parts/spool.h"

#include "base/error.h"
#include "base/files/temporary_file.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace timeless::gather {

Spool::Spool(std::filesystem::path directory, std::uint64_t most_in_memory)
    : directory_(std::move(directory)), most_in_memory_(most_in_memory) {}

Spool::~Spool() {
  if (file_ >= 0) ::close(file_);
}

void Spool::fail(const char* what, int code) const {
  throw Error(Failure::runtime, std::string(what) + ": " + std::strerror(code), directory_.string(),
              code == ENOSPC || code == EDQUOT ? "free some space or choose another directory" : "");
}

void Spool::open() {
  file_ = open_scratch(directory_);
  write(0, std::exchange(memory_, {}));
}

void Spool::write(std::uint64_t offset, std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(file_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("cannot write a temporary file", errno);
    offset += static_cast<std::uint64_t>(written);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void Spool::put(std::uint64_t offset, std::string_view bytes) {
  arrived_ += bytes.size();
  const std::uint64_t end = offset + bytes.size();
  if (file_ < 0 && end > most_in_memory_) open();
  if (file_ >= 0) return write(offset, bytes);
  if (memory_.size() < end) memory_.resize(end);
  std::ranges::copy(bytes, memory_.begin() + static_cast<std::ptrdiff_t>(offset));
}

std::string Spool::get(std::uint64_t offset, std::size_t count) const {
  if (file_ < 0) return offset < memory_.size() ? memory_.substr(offset, count) : std::string();
  std::string bytes(count, '\0');
  std::size_t done = 0;
  while (done < count) {
    const ssize_t got = ::pread(file_, bytes.data() + done, count - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail("cannot read a temporary file", errno);
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  bytes.resize(done);
  return bytes;
}

} // namespace timeless::gather
