#include "replay/smpi/trace_scan.h"

#include "replay/smpi/payload.h"
#include "trace/error.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string>

namespace timeless::replay::smpi {

namespace {

using trace::Action;
using trace::ActionKind;

constexpr trace::Bytes largest_int = std::numeric_limits<int>::max();

bool neighbor_collective(ActionKind kind) {
  return kind == ActionKind::neighbor_allgather || kind == ActionKind::neighbor_allgatherv ||
         kind == ActionKind::neighbor_alltoall || kind == ActionKind::neighbor_alltoallv ||
         kind == ActionKind::neighbor_alltoallw;
}

bool names_communicator(const Action& action) {
  switch (trace::family(action.kind)) {
  case trace::ActionFamily::point_to_point:
  case trace::ActionFamily::collective:
  case trace::ActionFamily::communicator:
    return true;
  default:
    return false;
  }
}

/// What this backend does not replay, whatever SMPI could: named once, not call by call.
std::string_view foreign_to_smpi(trace::ActionFamily family) {
  switch (family) {
  case trace::ActionFamily::generalized:
    return "generalized requests";
  case trace::ActionFamily::process:
    return "processes of another MPI_COMM_WORLD";
  case trace::ActionFamily::window:
  case trace::ActionFamily::one_sided:
  case trace::ActionFamily::epoch:
    return "one-sided communication";
  case trace::ActionFamily::file:
  case trace::ActionFamily::file_collective:
    return "files";
  default:
    return {};
  }
}

/// Why SMPI cannot replay this action; empty when it can.
std::string obstacle(const Action& action, const trace::Run& run) {
  if (const std::string_view what = foreign_to_smpi(trace::family(action.kind)); !what.empty())
    return std::string(what);
  if (neighbor_collective(action.kind)) return trace::mpi_name(action) + " (SMPI has no neighbourhood collectives)";
  if (action.kind == ActionKind::intercomm_create || action.kind == ActionKind::intercomm_merge)
    return trace::mpi_name(action) + " (SMPI has no intercommunicators)";
  if (names_communicator(action) && run.communicators[action.communicator].foreign_members() > 0)
    return trace::mpi_name(action) + " with processes of another MPI_COMM_WORLD (this backend replays none)";
  if (names_communicator(action) && !run.communicators[action.communicator].remote_members.empty())
    return trace::mpi_name(action) + " on an intercommunicator (SMPI has none)";
  const trace::Bytes largest = std::max(action.bytes, action.receive_bytes);
  if (largest > largest_payload) return trace::mpi_name(action) + " of more than 32 GiB";
  if (action.mode == trace::SendMode::buffered && largest > largest_int / 2)
    return trace::mpi_name(action) + " of more than 1 GiB";
  const auto too_large = [](trace::Bytes bytes) { return bytes > largest_int; };
  if (std::ranges::any_of(action.counts, too_large) || std::ranges::any_of(action.receive_counts, too_large))
    return trace::mpi_name(action) + " with a part of more than 2 GiB";
  return {};
}

class Scanner {
public:
  explicit Scanner(const trace::Source& source) : source_(source), run_(source.run()) {
    result_.communicator_used.resize(run_.communicators.size());
    result_.amendments.resize(static_cast<std::size_t>(run_.size));
  }

  TraceScan scan() {
    for (trace::Rank rank = 0; rank < run_.size; ++rank)
      scan_rank(rank);
    if (!obstacles_.empty()) refuse();
    return std::move(result_);
  }

private:
  void scan_rank(trace::Rank rank) {
    rank_ = rank;
    ordinal_ = 0;
    starts_.clear();
    const auto stream = source_.open(rank);
    trace::ActionBlock block;
    while (stream->next(block)) {
      for (const Action& action : block.dictionary())
        check(action);
      for (const std::uint32_t entry : block.sequence()) {
        follow(block.dictionary()[entry]);
        ++ordinal_;
      }
    }
    result_.actions += ordinal_;
  }

  void check(const Action& action) {
    if (names_communicator(action)) {
      mark(action.communicator, action);
      if (action.new_communicator != trace::no_communicator) mark(action.new_communicator, action);
    }
    std::string why = obstacle(action, run_);
    if (!why.empty()) obstacles_.emplace(std::move(why), rank_);
  }

  void mark(trace::CommunicatorId communicator, const Action& action) {
    if (communicator >= run_.communicators.size())
      throw Error(Failure::invalid_input,
                  trace::mpi_name(action) + " uses communicator " + std::to_string(communicator) +
                      ", which the trace does not define",
                  "rank " + std::to_string(rank_));
    result_.communicator_used[communicator] = true;
  }

  /// Finds for each cancelled or late-resolved request the action that started it.
  void follow(const Action& action) {
    if (trace::nonblocking(action)) {
      if (action.request >= starts_.size()) starts_.resize(action.request + 1UL);
      starts_[action.request] = ordinal_;
    } else if (action.kind == ActionKind::cancelled && action.request < starts_.size()) {
      amendment(action.request).cancelled = true;
    } else if (action.kind == ActionKind::resolved && action.request < starts_.size()) {
      Amendment& late = amendment(action.request);
      late.resolved = true;
      late.peer = action.peer;
      late.tag = action.tag;
      late.bytes = action.bytes;
    }
  }

  Amendment& amendment(trace::RequestId request) {
    return result_.amendments[static_cast<std::size_t>(rank_)][starts_[request]];
  }

  [[noreturn]] void refuse() const {
    std::string all;
    for (const auto& [why, rank] : obstacles_)
      all += (all.empty() ? "" : ", ") + why;
    throw Error(Failure::missing_capability, "the SMPI backend cannot replay " + all,
                "first on rank " + std::to_string(obstacles_.begin()->second), "use --backend model");
  }

  const trace::Source& source_;
  const trace::Run& run_;
  TraceScan result_;
  trace::Rank rank_ = 0;
  std::uint64_t ordinal_ = 0;
  std::vector<std::uint64_t> starts_; ///< by RequestId: the ordinal of the action that started it last
  std::map<std::string, trace::Rank> obstacles_;
};

std::string listed(const std::vector<trace::Rank>& ranks) {
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(ranks.size(), 8); ++i)
    text += (i == 0 ? "" : ", ") + std::to_string(ranks[i]);
  return text + (ranks.size() > 8 ? ", ..." : "");
}

} // namespace

TraceScan scan(const trace::Source& source) {
  const auto missing = source.run().missing_ranks();
  if (!missing.empty())
    throw Error(Failure::invalid_input, "the trace does not hold rank " + listed(missing), {},
                "gather the files of all ranks");
  if (source.run().communicators.empty())
    throw Error(Failure::invalid_input, "the trace does not define MPI_COMM_WORLD");
  return Scanner(source).scan();
}

} // namespace timeless::replay::smpi
