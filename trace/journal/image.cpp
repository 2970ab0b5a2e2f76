#include "trace/journal/image.h"

#include "base/error.h"
#include "base/files/input_file.h"
#include "trace/codec/layout.h"

#include <algorithm>
#include <cstring>

namespace timeless::trace {

namespace {

/// Returns a text in a field of fixed size, which a zero byte may end.
template <std::size_t Size>
std::string text(const char (&field)[Size]) {
  return {field, std::find(field, field + Size, '\0')};
}

bool within(std::uint64_t offset, std::uint64_t size, std::uint64_t all) {
  return offset <= all && size <= all - offset;
}

} // namespace

std::filesystem::path journal_beside(const std::filesystem::path& archive) {
  return std::filesystem::path(archive).replace_extension(journal_extension);
}

std::optional<JournalImage> JournalImage::read(const std::filesystem::path& path) {
  try {
    const InputFile file(path);
    return of(file.read(0, max_journal_bytes));
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::optional<JournalImage> JournalImage::of(std::string bytes) {
  JournalImage image;
  image.bytes_ = std::move(bytes);
  if (!image.understand()) return std::nullopt;
  image.find_segments();
  return image;
}

template <typename Structure>
Structure JournalImage::at(std::size_t offset) const {
  Structure structure;
  std::memcpy(&structure, bytes_.data() + offset, sizeof structure);
  return structure;
}

bool JournalImage::understand() {
  if (bytes_.size() < journal_header_bytes) return false;
  header_ = at<JournalHeader>(0);
  const std::string_view said = std::string_view(bytes_).substr(0, sizeof(JournalHeader) - sizeof(std::uint64_t));
  if (std::string_view(header_.magic, sizeof header_.magic) != journal_magic ||
      (header_.version != journal_version && header_.version != journal_version_with_times) ||
      header_.checksum != checksum(said) || header_.segment_bytes <= sizeof(JournalSegment) ||
      header_.segments > max_journal_segments || !within(header_.names_offset, header_.names_bytes, bytes_.size()) ||
      !within(header_.counts_offset, std::uint64_t{header_.calls} * sizeof(std::uint64_t), bytes_.size()))
    return false;
  return true;
}

void JournalImage::find_segments() {
  for (std::uint64_t number = 0; number < header_.segments; ++number) {
    const std::uint64_t offset = header_.segments_offset + number * header_.segment_bytes;
    if (!within(offset, header_.segment_bytes, bytes_.size())) break;
    const auto segment = at<JournalSegment>(static_cast<std::size_t>(offset));
    if (segment.first_action == free_segment) continue;
    const auto bytes = static_cast<std::uint32_t>(segment.committed);
    // Too long for the segment cannot be: its check will say so.
    segments_.push_back({.first_action = segment.first_action,
                         .offset = static_cast<std::size_t>(offset) + sizeof segment,
                         .bytes = std::min<std::size_t>(bytes, header_.segment_bytes - sizeof segment),
                         .check = static_cast<std::uint32_t>(segment.committed >> 32U)});
  }
  std::ranges::sort(segments_, {}, &Segment::first_action);
}

std::string JournalImage::host() const {
  return text(header_.host);
}

JournalSignal JournalImage::signal() const {
  return at<JournalSignal>(journal_signal_offset);
}

std::vector<JournalThread> JournalImage::threads() const {
  std::vector<JournalThread> threads;
  for (std::size_t slot = 0; slot < journal_threads; ++slot) {
    const auto thread = at<JournalThread>(journal_threads_offset + slot * sizeof(JournalThread));
    if (thread.thread != 0) threads.push_back(thread);
  }
  return threads;
}

std::string JournalImage::call_of(const JournalThread& thread) const {
  std::uint64_t number = thread.call & 0xffffU;
  if (number == 0 || number > header_.calls) return "";
  std::string_view names = std::string_view(bytes_).substr(header_.names_offset, header_.names_bytes);
  for (; number > 1 && !names.empty(); --number)
    names.remove_prefix(std::min(names.size(), names.find('\0') + 1));
  return std::string(names.substr(0, names.find('\0')));
}

std::optional<CommunicatorId> JournalImage::communicator(std::uint64_t handle) const {
  if (handle == 0) return std::nullopt;
  if (handle == header_.world) return world_communicator;
  for (std::size_t slot = 0; slot < journal_communicators; ++slot) {
    const auto entry = at<JournalCommunicator>(journal_communicators_offset + slot * sizeof(JournalCommunicator));
    if (entry.handle == handle) return entry.id;
  }
  return std::nullopt;
}

std::map<std::string, std::uint64_t> JournalImage::unrecorded_calls() const {
  std::map<std::string, std::uint64_t> calls;
  std::string_view names = std::string_view(bytes_).substr(header_.names_offset, header_.names_bytes);
  for (std::uint32_t call = 0; call < header_.calls && !names.empty(); ++call) {
    const std::string_view name = names.substr(0, names.find('\0'));
    names.remove_prefix(std::min(names.size(), name.size() + 1));
    const auto count = at<std::uint64_t>(header_.counts_offset + std::size_t{call} * sizeof(std::uint64_t));
    if (count != 0 && !name.empty()) calls[std::string(name)] = count;
  }
  return calls;
}

SegmentLog JournalImage::log(const Segment& segment) const {
  return read_segment_log(std::string_view(bytes_).substr(segment.offset, segment.bytes), header_.run_identity,
                          segment.first_action, segment.check, header_.version == journal_version_with_times);
}

} // namespace timeless::trace
