#pragma once

#include "tests/replay/random_program.h"
#include "tests/replay/random_program/collective_parts.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

namespace timeless::replay::test::programs {

using trace::Action;
using trace::ActionKind;
using trace::Bytes;
using trace::CommunicatorId;
using trace::MemorySource;
using trace::Rank;
using trace::RequestId;
using trace::Tag;

/// Writes a random program down as one global order of events in which nobody ever waits in vain; a replay must find
/// such an order again.
class ProgramWriter {
public:
  /// Writes the whole program.
  ProgramWriter(std::uint64_t seed, const ProgramLimits& limits);
  MemorySource take() { return std::move(program_); }

private:
  static constexpr std::uint64_t kernels = 3;
  using Path = std::tuple<Rank, Rank, CommunicatorId, Tag>;

  struct Pending {
    enum class Of { send, receive, exchange, wildcard, collective, nothing } of;
    Path path{};
    std::size_t ticket = 0;
    CommunicatorId communicator = 0;
    std::size_t probes = 0; ///< of the path, when it was posted
  };
  struct RankState {
    std::map<RequestId, Pending> requests;
  };
  struct PathState {
    std::size_t sent = 0;
    std::size_t posted = 0;
    std::size_t probes = 0;
  };
  struct CommunicatorState {
    std::vector<RandomCollective> collectives;
    std::map<Rank, std::size_t> called; ///< by world rank
  };

  int between(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
  bool chance(int percent) { return between(1, 100) <= percent; }
  Rank any_rank() { return between(0, size_ - 1); }
  Bytes any_size();
  RankState& state(Rank rank) { return ranks_[static_cast<std::size_t>(rank)]; }

  const std::vector<Rank>& members(CommunicatorId id) { return program_.description().communicators[id].members; }
  Rank any_member(CommunicatorId id);
  Rank rank_in(CommunicatorId id, Rank world);
  /// Returns the members of both groups, where there are two.
  std::vector<Rank> everyone(CommunicatorId id);
  bool between_groups(CommunicatorId id) { return !program_.description().communicators[id].remote_members.empty(); }
  CommunicatorId any_communicator() { return static_cast<CommunicatorId>(between(0, static_cast<int>(created_) - 1)); }
  CommunicatorId communicator_of(Rank rank);
  std::uint16_t maybe_persistent() { return chance(20) ? trace::flag_persistent : 0; }

  // The whole, and threads (writer.cpp).
  void add_communicators();
  void turn_to_thread(Rank rank);
  void add(Rank rank, const Action& action);
  void compute(Rank rank, std::uint64_t volume, trace::KernelId kernel);
  void happen();
  void finish();

  // Computation and messages (messages.cpp).
  void compute();
  void send();
  void send_nowhere(Rank from, CommunicatorId id);
  void send(Rank from, CommunicatorId id, Rank to, Tag tag);
  trace::SendMode any_mode();
  Action receive_action(const Path& path);
  void post(const Path& path);
  Path any_path();
  void receive();
  void post_wildcard();
  void resolve(Rank to, RequestId request);
  void resolve_one();
  void exchange();
  void shift();

  // Requests (requests.cpp).
  RequestId new_request(Rank rank, Pending pending);
  bool available(const Pending& pending);
  void complete();
  void complete(Rank rank, const std::vector<RequestId>& done);
  void cancel();
  void free_request();

  // Collectives (collectives.cpp).
  std::size_t all_called(CommunicatorId id);
  void call(CommunicatorId id, Rank rank);
  void catch_up(CommunicatorId id);
  void call_one();
  void collective();
  ActionKind any_collective_kind(CommunicatorId id);
  Action any_collective(CommunicatorId id);

  std::mt19937_64 random_;
  ProgramLimits limits_;
  Rank size_;
  MemorySource program_;
  CommunicatorId created_ = 0;
  std::optional<CommunicatorId> between_groups_;
  std::vector<RankState> ranks_;
  std::map<Path, PathState> paths_;
  std::map<CommunicatorId, CommunicatorState> communicators_;
};

} // namespace timeless::replay::test::programs
