#include "gather/parts/spool.h"

#include "base/descriptors.h"
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
  if (write_at(file_, offset, bytes) < bytes.size()) fail("cannot write a temporary file", errno);
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
  const ssize_t got = read_at(file_, offset, bytes.data(), count);
  if (got < 0) fail("cannot read a temporary file", errno);
  bytes.resize(static_cast<std::size_t>(got));
  return bytes;
}

} // namespace timeless::gather
