#include "base/files/temporary_file.h"

#include "base/error.h"
#include "base/files/exclusive.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace timeless {

namespace {

constexpr std::size_t most_files = 4096;

/// The names a signal handler can remove: a string is complete before it is set, and freed after it is cleared.
struct Slot {
  std::atomic<const char*> name = nullptr;
  std::atomic<const char*> kept_as = nullptr; ///< when interrupted; null: it is removed
};
std::array<Slot, most_files> slots;

/// The outputs of temporary files that are on their way to one.
class Outputs {
public:
  void add(const std::string& path, const std::filesystem::path& output) {
    const std::lock_guard lock(turn_);
    outputs_[path] = output;
  }
  void remove(const std::string& path) {
    const std::lock_guard lock(turn_);
    outputs_.erase(path);
  }
  std::filesystem::path of(const std::filesystem::path& file) {
    const std::lock_guard lock(turn_);
    if (const auto found = outputs_.find(file.string()); found != outputs_.end()) return found->second;
    const auto folder = outputs_.find(file.parent_path().string());
    return folder == outputs_.end() ? file : folder->second / file.filename();
  }

private:
  std::mutex turn_;
  std::map<std::string, std::filesystem::path> outputs_;
};

Outputs& outputs() {
  static Outputs all;
  return all;
}

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
  Slot& left = slots[static_cast<std::size_t>(slot)];
  std::free(const_cast<char*>(left.kept_as.exchange(nullptr)));
  std::free(const_cast<char*>(left.name.exchange(nullptr)));
}

std::string host_name() {
  char name[256] = "host";
  ::gethostname(name, sizeof name - 1);
  return name;
}

/// So that nobody knows a name before it is there.
std::string chance() {
  std::uint64_t number = 0;
  if (::getrandom(&number, sizeof number, GRND_NONBLOCK) != sizeof number) number = 0;
  char text[20];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(number));
  return text;
}

[[noreturn]] void fail(const char* what, const std::filesystem::path& path, int code) {
  throw Error(Failure::runtime, std::string(what) + ": " + std::strerror(code), path.string(),
              code == ENOSPC || code == EDQUOT ? "free some space, or choose another directory" : "");
}

/// Makes a file's content durable, or the names in a directory; `told` is what errors name.
void make_durable(const std::filesystem::path& path, const std::filesystem::path& told) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) fail("cannot reopen what was just written", told, errno);
  const int synced = ::fsync(file);
  const int code = errno;
  ::close(file);
  // File systems that cannot sync say EINVAL; there is nothing more to do on them.
  if (synced != 0 && code != EINVAL) fail("cannot write the file to disk", told, code);
}

[[noreturn]] void fail_existing(const std::filesystem::path& name) {
  throw Error(Failure::usage, "the output exists already", name.string(),
              "give another name, or --force to replace it");
}

constexpr int deepest_directory = 8;

