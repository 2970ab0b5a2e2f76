#pragma once

#include "replay/result/result.h"
#include "trace/model/run.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace timeless::replay {

/// What the model leaves out of some calls (docs/model.md, "Not modelled").
enum class Unmodelled : std::uint8_t {
  another_world,        ///< a call on a communicator shared with another MPI_COMM_WORLD
  process_creation,     ///< a call that starts or meets such processes
  generalized_request,  ///< its completion waits for nothing
  exclusive_lock,       ///< does not wait for the holder of the lock
  arithmetic_at_target, ///< an accumulate's, which no rank spends
  shared_file_pointer,  ///< does not wait for who moves it
  end_without_begin,    ///< of a split collective, whose begin was not recorded
  begin_without_end,    ///< the reverse
  neighbourhood, ///< a collective of unknown neighbours waits for all members, and costs one message of all they send
  cancelled_after_receipt, ///< the next message took its place
  unordered_messages,      ///< of several threads at once, in the order recorded
  number_of,
};

/// How often, and by how many ranks, something was called that is not modelled.
struct UnmodelledCount {
  std::uint64_t calls = 0;
  std::uint64_t ranks = 0; ///< that make them
};
/// By kind.
using UnmodelledCounts = std::array<UnmodelledCount, static_cast<std::size_t>(Unmodelled::number_of)>;

/// Returns all that was left out, in the order of the enumeration; then the calls that were seen but not recorded as
/// actions, by name, which `records` tell of.
std::vector<NotModelled> list(const UnmodelledCounts& counts, std::span<const trace::RankRecord> records);

/// Counts what the model leaves out, by kind and rank.
class NotModelledCalls {
public:
  explicit NotModelledCalls(std::size_t ranks) : ranks_(ranks) {}

  /// Adds calls of which the model leaves something out. `number`: of the rank, from 0.
  void add(Unmodelled what, std::size_t number, std::uint64_t calls = 1);
  std::uint64_t calls(Unmodelled what) const { return counts_[static_cast<std::size_t>(what)].calls; }

  const UnmodelledCounts& counts() const { return counts_; }

private:
  std::size_t ranks_;
  UnmodelledCounts counts_;
  std::array<std::vector<bool>, UnmodelledCounts().size()> seen_; ///< by kind and rank
};

/// Returns what is left out, in words: "exclusive locks do not wait for each other".
const char* words(Unmodelled what);

} // namespace timeless::replay
