#include "gather/temporary_file.h"

#include "trace/error.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

namespace timeless::gather {

namespace {

constexpr std::size_t most_files = 4096;

/// The names a signal handler can remove: the string is complete before `used` is set, and freed after it is cleared.
struct Slot {
  std::atomic<const char*> name = nullptr;
};
std::array<Slot, most_files> slots;

int enter(const std::string& path) {
  char* name = ::strdup(path.c_str());
  for (std::size_t slot = 0; name != nullptr && slot < slots.size(); ++slot) {
    const char* expected = nullptr;
    if (slots[slot].name.compare_exchange_strong(expected, name)) return static_cast<int>(slot);
  }
  std::free(name);
  throw Error(Failure::runtime, "too many temporary files at once", path, "gather with a smaller arity");
}

void leave(int slot) noexcept {
  std::free(const_cast<char*>(slots[static_cast<std::size_t>(slot)].name.exchange(nullptr)));
}

std::string host_name() {
  char name[256] = "host";
  ::gethostname(name, sizeof name - 1);
  return name;
}

[[noreturn]] void fail(const char* what, const std::filesystem::path& path, int code) {
  throw Error(Failure::runtime, std::string(what) + ": " + std::strerror(code), path.string());
}

/// A file's content, or the names in a directory.
void make_durable(const std::filesystem::path& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) fail("cannot reopen what was just written", path, errno);
  const int synced = ::fsync(file);
  const int code = errno;
  ::close(file);
  // File systems that cannot sync say EINVAL; there is nothing more to do on them.
  if (synced != 0 && code != EINVAL) fail("cannot write the archive to disk", path, code);
}

[[noreturn]] void fail_existing(const std::filesystem::path& name) {
  throw Error(Failure::usage, "the output exists already", name.string(),
              "give another name with -o, or --force to replace it");
}

} // namespace

TemporaryFile::TemporaryFile(const std::filesystem::path& directory, std::string_view purpose) {
  static std::atomic<unsigned> count = 0;
  path_ = directory /
          (temporary_prefix(purpose) + host_name() + "-" + std::to_string(::getpid()) + "-" + std::to_string(count++));
  slot_ = enter(path_.string());
}

TemporaryFile::TemporaryFile(std::filesystem::path path) : path_(std::move(path)), slot_(enter(path_.string())) {}

TemporaryFile::~TemporaryFile() {
  remove();
}

TemporaryFile::TemporaryFile(TemporaryFile&& other) noexcept
    : path_(std::move(other.path_)), slot_(std::exchange(other.slot_, -1)) {}

TemporaryFile& TemporaryFile::operator=(TemporaryFile&& other) noexcept {
  if (this != &other) {
    remove();
    path_ = std::move(other.path_);
    slot_ = std::exchange(other.slot_, -1);
  }
  return *this;
}

void TemporaryFile::remove() noexcept {
  if (slot_ < 0) return;
  ::unlink(path_.c_str());
  leave(std::exchange(slot_, -1));
}

void TemporaryFile::keep_as(const std::filesystem::path& name, bool replace) {
  make_durable(path_);
  int renamed = ::renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, name.c_str(), replace ? 0U : RENAME_NOREPLACE);
  if (renamed != 0 && errno == EINVAL && !replace) {
    // A file system without RENAME_NOREPLACE: a link never replaces.
    renamed = ::link(path_.c_str(), name.c_str());
    if (renamed == 0) ::unlink(path_.c_str());
  }
  if (renamed != 0 && errno == EEXIST) fail_existing(name);
  if (renamed != 0) fail("cannot name the output", name, errno);
  leave(std::exchange(slot_, -1));
  make_durable(name.has_parent_path() ? name.parent_path() : std::filesystem::path("."));
}

std::string temporary_prefix(std::string_view purpose) {
  return ".timeless-" + std::string(purpose) + "-";
}

void remove_temporary_files() noexcept {
  for (const Slot& slot : slots)
    if (const char* name = slot.name.load()) ::unlink(name);
}

} // namespace timeless::gather
