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

/// Which ranks a standing rank waits for, one after the other.
class WaitFor {
public:
  WaitFor(const Scene& scene, std::span<const Standing> standing)
      : scene_(scene), of_rank_(static_cast<std::size_t>(scene.run.size), nullptr) {
    for (const Standing& one : standing)
      of_rank_[static_cast<std::size_t>(one.rank)] = &one;
    // Of a rank with several threads it does not follow which of them would let another rank go on.
    for (const Standing& one : standing)
      if (one.thread != trace::no_rank) of_rank_[static_cast<std::size_t>(one.rank)] = nullptr;
  }

  /// The next rank at or after `position`, which moves behind it; no_rank when there are no more.
  Rank next(const Standing& standing, std::size_t& position) const {
    if (standing.for_thread != trace::no_rank) return trace::no_rank;
    if (!standing.for_meeting) {
      if (position++ > 0) return trace::no_rank;
      return standing.sends ? standing.channel.destination : standing.channel.source;
    }
    const auto members = scene_.communicators.members(standing.meeting.communicator);
    while (position < members.size()) {
      const auto member = static_cast<std::uint32_t>(position++);
      if (missing(standing, member)) return members[member];
    }
    // All are there, and yet it waits: for this one's message.
    if (position++ == members.size() && standing.member != trace::no_rank && !any_missing(standing))
      return standing.member;
    return trace::no_rank;
  }

  /// Some it waits for have not come to its meeting.
  bool any_missing(const Standing& standing) const {
    const auto members = scene_.communicators.members(standing.meeting.communicator);
    for (std::uint32_t member = 0; member < members.size(); ++member)
      if (missing(standing, member)) return true;
    return false;
  }

  const Standing* of(Rank rank) const { return of_rank_[static_cast<std::size_t>(rank)]; }

private:
  bool missing(const Standing& standing, std::uint32_t member) const {
    const MeetingName& meeting = standing.meeting;
    if (standing.only_member && scene_.communicators.members(meeting.communicator)[member] != standing.member)
      return false;
    return scene_.meetings.calls(meeting.communicator, member) <= meeting.ordinal;
  }

  const Scene& scene_;
  std::vector<const Standing*> of_rank_;
};

/// A circle of ranks each waiting for the next, found depth first; empty when there is none.
std::vector<Rank> find_cycle(const WaitFor& wait_for, std::span<const Standing> standing, Rank ranks) {
  enum class Mark : std::uint8_t { unseen, on_path, done };
  struct Visit {
    const Standing* standing;
    std::size_t position;
  };
  std::vector<Mark> marks(static_cast<std::size_t>(ranks), Mark::unseen);
  const auto mark = [&](Rank rank) -> Mark& { return marks[static_cast<std::size_t>(rank)]; };
  std::vector<Visit> path;
  for (const Standing& start : standing) {
    if (mark(start.rank) != Mark::unseen || wait_for.of(start.rank) == nullptr) continue;
    path.push_back({&start, 0});
    mark(start.rank) = Mark::on_path;
    while (!path.empty()) {
      const Rank next = wait_for.next(*path.back().standing, path.back().position);
      if (next == trace::no_rank) {
        mark(path.back().standing->rank) = Mark::done;
        path.pop_back();
      } else if (mark(next) == Mark::on_path) {
        std::vector<Rank> cycle;
        auto visit = std::ranges::find(path, next, [](const Visit& one) { return one.standing->rank; });
        for (; visit != path.end(); ++visit)
          cycle.push_back(visit->standing->rank);
        return cycle;
      } else if (mark(next) == Mark::unseen && wait_for.of(next)) {
        mark(next) = Mark::on_path;
        path.push_back({wait_for.of(next), 0});
      }
    }
  }
  return {};
}

/// The members that have not come to a meeting: the first of them, and how many there are.
struct MissingMembers {
  std::vector<Rank> first;
  std::size_t count = 0;
};

MissingMembers missing_members(const WaitFor& wait_for, const Standing& standing) {
  MissingMembers missing;
  std::size_t position = 0;
  Rank member = wait_for.next(standing, position);
  for (; member != trace::no_rank; member = wait_for.next(standing, position)) {
    if (missing.first.size() < most_missing) missing.first.push_back(member);
    ++missing.count;
  }
  return missing;
}

/// Tells of ranks that stand. All that wait for the same meeting miss the same members, who are looked for once.
class Description {
public:
  explicit Description(const WaitFor& wait_for) : wait_for_(wait_for) {}

  BlockedRank of(const Standing& standing) {
    BlockedRank blocked;
    blocked.rank = standing.rank;
    blocked.action = standing.action;
    blocked.call = standing.call;
    blocked.thread = standing.thread;
    blocked.for_thread = standing.for_thread;
    if (standing.for_thread != trace::no_rank) return blocked;
    if (!standing.for_meeting) {
      describe_message(blocked, standing);
      return blocked;
    }
    blocked.communicator = standing.meeting.communicator;
    blocked.collective = standing.meeting.call;
    if (standing.member != trace::no_rank && !wait_for_.any_missing(standing)) {
      blocked.peer = standing.member;
      return blocked;
    }
    const MissingMembers& missing = missing_for(standing);
    blocked.missing = missing.first;
    blocked.missing_count = missing.count;
    return blocked;
  }

private:
  static void describe_message(BlockedRank& blocked, const Standing& standing) {
    const ChannelKey& key = standing.channel;
    blocked.peer = standing.sends ? key.destination : key.source;
    blocked.sends = standing.sends.has_value();
    blocked.bytes = static_cast<trace::Bytes>(standing.sends.value_or(0));
    blocked.tag = key.tag;
    blocked.communicator = key.communicator;
  }

  const MissingMembers& missing_for(const Standing& standing) {
    const std::tuple meeting(standing.meeting.communicator, standing.meeting.ordinal,
                             standing.only_member ? standing.member : trace::no_rank);
    const auto [known, fresh] = missing_.try_emplace(meeting);
    if (fresh) known->second = missing_members(wait_for_, standing);
    return known->second;
  }

  const WaitFor& wait_for_;
  /// By communicator, which of its collectives, and the only member that matters.
  std::map<std::tuple<trace::CommunicatorId, std::uint64_t, Rank>, MissingMembers> missing_;
};

} // namespace

Diagnosis diagnose(const Scene& scene, std::span<const Standing> standing) {
  const WaitFor wait_for(scene, standing);
  Diagnosis diagnosis;
  Description description(wait_for);
  for (const Standing& one : standing)
    diagnosis.blocked.push_back(description.of(one));
  diagnosis.cycle = find_cycle(wait_for, standing, scene.run.size);
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