/// Only system calls: opendir() and its like may not be called from a signal handler.
void remove_tree(int parent, const char* name, int depth) noexcept {
  if (::unlinkat(parent, name, 0) == 0 || (errno != EISDIR && errno != EPERM) || depth > deepest_directory) return;
  const int directory = ::openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (directory < 0) return;
  alignas(dirent64) char buffer[4096];
  // Again from the start while there was something: what is removed meanwhile may shift what follows.
  for (bool some = true; some;) {
    some = false;
    ::lseek(directory, 0, SEEK_SET);
    for (long got = 0; (got = ::syscall(SYS_getdents64, directory, buffer, sizeof buffer)) > 0;)
      for (long at = 0; at < got;) {
        const auto* const entry = reinterpret_cast<const dirent64*>(buffer + at);
        at += entry->d_reclen;
        if (std::strcmp(entry->d_name, ".") == 0 || std::strcmp(entry->d_name, "..") == 0) continue;
        remove_tree(directory, entry->d_name, depth + 1);
        struct stat status {};
        some = some || ::fstatat(directory, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0;
      }
  }
  ::close(directory);
  ::unlinkat(parent, name, AT_REMOVEDIR);
}

bool names_directory(const std::filesystem::path& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

/// Gives the file a name. Returns false, and errno, where the system refuses.
bool give_name(const std::filesystem::path& path, const std::filesystem::path& name, Existing existing) {
  const auto rename = [&](unsigned flags) {
    return ::renameat2(AT_FDCWD, path.c_str(), AT_FDCWD, name.c_str(), flags) == 0;
  };
  if (existing == Existing::refuse) {
    if (rename(RENAME_NOREPLACE)) return true;
    // A file system without RENAME_NOREPLACE: a link never replaces, nor does the name of a directory.
    if (errno != EINVAL) return false;
    if (names_directory(path)) return ::mkdir(name.c_str(), 0777) == 0 && rename(0);
    if (::link(path.c_str(), name.c_str()) != 0) return false;
    ::unlink(path.c_str());
    return true;
  }
  if (rename(0)) return true;
  if (errno != ENOTEMPTY && errno != EEXIST) return false;
  if (!rename(RENAME_EXCHANGE)) return false;
  remove_tree(AT_FDCWD, path.c_str(), 0);
  return true;
}

} // namespace

TemporaryFile::TemporaryFile(const std::filesystem::path& directory, std::string_view purpose,
                             const std::filesystem::path& output) {
  static std::atomic<unsigned> count = 0;
  path_ = directory / (temporary_prefix(purpose) + host_name() + "-" + std::to_string(::getpid()) + "-" +
                       std::to_string(count++) + "-" + chance());
  slot_ = enter(path_.string());
  if (!output.empty()) outputs().add(path_.string(), output);
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
  remove_tree(AT_FDCWD, path_.c_str(), 0);
  forget();
}

void TemporaryFile::forget() noexcept {
  leave(std::exchange(slot_, -1));
  outputs().remove(path_.string());
}

int TemporaryFile::create() const {
  const int file = open_exclusively(path_, O_RDWR);
  if (file < 0) fail("cannot write there", path_.parent_path(), errno);
  return file;
}

void TemporaryFile::create_directory() const {
  if (::mkdir(path_.c_str(), 0777) != 0) fail("cannot write there", path_.parent_path(), errno);
}

void TemporaryFile::keep_as(const std::filesystem::path& name, Existing existing, Durable durable) {
  if (durable == Durable::yes) make_durable(path_, name);
  if (!give_name(path_, name, existing)) {
    if (errno == EEXIST && existing == Existing::refuse) fail_existing(name);
    fail("cannot name the output", name, errno);
  }
  forget();
  if (durable == Durable::yes) make_durable(directory_of(name), name);
}

void TemporaryFile::keep_when_interrupted(const std::filesystem::path& name) {
  Slot& held = slots[static_cast<std::size_t>(slot_)];
  std::free(const_cast<char*>(held.kept_as.exchange(::strdup(name.c_str()))));
}

std::filesystem::path output_of(const std::filesystem::path& file) {
  return outputs().of(file);
}

std::string temporary_prefix(std::string_view purpose) {
  return ".timeless-" + std::string(purpose) + "-";
}

std::string file_name(const std::filesystem::path& path) {
  return path.filename().string();
}

std::filesystem::path directory_of(const std::filesystem::path& file) {
  return file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
}

int open_scratch(const std::filesystem::path& directory) {
  const int file = ::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file >= 0) return file;
  if (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT)
    fail("cannot create a temporary file", directory, errno);
  // A file system that has only files with names: this one loses its own at once.
  return TemporaryFile(directory, "scratch").create();
}

const char* remove_temporary_files() noexcept {
  const char* kept = nullptr;
  // Those in a directory that is kept go first.
  for (const Slot& slot : slots)
    if (const char* name = slot.name.load(); name != nullptr && slot.kept_as.load() == nullptr)
      remove_tree(AT_FDCWD, name, 0);
  for (const Slot& slot : slots) {
    const char* name = slot.name.load();
    const char* wanted = slot.kept_as.load();
    if (name == nullptr || wanted == nullptr) continue;
    if (::renameat2(AT_FDCWD, name, AT_FDCWD, wanted, RENAME_NOREPLACE) == 0)
      kept = wanted;
    else
      remove_tree(AT_FDCWD, name, 0);
  }
  return kept;
}

} // namespace timeless
