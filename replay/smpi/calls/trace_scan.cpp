#include "replay/smpi/calls/trace_scan.h"

#include "base/error.h"
#include "replay/smpi/calls/elements.h"
#include "trace/model/collective_bytes.h"
#include "trace/model/thread_order.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string>

namespace timeless::replay::smpi {

namespace {

using trace::Action;
using trace::ActionKind;

constexpr trace::Bytes largest_int = std::numeric_limits<int>::max();

/// Returns true where the sizes of the action are those of messages.
bool sends_messages(trace::ActionFamily family) {
  return family == trace::ActionFamily::point_to_point || family == trace::ActionFamily::collective ||
         family == trace::ActionFamily::one_sided;
}

/// Returns why SMPI cannot replay this action; empty when it can.
std::string obstacle(const Action& action, const trace::Run& run) {
  const trace::ActionFamily family = trace::family(action.kind);
  if (family == trace::ActionFamily::process) return "processes of another MPI_COMM_WORLD";
  if (neighbourhood(action.kind) && action.tag == 0)
    return trace::mpi_name(action) + " whose neighbours were not recorded";
  if (names_communicator(action.kind) && run.communicators[action.communicator].foreign_members() > 0)
    return trace::mpi_name(action) + " with processes of another MPI_COMM_WORLD (this backend replays none)";
  if (!sends_messages(family)) return {};
  trace::Bytes largest = std::max(action.bytes, action.receive_bytes);
  for (const auto parts : {action.counts, action.receive_counts})
    if (!parts.empty()) largest = std::max(largest, std::ranges::max(parts));
  if (largest > largest_payload) return trace::mpi_name(action) + " of more than 32 GiB";
  if (action.mode == trace::SendMode::buffered && largest > largest_int / 2)
    return trace::mpi_name(action) + " of more than 1 GiB";
  return {};
}

/// Returns how the action is carried out where that is not what the program did; empty when it is.
std::string remark(const Action& action, const trace::Run& run) {
  if (trace::traits(action.kind).probes)
    return "a probe ends when its whole message has come: it takes the message out of its receive's hands, also one "
           "that waits for its receive";
  if (neighbourhood(action.kind))
    return "neighbourhood collectives are a message to and from each neighbour, all at once: SMPI has none";
  switch (trace::family(action.kind)) {
  case trace::ActionFamily::collective:
    if (run.communicators[action.communicator].remote_members.empty()) return {};
    if (action.request != trace::no_request)
      return "nonblocking collectives of an intercommunicator are messages of each with each, or the same call on both "
             "groups as one: SMPI has no intercommunicators";
    return "collectives of an intercommunicator are SMPI's within the groups, and messages between the groups' first "
           "members: SMPI has no intercommunicators";
  case trace::ActionFamily::generalized:
    return "generalized requests take no time: what they stand for was not recorded";
  case trace::ActionFamily::one_sided:
    return "one-sided transfers are SMPI's: a Get needs no message to ask for it, an Accumulate is waited for at its "
           "call, as are all atomic ones";
  case trace::ActionFamily::epoch:
    if (action.kind == ActionKind::win_lock || action.kind == ActionKind::win_lock_all)
      return "locks of windows wait for each other, but send no messages, as in SMPI";
    return {};
  default:
    return {};
  }
}

/// Returns the window that an action makes or uses; no_communicator where it has nothing to do with one.
trace::CommunicatorId window_of(const Action& action) {
  const trace::ActionFamily family = trace::family(action.kind);
  if (family == trace::ActionFamily::window && trace::traits(action.kind).creates) return action.new_communicator;
  const bool uses = family == trace::ActionFamily::window || family == trace::ActionFamily::one_sided ||
                    family == trace::ActionFamily::epoch;
  return uses ? action.communicator : trace::no_communicator;
}

std::vector<trace::CommunicatorId> same_communicators(const trace::Run& run) {
  std::vector<trace::CommunicatorId> same;
  std::map<std::uint64_t, trace::CommunicatorId> known;
  for (trace::CommunicatorId id = 0; id < run.communicators.size(); ++id) {
    const trace::Communicator& communicator = run.communicators[id];
    const bool two_groups = communicator.identity != 0 && !communicator.remote_members.empty();
    same.push_back(two_groups ? known.emplace(communicator.identity, id).first->second : id);
  }
  return same;
}

/// Reads all ranks once, for what a simulation has to know before it begins; refuses what SMPI cannot replay, all
/// reasons at once.
class Scanner {
public:
  explicit Scanner(const trace::Source& source) : source_(source), run_(source.run()) {
    result_.communicators.resize(run_.communicators.size());
    result_.same_as = same_communicators(run_);
  }

