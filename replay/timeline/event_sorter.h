#pragma once

#include "replay/timeline/event.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace timeless::replay::timeline {

/// Which time events are brought into the order of; those of the same time by rank, those of a rank as they came.
enum class Order : std::uint8_t { by_start, by_end };

/// Sorts events in bounded memory: what does not fit goes, sorted, into a scratch file without a name, and is merged in
/// the end. Needs as much disk as the events take, some 150 bytes each.
class EventSorter {
public:
  /// Prepares to sort events. `scratch` is the directory for that file, `memory` roughly the most that events may take
  /// before they go there.
  EventSorter(Order order, std::filesystem::path scratch, std::size_t memory);
  ~EventSorter();
  EventSorter(const EventSorter&) = delete;
  EventSorter& operator=(const EventSorter&) = delete;

  /// Throws Error(runtime) when the disk is full.
  void add(const Event& event, std::span<const std::uint64_t> received);
  void clear();
  std::uint64_t size() const { return added_; }
  /// Visits all, in order.
  void for_each(const Visit& visit);
  /// Returns true when `left` comes before `right` in the order.
  bool before(const Event& left, const Event& right) const;

private:
  struct Stored {
    Event event;
    std::uint64_t first_received = 0; ///< where in received_
  };
  /// A sorted run of events in the scratch file.
  struct Run {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
  };
  class RunReader;

  void sort();
  void spill();
  void merge(const Visit& visit);

  Order order_;
  std::filesystem::path scratch_;
  std::size_t memory_;
  std::vector<Stored> events_;
  std::vector<std::uint64_t> received_;
  std::vector<Run> runs_;
  std::uint64_t added_ = 0;
  int file_ = -1;
};

} // namespace timeless::replay::timeline
