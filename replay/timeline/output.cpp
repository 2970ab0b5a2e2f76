#include "replay/timeline/output.h"

#include "trace/error.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace timeless::replay::timeline {

namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 16U;

bool is_special(const std::filesystem::path& name) {
  struct stat status {};
  return ::stat(name.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
}

} // namespace

Output::Output(std::filesystem::path name) : name_(std::move(name)), written_(name_) {
  if (!is_special(name_)) written_ += ".part";
  file_ = ::open(written_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file_ < 0) fail(errno);
  buffer_.reserve(2 * buffer_bytes);
}

Output::~Output() {
  if (file_ >= 0) ::close(file_);
  if (!whole_ && written_ != name_) ::unlink(written_.c_str());
}

void Output::fail(int code) const {
  throw Error(Failure::runtime, std::string("cannot write the timeline: ") + std::strerror(code), name_.string(),
              code == ENOSPC || code == EDQUOT ? "free some space, or choose a window of time or fewer ranks" : "");
}

void Output::flush() {
  for (std::string_view rest = buffer_; !rest.empty();) {
    const ssize_t written = ::write(file_, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(errno);
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  buffer_.clear();
}

void Output::write(std::string_view bytes) {
  buffer_.append(bytes);
  if (buffer_.size() >= buffer_bytes) flush();
}

void Output::finish() {
  flush();
  if (::close(std::exchange(file_, -1)) != 0) fail(errno);
  if (written_ != name_ && ::rename(written_.c_str(), name_.c_str()) != 0) fail(errno);
  whole_ = true;
}

int open_scratch(const std::filesystem::path& directory) {
  int file = ::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == ENOENT)) {
    std::string name = (directory / ".timeless-timeline-XXXXXX").string();
    file = ::mkostemp(name.data(), O_CLOEXEC);
    if (file >= 0) ::unlink(name.c_str());
  }
  if (file < 0)
    throw Error(Failure::runtime, std::string("cannot create a temporary file: ") + std::strerror(errno),
                directory.string());
  return file;
}

} // namespace timeless::replay::timeline
