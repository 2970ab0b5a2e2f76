#include "gather/parts/output_file.h"

#include "base/error.h"
#include "base/files/new_file.h"
#include "trace/codec/layout.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>

namespace timeless::gather {

namespace {

/// The same for one output, whatever way leads to its directory, and short however long its name is.
std::string purpose_of(const std::filesystem::path& name) {
  char text[40];
  std::snprintf(text, sizeof text, "gather-%016llx",
                static_cast<unsigned long long>(trace::checksum(name.filename().native())));
  return text;
}

bool same_file(int file, const std::filesystem::path& path) {
  struct stat opened {};
  struct stat named {};
  return ::fstat(file, &opened) == 0 && ::stat(path.c_str(), &named) == 0 && opened.st_dev == named.st_dev &&
         opened.st_ino == named.st_ino;
}

void remove_leftovers(const std::filesystem::path& directory, const std::string& prefix) {
  std::error_code error;
  std::filesystem::directory_iterator entry(directory, error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error))
    if (entry->path().filename().native().starts_with(prefix)) ::unlink(entry->path().c_str());
}

/// While it lives, signals wait: what is created is known to the handler that removes temporary files before one ends
/// the program.
class SignalsLater {
public:
  SignalsLater() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  SignalsLater(const SignalsLater&) = delete;
  SignalsLater& operator=(const SignalsLater&) = delete;
  ~SignalsLater() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

private:
  sigset_t before_{};
};

} // namespace

/// Held as long as its file is open, so that a killed process holds none. Its name is removed while it is held.
class OutputFile::Lock {
public:
  /// Throws Error(runtime) when another process holds it.
  Lock(const std::filesystem::path& path, const std::filesystem::path& output) {
    const SignalsLater until_registered;
    // A lock whose name was removed between opening and locking is nobody's.
    do
      take(path, output);
    while (locked_ && !same_file(file_.number, path));
    if (locked_)
      name_.emplace(path);
    else
      ::unlink(path.c_str());
  }

  bool locked() const { return locked_; }

private:
  struct Descriptor {
    int number = -1;
    void reset(int other = -1) {
      if (number >= 0) ::close(number);
      number = other;
    }
    ~Descriptor() { reset(); }
  };

  void take(const std::filesystem::path& path, const std::filesystem::path& output) {
    file_.reset(::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666));
    if (file_.number < 0 && errno == ELOOP)
      throw Error(Failure::runtime, "a link stands where gathering keeps its lock", path.string(), "remove it");
    if (file_.number < 0)
      throw Error(Failure::runtime, std::string("cannot write there: ") + std::strerror(errno), output.string());
    int refused = 0;
    do
      refused = ::flock(file_.number, LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
    while (refused == EINTR);
    if (refused == EWOULDBLOCK)
      throw Error(Failure::runtime, "another process is gathering into this file", output.string(),
                  "wait for it to end, or give another name with -o");
    locked_ = refused == 0;
  }

  bool locked_ = false; ///< false where the file system cannot lock
  Descriptor file_;
  std::optional<TemporaryFile> name_; ///< goes before the file is closed
};

void OutputFile::Unlock::operator()(Lock* lock) const {
  delete lock;
}

OutputFile::OutputFile(const std::filesystem::path& name, bool replace)
    : name_(name), purpose_(purpose_of(name)), existing_(replace ? Existing::replace : Existing::refuse) {
  demand_free_output(name, existing_);
  const std::filesystem::path directory = directory_of(name);
  lock_.reset(new Lock(directory / (".timeless-lock-" + purpose_), name));
  if (lock_->locked()) remove_leftovers(directory, temporary_prefix(purpose_));
  partial_.emplace(directory, purpose_, name);
}

void OutputFile::keep() {
  partial_->keep_as(name_, existing_);
}

} // namespace timeless::gather
