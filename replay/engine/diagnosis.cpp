#include "replay/engine/diagnosis.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <tuple>

namespace timeless::replay {

using trace::Rank;

namespace {

constexpr std::size_t most_missing = 16;
constexpr std::size_t most_remarks = 8;

/// Which ranks a status rank waits for, one after the other.
class WaitFor {
public:
  WaitFor(const DiagnosisInput& input, std::span<const RankStatus> status)
      : input_(input), of_rank_(static_cast<std::size_t>(input.run.size), nullptr) {
    for (const RankStatus& one : status)
      of_rank_[static_cast<std::size_t>(one.rank)] = &one;
    // Of a rank with several threads it does not follow which of them would let another rank go on.
    for (const RankStatus& one : status)
      if (one.thread != trace::no_rank) of_rank_[static_cast<std::size_t>(one.rank)] = nullptr;
  }

  /// Returns the next rank at or after `position`, which moves behind it; no_rank when there are no more.
  Rank next(const RankStatus& status, std::size_t& position) const {
    if (status.for_thread != trace::no_rank) return trace::no_rank;
    if (!status.for_instance) {
      if (position++ > 0) return trace::no_rank;
      return status.sends ? status.channel.destination : status.channel.source;
    }
    const auto members = input_.communicators.members(status.instance.communicator);
    while (position < members.size()) {
      const auto member = static_cast<std::uint32_t>(position++);
      if (missing(status, member)) return members[member];
    }
    // All are there, and yet it waits: for this one's message.
    if (position++ == members.size() && status.member != trace::no_rank && !any_missing(status)) return status.member;
    return trace::no_rank;
  }

  /// Returns true when some that it waits for have not come to its collective.
  bool any_missing(const RankStatus& status) const {
    const auto members = input_.communicators.members(status.instance.communicator);
    for (std::uint32_t member = 0; member < members.size(); ++member)
      if (missing(status, member)) return true;
    return false;
  }

  const RankStatus* of(Rank rank) const { return of_rank_[static_cast<std::size_t>(rank)]; }

private:
  bool missing(const RankStatus& status, std::uint32_t member) const {
    const CollectiveName& instance = status.instance;
    if (status.only_member && input_.communicators.members(instance.communicator)[member] != status.member)
      return false;
    return input_.matching.calls(instance.communicator, member) <= instance.ordinal;
  }

  const DiagnosisInput& input_;
  std::vector<const RankStatus*> of_rank_;
};

/// Returns a circle of ranks each waiting for the next, found depth first; empty when there is none.
std::vector<Rank> find_cycle(const WaitFor& wait_for, std::span<const RankStatus> status, Rank ranks) {
  enum class Mark : std::uint8_t { unseen, on_path, done };
  struct Visit {
    const RankStatus* status;
    std::size_t position;
  };
  std::vector<Mark> marks(static_cast<std::size_t>(ranks), Mark::unseen);
  const auto mark = [&](Rank rank) -> Mark& { return marks[static_cast<std::size_t>(rank)]; };
  std::vector<Visit> path;
  for (const RankStatus& start : status) {
    if (mark(start.rank) != Mark::unseen || wait_for.of(start.rank) == nullptr) continue;
    path.push_back({&start, 0});
    mark(start.rank) = Mark::on_path;
    while (!path.empty()) {
      const Rank next = wait_for.next(*path.back().status, path.back().position);
      if (next == trace::no_rank) {
        mark(path.back().status->rank) = Mark::done;
        path.pop_back();
      } else if (mark(next) == Mark::on_path) {
        std::vector<Rank> cycle;
        auto visit = std::ranges::find(path, next, [](const Visit& one) { return one.status->rank; });
        for (; visit != path.end(); ++visit)
          cycle.push_back(visit->status->rank);
        return cycle;
      } else if (mark(next) == Mark::unseen && wait_for.of(next)) {
        mark(next) = Mark::on_path;
        path.push_back({wait_for.of(next), 0});
      }
    }
  }
  return {};
}

/// The members that have not come to a collective: the first of them, and how many there are.
struct MissingMembers {
  std::vector<Rank> first;
  std::size_t count = 0;
};

MissingMembers missing_members(const WaitFor& wait_for, const RankStatus& status) {
  MissingMembers missing;
  std::size_t position = 0;
  Rank member = wait_for.next(status, position);
  for (; member != trace::no_rank; member = wait_for.next(status, position)) {
    if (missing.first.size() < most_missing) missing.first.push_back(member);
    ++missing.count;
  }
  return missing;
}

/// Tells of ranks that stand. All that wait for the same collective miss the same members, who are looked for once.
class WaitDescription {
public:
  explicit WaitDescription(const WaitFor& wait_for) : wait_for_(wait_for) {}

