#include "base/files/input_file.h"

#include "base/descriptors.h"
#include "base/error.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

namespace timeless::trace {

InputFile::InputFile(std::filesystem::path path) : path_(std::move(path)) {
  file_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file_ < 0)
    throw Error(Failure::invalid_input, std::string("cannot open the file: ") + std::strerror(errno), path_.string());
  struct stat status {};
  if (::fstat(file_, &status) != 0 || !S_ISREG(status.st_mode)) {
    ::close(file_);
    throw Error(Failure::invalid_input, "not a regular file", path_.string());
  }
  size_ = file_size_ = static_cast<std::uint64_t>(status.st_size);
}

InputFile::~InputFile() {
  if (file_ >= 0) ::close(file_);
}

InputFile::InputFile(InputFile&& other) noexcept
    : path_(std::move(other.path_)), file_(std::exchange(other.file_, -1)), size_(other.size_),
      file_size_(other.file_size_), tail_(std::move(other.tail_)) {}

void InputFile::continue_with(std::uint64_t offset, std::string tail) {
  file_size_ = std::min(offset, file_size_);
  tail_ = std::move(tail);
  size_ = file_size_ + tail_.size();
}

std::string InputFile::read(std::uint64_t offset, std::size_t count) const {
  std::string bytes = offset < file_size_ ? read_file(offset, count) : std::string();
  const std::uint64_t next = offset + bytes.size();
  if (next >= file_size_ && next < size_)
    bytes += std::string_view(tail_).substr(static_cast<std::size_t>(next - file_size_), count - bytes.size());
  return bytes;
}

std::string InputFile::read_file(std::uint64_t offset, std::size_t count) const {
  count = static_cast<std::size_t>(std::min<std::uint64_t>(count, file_size_ - offset));
  std::string bytes(count, '\0');
  const ssize_t got = read_at(file_, offset, bytes.data(), count);
  if (got < 0)
    throw Error(Failure::runtime, std::string("cannot read the file: ") + std::strerror(errno), path_.string());
  bytes.resize(static_cast<std::size_t>(got));
  return bytes;
}

} // namespace timeless::trace
