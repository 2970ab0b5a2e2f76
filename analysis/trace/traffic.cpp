#include "analysis/trace/traffic.h"

#include "base/error.h"

#include <algorithm>
#include <string>
#include <vector>

namespace timeless::analysis {

using trace::Action;
using trace::ActionFamily;
using trace::ActionKind;
using trace::Rank;

namespace {

/// Adds actions of any rank to the traffic: messages at their sender, one-sided transfers in the direction of their
/// bytes, collectives as messages where `lower` says which.
class Counter {
public:
  Counter(const trace::Run& run, const trace::formats::Lowering& lower, Traffic& traffic)
      : run_(run), lower_(lower), traffic_(traffic) {}

  void add(Rank rank, const Action& action, std::uint64_t count) {
    switch (family(action.kind)) {
    case ActionFamily::point_to_point:
      if (sends_message(action.kind) && action.peer != trace::no_rank)
        put({action.communicator, rank, world_rank(run_, rank, action), TrafficKind::message}, count, action.bytes);
      return;
    case ActionFamily::one_sided: {
      if (action.peer == trace::no_rank) return;
      const Rank target = world_rank(run_, rank, action);
      if (action.bytes > 0) put({action.communicator, rank, target, TrafficKind::put}, count, action.bytes);
      if (action.receive_bytes > 0)
        put({action.communicator, target, rank, TrafficKind::get}, count, action.receive_bytes);
      return;
    }
    case ActionFamily::collective:
      if (!lower_) return;
      lower_(run_, rank, action, [&](const trace::formats::LoweredStep& step) {
        if (step.to != trace::no_rank)
          put({action.communicator, rank, step.to, TrafficKind::collective}, count, step.bytes);
      });
      return;
    default:
      return;
    }
  }

private:
  void put(const TrafficPath& path, std::uint64_t count, trace::Bytes bytes) {
    TrafficFigures& figures = traffic_[path];
    figures.messages += count;
    figures.bytes += count * bytes;
  }

  const trace::Run& run_;
  const trace::formats::Lowering& lower_;
  Traffic& traffic_;
};

} // namespace

Rank world_rank(const trace::Run& run, Rank self, const Action& action) {
  const auto refuse = [&] {
    throw Error(Failure::invalid_input, "a " + mpi_name(action) + " with a rank that its communicator does not have",
                "rank " + std::to_string(self));
  };
  if (action.communicator >= run.communicators.size()) refuse();
  const trace::Communicator& communicator = run.communicators[action.communicator];
  const bool inter = !communicator.remote_members.empty();
  const bool in_first = !inter || std::ranges::find(communicator.members, self) != communicator.members.end();
  const std::vector<Rank>& peers = inter && in_first ? communicator.remote_members : communicator.members;
  if (action.peer < 0 || static_cast<std::size_t>(action.peer) >= peers.size()) refuse();
  return peers[static_cast<std::size_t>(action.peer)];
}

const char* name(TrafficKind kind) {
  static constexpr const char* names[] = {"message", "put", "get", "collective"};
  return names[static_cast<std::size_t>(kind)];
}

Traffic traffic(const trace::Source& source, const trace::formats::Lowering& lower,
                const std::function<void(std::uint64_t)>& progress) {
  Traffic found;
  Counter counter(source.run(), lower, found);
  std::uint64_t done = 0;
  trace::ActionBlock block;
  for (const trace::RankRecord& record : source.run().ranks)
    for (const auto stream = source.open(record.rank); stream->next(block);) {
      // Each distinct action once.
      std::vector<std::uint64_t> occurrences(block.dictionary().size());
      for (const std::uint32_t entry : block.sequence())
        ++occurrences[entry];
      for (std::size_t entry = 0; entry < occurrences.size(); ++entry)
        if (occurrences[entry] > 0) counter.add(record.rank, block.dictionary()[entry], occurrences[entry]);
      done += block.size();
      if (progress) progress(done);
    }
  return found;
}

} // namespace timeless::analysis
