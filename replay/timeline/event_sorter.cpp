#include "replay/timeline/event_sorter.h"

#include "base/descriptors.h"
#include "base/error.h"
#include "base/files/temporary_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <queue>
#include <tuple>
#include <utility>

namespace timeless::replay::timeline {

namespace {

constexpr std::size_t read_at_once = std::size_t{1} << 18U;

[[noreturn]] void fail(const char* what, const std::filesystem::path& where, int code) {
  throw Error(Failure::runtime, std::string(what) + ": " + std::strerror(code), where.string(),
              code == ENOSPC || code == EDQUOT ? "free some space, or choose a window of time or fewer ranks" : "");
}

} // namespace

/// The events of a run, one after the other.
class EventSorter::RunReader {
public:
  RunReader(int file, Run run, const std::filesystem::path& where) : file_(file), run_(run), where_(where) { next(); }

  bool over() const { return over_; }
  const Event& event() const { return event_; }
  std::span<const std::uint64_t> received() const { return received_; }

  void next() {
    over_ = run_.begin == run_.end && place_ == buffer_.size();
    if (over_) return;
    take(&event_, sizeof event_);
    received_.resize(event_.received);
    take(received_.data(), received_.size() * sizeof(std::uint64_t));
  }

private:
  void take(void* to, std::size_t count) {
    auto* out = static_cast<char*>(to);
    while (count > 0) {
      if (place_ == buffer_.size()) fill();
      const std::size_t part = std::min(count, buffer_.size() - place_);
      std::memcpy(out, buffer_.data() + place_, part);
      out += part;
      count -= part;
      place_ += part;
    }
  }

  void fill() {
    buffer_.resize(std::min<std::uint64_t>(read_at_once, run_.end - run_.begin));
    place_ = 0;
    const ssize_t got = read_at(file_, run_.begin, buffer_.data(), buffer_.size());
    if (got < std::ssize(buffer_)) fail("cannot read a temporary file", where_, got < 0 ? errno : EIO);
    run_.begin += buffer_.size();
  }

  int file_;
  Run run_;
  const std::filesystem::path& where_;
  std::string buffer_;
  std::size_t place_ = 0;
  Event event_;
  std::vector<std::uint64_t> received_;
  bool over_ = false;
};

EventSorter::EventSorter(Order order, std::filesystem::path scratch, std::size_t memory)
    : order_(order), scratch_(std::move(scratch)), memory_(memory) {}

EventSorter::~EventSorter() {
  if (file_ >= 0) ::close(file_);
}

bool EventSorter::before(const Event& left, const Event& right) const {
  const double first = order_ == Order::by_start ? left.start : left.end;
  const double second = order_ == Order::by_start ? right.start : right.end;
  // What comes before a rank's first action has the same number.
  const auto place = [](const Event& event) { return event.ordinal + (event.not_started ? 0U : 1U); };
  return std::tuple(first, left.rank, place(left)) < std::tuple(second, right.rank, place(right));
}

void EventSorter::add(const Event& event, std::span<const std::uint64_t> received) {
  if (events_.size() * sizeof(Stored) + received_.size() * sizeof(std::uint64_t) >= memory_) spill();
  Stored& stored = events_.emplace_back(Stored{event, received_.size()});
  stored.event.received = static_cast<std::uint32_t>(received.size());
  received_.insert(received_.end(), received.begin(), received.end());
  ++added_;
}

void EventSorter::clear() {
  events_.clear();
  received_.clear();
  runs_.clear();
  added_ = 0;
}

void EventSorter::sort() {
  std::ranges::sort(events_,
                    [this](const Stored& left, const Stored& right) { return before(left.event, right.event); });
}

void EventSorter::spill() {
  if (events_.empty()) return;
  if (file_ < 0) file_ = open_scratch(scratch_);
  sort();
  Run run{.begin = runs_.empty() ? 0 : runs_.back().end, .end = 0};
  run.end = run.begin;
  std::string buffer;
  const auto write = [&] {
    if (write_at(file_, run.end, buffer) < buffer.size()) fail("cannot write a temporary file", scratch_, errno);
    run.end += buffer.size();
    buffer.clear();
  };
  for (const Stored& stored : events_) {
    buffer.append(reinterpret_cast<const char*>(&stored.event), sizeof stored.event);
    if (stored.event.received > 0)
      buffer.append(reinterpret_cast<const char*>(received_.data() + stored.first_received),
                    stored.event.received * sizeof(std::uint64_t));
    if (buffer.size() >= read_at_once) write();
  }
  write();
  runs_.push_back(run);
  events_.clear();
  received_.clear();
}

void EventSorter::for_each(const Visit& visit) {
  if (!runs_.empty()) {
    spill();
    return merge(visit);
  }
  sort();
  for (const Stored& stored : events_)
    visit(stored.event, std::span(received_).subspan(stored.first_received, stored.event.received));
}

void EventSorter::merge(const Visit& visit) {
  std::vector<RunReader> readers;
  for (const Run run : runs_)
    readers.emplace_back(file_, run, scratch_);
  const auto later = [&](std::size_t left, std::size_t right) {
    return before(readers[right].event(), readers[left].event());
  };
  std::priority_queue<std::size_t, std::vector<std::size_t>, decltype(later)> next(later);
  for (std::size_t number = 0; number < readers.size(); ++number)
    if (!readers[number].over()) next.push(number);
  while (!next.empty()) {
    const std::size_t number = next.top();
    next.pop();
    visit(readers[number].event(), readers[number].received());
    readers[number].next();
    if (!readers[number].over()) next.push(number);
  }
}

} // namespace timeless::replay::timeline
