#include "base/files/new_file.h"

#include "base/descriptors.h"
#include "base/error.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

namespace timeless {

namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 16U;

/// Returns whether a path leads through links to a descriptor that is open already, as /dev/stdout does.
bool leads_to_descriptor(std::filesystem::path path) {
  std::error_code unknown;
  for (int links = 0; links < 8; ++links) {
    const std::filesystem::path directory = std::filesystem::canonical(directory_of(path), unknown);
    if (unknown || !std::filesystem::is_symlink(path, unknown)) return false;
    const std::string& text = directory.native();
    if (text.starts_with("/proc/") && text.ends_with("/fd")) return true;
    path = directory / std::filesystem::read_symlink(path, unknown);
  }
  return false;
}

/// Pipes, terminals and open descriptors: they have no other name beside them, and nothing of theirs is replaced.
bool is_special(const std::filesystem::path& name) {
  struct stat status {};
  if (::stat(name.c_str(), &status) != 0 || S_ISDIR(status.st_mode)) return false;
  return !S_ISREG(status.st_mode) || leads_to_descriptor(name);
}

std::string descriptor_path(int file) {
  return "/proc/self/fd/" + std::to_string(file);
}

/// Opens a file that goes even when the process is killed; -1 on a file system without, or where it could get no name.
int open_nameless(const std::filesystem::path& directory) {
  const int file = ::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
  if (file < 0 || ::access(descriptor_path(file).c_str(), F_OK) == 0) return file;
  ::close(file);
  return -1;
}

} // namespace

void demand_free_output(const std::filesystem::path& output, Existing existing) {
  if (output == "-")
    throw Error(Failure::usage, "the output is called '-', which is not standard output here", "",
                "give the name of a file, or ./- for one of that name");
  std::error_code unknown;
  const auto status = std::filesystem::symlink_status(output, unknown);
  if (std::filesystem::is_directory(std::filesystem::status(output, unknown)))
    throw Error(Failure::usage, "the output is a directory", output.string(), "give the name of a file");
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status) &&
      !std::filesystem::is_symlink(status))
    throw Error(Failure::usage, "the output is a device, a pipe or a socket", output.string(),
                "give the name of a file");
  if (std::filesystem::exists(status) && existing == Existing::refuse)
    throw Error(Failure::usage, "the output exists already", output.string(),
                "give another name, or --force to replace it");
}

void demand_output_apart(const std::filesystem::path& output, std::span<const std::filesystem::path> inputs) {
  struct stat written {};
  const bool exists = ::stat(output.c_str(), &written) == 0;
  for (const std::filesystem::path& input : inputs) {
    struct stat read {};
    const bool one_file =
        exists && ::stat(input.c_str(), &read) == 0 && read.st_dev == written.st_dev && read.st_ino == written.st_ino;
    if (one_file || input.lexically_normal() == output.lexically_normal()) // which may not be there yet
      throw Error(Failure::usage, "the output is one of the inputs", output.string(), "give another name");
  }
}

NewFile::NewFile(std::filesystem::path name, Existing existing, Durable durable)
    : name_(std::move(name)), existing_(existing), durable_(durable), special_(is_special(name_)) {
  if (special_) {
    file_ = ::open(name_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
    if (file_ < 0) fail(errno);
    return;
  }
  demand_free_output(name_, existing_);
  file_ = open_nameless(directory_of(name_));
  if (file_ >= 0) return;
  part_.emplace(directory_of(name_), "new");
  file_ = part_->create();
}

NewFile::~NewFile() {
  if (file_ >= 0) ::close(file_);
}

void NewFile::fail(int code) const {
  throw Error(Failure::runtime, std::string("cannot write the file: ") + std::strerror(code), output_of(name_).string(),
              code == ENOSPC || code == EDQUOT ? "free some space, or choose another directory" : "");
}

void NewFile::flush() {
  if (!write_whole(file_, buffer_)) fail(errno);
  buffer_.clear();
}

void NewFile::write(std::string_view bytes) {
  buffer_.append(bytes);
  written_ += bytes.size();
  if (buffer_.size() >= buffer_bytes) flush();
}

void NewFile::write_over(std::uint64_t offset, std::string_view bytes) {
  if (special_)
    throw Error(Failure::usage, "this format needs a file whose beginning can be written last", name_.string(),
                "name a file");
  flush();
  if (write_at(file_, offset, bytes) < bytes.size()) fail(errno);
}

void NewFile::name_part() {
  part_.emplace(directory_of(name_), "new");
  if (::linkat(AT_FDCWD, descriptor_path(file_).c_str(), AT_FDCWD, part_->path().c_str(), AT_SYMLINK_FOLLOW) != 0)
    fail(errno);
}

std::uint64_t NewFile::finish() {
  flush();
  if (!special_ && !part_) name_part();
  if (::close(std::exchange(file_, -1)) != 0) fail(errno);
  if (part_) part_->keep_as(name_, existing_, durable_);
  return written_;
}

std::uint64_t write_file(const std::filesystem::path& name, std::string_view content, Existing existing) {
  NewFile file(name, existing);
  file.write(content);
  return file.finish();
}

} // namespace timeless
