#include "replay/timeline/otf2_directory.h"

#include "base/error.h"
#include "replay/timeline/writers.h"

#include <string>
#include <system_error>
#include <utility>

namespace timeless::replay::timeline {

namespace {

/// Returns whether a directory holds what OTF2 writes, and nothing else.
bool is_archive(const std::filesystem::path& directory) {
  std::error_code problem;
  bool anchored = false;
  std::filesystem::recursive_directory_iterator entry(directory, problem);
  for (; !problem && entry != std::filesystem::recursive_directory_iterator(); entry.increment(problem)) {
    const std::filesystem::path& path = entry->path();
    const bool in_traces = path.parent_path().filename() == otf2_archive_name;
    if (entry->is_symlink(problem) || entry.depth() > 1) return false;
    if (entry.depth() == 0 && path.filename() == otf2_archive_name) continue;
    const std::string name = entry.depth() == 0 ? path.filename().string() : "";
    anchored = anchored || name == std::string(otf2_archive_name) + ".otf2";
    const bool known = entry.depth() == 0 ? path.stem() == otf2_archive_name &&
                                                (path.extension() == ".otf2" || path.extension() == ".def")
                                          : in_traces && (path.extension() == ".evt" || path.extension() == ".def");
    if (!known) return false;
  }
  return anchored && !problem;
}

void check_directory(const std::filesystem::path& name, Existing existing) {
  std::error_code unknown;
  if (!std::filesystem::exists(std::filesystem::symlink_status(name, unknown))) return;
  if (existing == Existing::refuse)
    throw Error(Failure::usage, "the output exists already", name.string(),
                "give another name, or --force to replace it");
  if (std::filesystem::is_symlink(name, unknown) || !is_archive(name))
    throw Error(Failure::usage, "something that is no OTF2 archive has this name", name.string(),
                "name another directory");
}

std::uint64_t bytes_below(const std::filesystem::path& directory) {
  std::uint64_t bytes = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory))
    if (entry.is_regular_file()) bytes += entry.file_size();
  return bytes;
}

/// Removes the slash that the name of a directory may end with.
std::filesystem::path trimmed(const std::filesystem::path& name) {
  return name.has_filename() ? name : name.parent_path();
}

} // namespace

Otf2Directory::Otf2Directory(std::filesystem::path name, Existing existing)
    : name_(std::move(name)), existing_(existing), part_(directory_of(trimmed(name_)), "otf2") {
  check_directory(name_, existing_);
  part_.create_directory();
}

std::uint64_t Otf2Directory::finish() {
  check_directory(name_, existing_);
  const std::uint64_t bytes = bytes_below(part_.path());
  part_.keep_as(trimmed(name_), existing_);
  return bytes;
}

void check_otf2_directory(const std::filesystem::path& directory, Existing existing) {
  const Otf2Directory made(directory, existing);
}

} // namespace timeless::replay::timeline