  BlockedRank of(const RankStatus& status) {
    BlockedRank blocked;
    blocked.rank = status.rank;
    blocked.action = status.action;
    blocked.call = status.call;
    blocked.thread = status.thread;
    blocked.for_thread = status.for_thread;
    if (status.for_thread != trace::no_rank) return blocked;
    if (!status.for_instance) {
      describe_message(blocked, status);
      return blocked;
    }
    blocked.communicator = status.instance.communicator;
    blocked.collective = status.instance.call;
    if (status.member != trace::no_rank && !wait_for_.any_missing(status)) {
      blocked.peer = status.member;
      return blocked;
    }
    const MissingMembers& missing = missing_for(status);
    blocked.missing = missing.first;
    blocked.missing_count = missing.count;
    return blocked;
  }

private:
  static void describe_message(BlockedRank& blocked, const RankStatus& status) {
    const ChannelKey& key = status.channel;
    blocked.peer = status.sends ? key.destination : key.source;
    blocked.sends = status.sends.has_value();
    blocked.bytes = static_cast<trace::Bytes>(status.sends.value_or(0));
    blocked.tag = key.tag;
    blocked.communicator = key.communicator;
  }

  const MissingMembers& missing_for(const RankStatus& status) {
    const std::tuple instance(status.instance.communicator, status.instance.ordinal,
                              status.only_member ? status.member : trace::no_rank);
    const auto [known, fresh] = missing_.try_emplace(instance);
    if (fresh) known->second = missing_members(wait_for_, status);
    return known->second;
  }

  const WaitFor& wait_for_;
  /// By communicator, which of its collectives, and the only member that matters.
  std::map<std::tuple<trace::CommunicatorId, std::uint64_t, Rank>, MissingMembers> missing_;
};

} // namespace

Diagnosis diagnose(const DiagnosisInput& input, std::span<const RankStatus> status) {
  const WaitFor wait_for(input, status);
  Diagnosis diagnosis;
  WaitDescription description(wait_for);
  for (const RankStatus& one : status)
    diagnosis.blocked.push_back(description.of(one));
  diagnosis.cycle = find_cycle(wait_for, status, input.run.size);
  return diagnosis;
}

std::vector<LeftoverMessages> leftovers(Channels& channels) {
  std::vector<LeftoverMessages> left;
  for (std::uint32_t number = 0; number < channels.size(); ++number) {
    const ChannelKey& key = channels.key(number);
    LeftoverMessages here{
        .source = key.source, .destination = key.destination, .communicator = key.communicator, .tag = key.tag};
    channels.for_each_unmatched(number, [&](const Message& message) {
      ++here.count;
      here.bytes += static_cast<trace::Bytes>(message.bytes);
    });
    if (here.count > 0) left.push_back(here);
  }
  sort(left);
  return left;
}

void sort(std::vector<LeftoverMessages>& leftovers) {
  std::ranges::sort(leftovers, {}, [](const LeftoverMessages& one) {
    return std::tuple(one.source, one.destination, one.communicator, one.tag);
  });
}

std::vector<std::string> remarks(const trace::Run& run) {
  std::vector<std::string> found;
  std::size_t more = 0;
  for (const trace::RankRecord& record : run.ranks) {
    if (record.ending == trace::Ending::finalized) continue;
    if (found.size() == most_remarks) {
      ++more;
      continue;
    }
    found.push_back(fmt::format("the recording of rank {} is cut short", record.rank));
    if (!record.ending_reason.empty()) found.back() += ": " + record.ending_reason;
  }
  if (more > 0) found.push_back(fmt::format("the recordings of {} more ranks are cut short", more));
  return found;
}

} // namespace timeless::replay