  TraceScan scan() {
    for (trace::Rank rank = 0; rank < run_.size; ++rank)
      scan_rank(rank);
    if (!obstacles_.empty()) refuse();
    if (unordered_messages_ > 0)
      result_.notes.push_back(std::to_string(unordered_messages_) +
                              " messages were sent or received with one tag by several threads at once: they are "
                              "paired in the order recorded, which need not be theirs");
    return std::move(result_);
  }

private:
  void scan_rank(trace::Rank rank) {
    rank_ = rank;
    trace::RequestOutcomeReader request_outcomes(rank);
    const auto stream = source_.open(rank);
    trace::UnorderedMessages messages;
    trace::ActionBlock block;
    while (stream->next(block)) {
      for (const Action& action : block.dictionary())
        check(action);
      request_outcomes.read(block);
      result_.actions += block.size();
      if (!result_.ranks_with_threads.contains(rank)) continue;
      for (const std::uint32_t entry : block.sequence())
        unordered_messages_ += messages.follow(block.dictionary()[entry]).number();
    }
    result_.request_outcomes.push_back(request_outcomes.finish());
  }

  void check(const Action& action) {
    if (names_communicator(action.kind)) {
      mark(action.communicator, action);
      if (action.new_communicator != trace::no_communicator) mark(action.new_communicator, action);
    }
    if (neighbourhood(action.kind)) use(action.communicator).aside = true;
    if (const trace::CommunicatorId window = window_of(action); window != trace::no_communicator)
      use(window).window = true;
    const trace::ActionFamily family = trace::family(action.kind);
    if (family == trace::ActionFamily::file || family == trace::ActionFamily::file_collective) result_.files = true;
    if (action.kind == ActionKind::thread) {
      result_.threads = true;
      result_.ranks_with_threads.insert(rank_);
    }
    const auto too_large = [](trace::Bytes bytes) { return bytes > largest_int; };
    if (std::ranges::any_of(action.counts, too_large) || std::ranges::any_of(action.receive_counts, too_large))
      result_.large_parts = true;
    if (action.kind == ActionKind::scatterv)
      result_.scattered_unit = std::max(result_.scattered_unit, unit_for(trace::sum(action.counts)));
    if (std::string why = obstacle(action, run_); !why.empty()) obstacles_.emplace(std::move(why), rank_);
    if (std::string how = remark(action, run_);
        !how.empty() && std::ranges::find(result_.notes, how) == result_.notes.end())
      result_.notes.push_back(std::move(how));
  }

  CommunicatorUse& use(trace::CommunicatorId id) { return result_.communicators[result_.same_as[id]]; }

  void mark(trace::CommunicatorId communicator, const Action& action) {
    if (communicator >= run_.communicators.size())
      throw Error(Failure::invalid_input,
                  trace::mpi_name(action) + " uses communicator " + std::to_string(communicator) +
                      ", which the trace does not define",
                  "rank " + std::to_string(rank_));
    use(communicator).used = true;
    if (!run_.communicators[communicator].remote_members.empty()) use(communicator).aside = true;
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
  std::map<std::string, trace::Rank> obstacles_;
  std::uint64_t unordered_messages_ = 0;
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
