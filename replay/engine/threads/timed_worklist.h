#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <tuple>
#include <vector>

namespace timeless::replay {

/// The ranks and threads that can go on, by the time of their clocks: the earliest comes first. Of equals those who ask
/// for no core, the lowest rank first and of a rank the thread that was met first; then the others as they have asked.
class TimedWorklist {
public:
  struct Entry {
    double time = 0;         ///< seconds
    std::uint64_t asked = 0; ///< for a core: its number among all who have asked; 0: not
    std::uint32_t rank = 0;  ///< its number
    std::uint32_t place = 0; ///< of the thread among the rank's
    std::uint32_t number = 0;
    friend bool operator>(const Entry& left, const Entry& right) {
      return std::tie(left.time, left.asked, left.rank, left.place) >
             std::tie(right.time, right.asked, right.rank, right.place);
    }
  };

  bool empty() const { return entries_.empty(); }
  const Entry& first() const { return entries_.top(); }
  void push(const Entry& entry) { entries_.push(entry); }
  std::uint32_t pop() {
    const std::uint32_t number = entries_.top().number;
    entries_.pop();
    return number;
  }

private:
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> entries_;
};

} // namespace timeless::replay
