#include "base/files/guarded_file.h"

#include "base/files/exclusive.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace timeless {

namespace {

/// Returns the lowest number a guarded descriptor gets: near the end of those a process may have, and no higher than
/// what costs the kernel some pages of its table.
int lowest_number() {
  constexpr rlim_t highest = 4000;
  constexpr rlim_t left_above = 32;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur <= left_above) return 0;
  return static_cast<int>(std::min(limit.rlim_cur - left_above, highest));
}

/// Returns the same open file under a high number, or, where there is none, as it is.
int moved_up(int low) {
  const int high = ::fcntl(low, F_DUPFD_CLOEXEC, lowest_number());
  if (high < 0) return low;
  ::close(low);
  return high;
}

} // namespace

GuardedFile::~GuardedFile() {
  close();
}

GuardedFile::GuardedFile(GuardedFile&& other) noexcept {
  *this = std::move(other);
}

GuardedFile& GuardedFile::operator=(GuardedFile&& other) noexcept {
  if (this == &other) return *this;
  close();
  path_ = std::move(other.path_);
  access_ = other.access_;
  descriptor_ = std::exchange(other.descriptor_, -1);
  device_ = other.device_;
  inode_ = other.inode_;
  times_reopened_ = other.times_reopened_;
  return *this;
}

int GuardedFile::create(const std::filesystem::path& path, int access) {
  const int low = open_exclusively(path, access);
  if (low < 0) return errno;
  path_ = path;
  access_ = access;
  descriptor_ = moved_up(low);
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) return errno;
  device_ = status.st_dev;
  inode_ = status.st_ino;
  return 0;
}

bool GuardedFile::own(int descriptor) const {
  struct stat status {};
  return ::fstat(descriptor, &status) == 0 && status.st_dev == device_ && status.st_ino == inode_;
}

int GuardedFile::descriptor() {
  if (descriptor_ < 0 || own(descriptor_)) return descriptor_;
  return reopen();
}

int GuardedFile::reopen() {
  descriptor_ = -1;
  const int low = ::open(path_.c_str(), access_ | O_NOFOLLOW | O_CLOEXEC);
  if (low < 0) return -1;
  if (!own(low)) {
    ::close(low);
    errno = ENOENT;
    return -1;
  }
  descriptor_ = moved_up(low);
  ++times_reopened_;
  return descriptor_;
}

int GuardedFile::close() {
  const int descriptor = std::exchange(descriptor_, -1);
  if (descriptor < 0) return 0;
  return !own(descriptor) || ::close(descriptor) == 0 ? 0 : errno;
}

} // namespace timeless
