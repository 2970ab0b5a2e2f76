#pragma once

#include <cstdint>
#include <optional>

namespace timeless::replay {

/// Finds out, on process 0, when no process has anything to do and nothing is on its way between them: two waves of
/// reports that agree, each process's second report after all first ones. In between, nobody sent anything, and
/// nothing was on its way.
class Termination {
public:
  explicit Termination(int processes) : processes_(processes) {}

  enum class Wave : std::uint8_t {
    open,  ///< some processes are still to report
    again, ///< all have, and are to be asked once more
    last,  ///< all have, and nothing can happen any more
  };
  /// Adds a process that has nothing to do, and has sent and received so many batches.
  Wave add(std::uint64_t sent, std::uint64_t received) {
    sent_ += sent;
    received_ += received;
    if (++reports_ < processes_) return Wave::open;
    const bool all_arrived = sent_ == received_;
    if (all_arrived && sent_before_ == sent_) return Wave::last;
    const std::uint64_t sent_in_all = sent_;
    begin();
    if (all_arrived) sent_before_ = sent_in_all;
    return Wave::again;
  }
  /// Begins with a first wave, whatever was reported before.
  void begin() {
    sent_ = received_ = 0;
    reports_ = 0;
    sent_before_.reset();
  }

private:
  int processes_;
  int reports_ = 0; ///< in the open wave
  std::uint64_t sent_ = 0;
  std::uint64_t received_ = 0;
  std::optional<std::uint64_t> sent_before_; ///< in the wave before, if all of it had arrived
};

} // namespace timeless::replay
