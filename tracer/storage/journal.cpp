#include "tracer/storage/journal.h"

#include "base/error.h"
#include "trace/codec/entry_codec.h"
#include "trace/codec/layout.h"
#include "trace/journal/owner.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <string>
#include <utility>

namespace timeless::tracer {

namespace {

using trace::JournalSegment;
using trace::JournalThread;

constexpr std::size_t page = 4096;
constexpr std::size_t least_segment_bytes = std::size_t{16} << 10U;
constexpr std::size_t most_segment_bytes = std::size_t{1} << 20U;
/// What a segment holds per action: more than is common, so that a block seldom ends because its log is full.
constexpr std::size_t bytes_per_action = 8;
constexpr std::size_t bytes_per_times = 6;
/// Blocks whose log has space from the start: the one being filled and the one being written.
constexpr std::size_t segments_at_first = 2;
/// What shrink() keeps, to have it to give when even the file's end finds no room.
constexpr std::size_t kept_bytes = std::size_t{64} << 10U;

std::size_t whole_pages(std::size_t bytes) {
  return (bytes + page - 1) / page * page;
}

/// For entries on their way into a log. One thread at a time notes something; never freed, because some program's last
/// call comes after everything else.
std::string& scratch() {
  static std::string& bytes = *new std::string;
  bytes.clear();
  return bytes;
}

[[noreturn]] void fail(const char* what, int code, const std::filesystem::path& path) {
  throw Error(Failure::runtime, std::string(what) + ": " + std::strerror(code), path.string());
}

template <std::size_t Size>
void copy(char (&field)[Size], const std::string& text) {
  std::memcpy(field, text.data(), std::min(text.size(), Size - 1));
}

} // namespace

bool BlockLog::append_new(const trace::Action& action, std::uint64_t volume, const trace::ActionTimes* times) {
  std::string& entry = scratch();
  encode_entry(action, entry);
  if (!starts_record(entry.size() + 4 * most_value_bytes)) return false;
  put_value(trace::record_new_entry);
  put_bytes(entry);
  if (has_volume(action.kind)) put_value(volume);
  put_times(times);
  commit();
  return true;
}

bool BlockLog::replace(std::uint32_t position, std::uint32_t entry, const trace::Action* fresh) {
  std::string& bytes = scratch();
  if (fresh != nullptr) encode_entry(*fresh, bytes);
  if (!starts_record(bytes.size() + 3 * most_value_bytes)) return false;
  put_value(trace::record_replacement);
  put_value(position);
  put_value(fresh != nullptr ? trace::record_new_entry : trace::record_entry + entry);
  if (fresh != nullptr) put_bytes(bytes);
  commit();
  return true;
}

bool BlockLog::define(std::string_view definitions) {
  if (!starts_record(definitions.size() + 2 * most_value_bytes + spare_bytes)) return false;
  put_value(trace::record_definitions);
  at_ = put_varint(at_, definitions.size());
  put_bytes(definitions);
  commit();
  return true;
}

void BlockLog::put_bytes(std::string_view bytes) {
  check_.add(trace::checksum(bytes));
  std::memcpy(at_, bytes.data(), bytes.size());
  at_ += bytes.size();
}

void BlockLog::put_check() {
  const std::uint32_t value = check_.value();
  *at_++ = static_cast<char>(trace::record_check);
  store_fixed(at_, value);
  at_ += sizeof value;
  checked_ = at_;
}

Journal::Journal(const std::filesystem::path& path, const Setup& plan) : path_(path), run_identity_(plan.run_identity) {
  ::unlink(path.c_str()); // what is left of a run whose file is gone
  if (const int code = file_.create(path, O_RDWR); code != 0) fail("cannot create the journal", code, path_);
  try {
    std::size_t names = 0;
    for (const char* const call : plan.calls)
      names += std::strlen(call) + 1;
    segments_offset_ = whole_pages(trace::journal_header_bytes + plan.calls.size() * sizeof(std::uint64_t) + names);
    const std::size_t bytes_each = bytes_per_action + (plan.times ? bytes_per_times : 0);
    segment_bytes_ =
        std::clamp(whole_pages(plan.actions_per_block * bytes_each), least_segment_bytes, most_segment_bytes);
    // One more: a full block is written only when the next one has been begun.
    const std::size_t segments = plan.blocks + 1;
    bytes_ = segments_offset_ + segments * segment_bytes_;
    allocate(segments_offset_ + segments_at_first * segment_bytes_);
    void* const memory = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, file_.descriptor(), 0);
    if (memory == MAP_FAILED) fail("the journal cannot be mapped", errno, path_);
    memory_ = static_cast<char*>(memory);
    // A forked child is not the rank.
    ::madvise(memory_, bytes_, MADV_DONTFORK);
    for (auto number = static_cast<std::uint32_t>(segments); number-- > 0;)
      free_.push_back(number);
    fill_header(plan);
  } catch (...) {
    remove();
    throw;
  }
}

Journal::~Journal() {
  if (memory_ != nullptr) ::munmap(memory_, bytes_);
}

void Journal::allocate(std::size_t bytes) {
  rlimit limit{};
  // Beyond the limit there is a signal, not only an error.
  if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && bytes > limit.rlim_cur) fail("no space for the journal", EFBIG, path_);
  const int descriptor = file_.descriptor();
  const int code = descriptor < 0 ? errno : ::posix_fallocate(descriptor, 0, static_cast<off_t>(bytes));
  if (code != 0) fail("no space for the journal", code, path_);
  for (std::size_t offset = std::max(allocated_, segments_offset_); memory_ != nullptr && offset < bytes;
       offset += segment_bytes_)
    reinterpret_cast<JournalSegment*>(at(offset))->first_action = trace::free_segment;
  allocated_ = bytes;
}

void Journal::fill_header(const Setup& plan) {
  char* names = at(trace::journal_header_bytes + plan.calls.size() * sizeof(std::uint64_t));
  auto* const header = reinterpret_cast<trace::JournalHeader*>(memory_);
  trace::JournalHeader filled;
  std::memcpy(filled.magic, trace::journal_magic.data(), sizeof filled.magic);
  if (plan.times) filled.version = trace::journal_version_with_times;
  filled.rank = plan.rank;
  filled.run_identity = plan.run_identity;
  filled.calls = static_cast<std::uint32_t>(plan.calls.size());
  filled.counts_offset = trace::journal_header_bytes;
  filled.names_offset = static_cast<std::uint32_t>(names - memory_);
  for (const char* const call : plan.calls)
    names = ::stpcpy(names, call) + 1;
  filled.names_bytes = static_cast<std::uint32_t>(names - at(filled.names_offset));
  filled.segments_offset = static_cast<std::uint32_t>(segments_offset_);
  filled.segments = static_cast<std::uint32_t>(free_.size());
  filled.segment_bytes = static_cast<std::uint32_t>(segment_bytes_);
  filled.process = static_cast<std::uint32_t>(::getpid());
  filled.process_start = trace::start_of_process(filled.process);
  const trace::PidNamespace here = trace::this_pid_namespace();
  filled.process_namespace = here.processes;
  copy(filled.boot, here.boot);
  ::gethostname(filled.host, sizeof filled.host - 1);
  filled.world = plan.world;
  filled.checksum = trace::checksum({reinterpret_cast<const char*>(&filled), sizeof filled - sizeof filled.checksum});
  counts_ = reinterpret_cast<std::uint64_t*>(at(filled.counts_offset));
  for (std::size_t offset = segments_offset_; offset < allocated_; offset += segment_bytes_)
    reinterpret_cast<JournalSegment*>(at(offset))->first_action = trace::free_segment;
  *header = filled;
}

BlockLog Journal::open(std::uint64_t first_action) {
  BlockLog log;
  if (free_.empty() || detached_) return log;
  const std::size_t offset = segments_offset_ + free_.back() * segment_bytes_;
  if (offset + segment_bytes_ > allocated_) {
    try {
      allocate(offset + segment_bytes_);
    } catch (const Error&) {
      return log; // the block goes without
    }
  }
  log.number_ = free_.back();
  free_.pop_back();
  log.segment_ = reinterpret_cast<JournalSegment*>(at(offset));
  log.begin_ = log.at_ = log.checked_ = at(offset) + sizeof(JournalSegment);
  log.end_ = at(offset) + segment_bytes_;
  log.check_ = trace::JournalCheck(run_identity_, first_action);
  log.commit();
  std::atomic_ref(log.segment_->first_action).store(first_action, std::memory_order_release);
  return log;
}

void Journal::close(BlockLog& log) {
  if (!log) return;
  std::atomic_ref(log.segment_->first_action).store(trace::free_segment, std::memory_order_release);
  free_.push_back(log.number_);
  log = {};
}

void Journal::name_communicator(std::uint64_t handle, trace::CommunicatorId id) {
  auto* const entries = reinterpret_cast<trace::JournalCommunicator*>(at(trace::journal_communicators_offset));
  // Handles are addresses: their low bits are alike.
  trace::JournalCommunicator& entry = entries[(handle >> 6U) % trace::journal_communicators];
  entry = {.handle = handle, .id = id};
}

JournalThread* Journal::claim_thread() noexcept {
  auto* const slots = reinterpret_cast<JournalThread*>(at(trace::journal_threads_offset));
  const auto self = static_cast<std::uint32_t>(::gettid());
  for (std::size_t slot = 0; slot < trace::journal_threads; ++slot) {
    std::atomic_ref thread(slots[slot].thread);
    std::uint32_t owner = thread.load();
    const bool ended = owner != 0 && ::tgkill(::getpid(), static_cast<pid_t>(owner), 0) != 0;
    if ((owner == 0 || ended || owner == self) && thread.compare_exchange_strong(owner, self)) return &slots[slot];
  }
  return nullptr;
}

void Journal::note_signal(const trace::JournalSignal& signal) noexcept {
  std::memcpy(at(trace::journal_signal_offset), &signal, sizeof signal);
}

bool Journal::holds(const void* address) const noexcept {
  const auto* const byte = static_cast<const char*>(address);
  return byte >= memory_ && byte < memory_ + bytes_;
}

void Journal::detach() noexcept {
  detached_ = true;
  ::mmap(memory_, bytes_, PROT_READ | PROT_WRITE, MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

void Journal::shrink() noexcept {
  if (detached_) return;
  detach();
  (void)::ftruncate(file_.descriptor(), static_cast<off_t>(std::min(kept_bytes, allocated_)));
}

void Journal::remove() noexcept {
  if (std::exchange(removed_, true)) return;
  if (memory_ != nullptr) detach();
  if (!file_.open()) return;
  ::unlink(path_.c_str());
  // Its space is free now, not only when the process ends.
  if (const int descriptor = file_.descriptor(); descriptor >= 0) (void)::ftruncate(descriptor, 0);
}

} // namespace timeless::tracer
