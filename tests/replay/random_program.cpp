#include "random_program.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <optional>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

namespace timeless::replay::test {

namespace {

using trace::Action;
using trace::ActionKind;
using trace::Bytes;
using trace::CommunicatorId;
using trace::MemorySource;
using trace::Rank;
using trace::RequestId;
using trace::Tag;

// A multiple of all numbers of members up to 8, and of twice that, so that n (p-1)/p and n/2 are whole.
constexpr Bytes collective_unit = 1680;

/// Writes the program down as one global order of events in which nobody ever waits in vain; the replay must find such
/// an order again.
class Writer {
public:
  Writer(std::uint64_t seed, const ProgramLimits& limits)
      : random_(seed), limits_(limits), size_(between(2, limits.most_ranks)),
        program_(size_, static_cast<std::size_t>(between(1, static_cast<int>(limits.most_actions_per_block)))),
        ranks_(static_cast<std::size_t>(size_)) {
    for (std::uint64_t kernel = 1; kernel < kernels; ++kernel)
      program_.add_kernel({});
    add_communicators();
    const int events = between(1, static_cast<int>(limits.most_events));
    for (int event = 0; event < events; ++event)
      happen();
    finish();
  }

  MemorySource take() { return std::move(program_); }

private:
  static constexpr std::uint64_t kernels = 3;

  struct Pending {
    enum class Of { send, receive, exchange, wildcard, collective, nothing } of;
    std::tuple<Rank, Rank, CommunicatorId, Tag> path{};
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
  /// A collective, and what decides its members' parts of it.
  struct Collective {
    Action action;
    std::uint64_t parts = 0;
    bool neighbours_known = false;
  };
  struct CommunicatorState {
    std::vector<Collective> collectives;
    std::map<Rank, std::size_t> called; ///< by world rank
  };
  using Path = std::tuple<Rank, Rank, CommunicatorId, Tag>;

  int between(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
  bool chance(int percent) { return between(1, 100) <= percent; }
  Rank any_rank() { return between(0, size_ - 1); }
  RankState& state(Rank rank) { return ranks_[static_cast<std::size_t>(rank)]; }

  Bytes any_size() {
    constexpr std::array<Bytes, 8> sizes{0, 1, 8, 64, 65, 4096, 4097, 100000};
    return sizes[static_cast<std::size_t>(between(0, 7))];
  }

  const std::vector<Rank>& members(CommunicatorId id) { return program_.description().communicators[id].members; }

  Rank rank_in(CommunicatorId id, Rank world) {
    return static_cast<Rank>(std::ranges::find(members(id), world) - members(id).begin());
  }

  /// Of both groups, where there are two.
  std::vector<Rank> everyone(CommunicatorId id) {
    std::vector<Rank> all = members(id);
    const auto& others = program_.description().communicators[id].remote_members;
    all.insert(all.end(), others.begin(), others.end());
    return all;
  }

  bool between_groups(CommunicatorId id) { return !program_.description().communicators[id].remote_members.empty(); }

  void add_communicators() {
    const int count = between(0, 3);
    for (int index = 0; index < count; ++index) {
      std::vector<Rank> all(static_cast<std::size_t>(size_));
      std::iota(all.begin(), all.end(), 0);
      std::ranges::shuffle(all, random_);
      all.resize(static_cast<std::size_t>(between(1, size_)));
      program_.add_communicator(all);
    }
    // What creations bring into being; nobody speaks on it.
    created_ = program_.add_communicator(members(0));
    if (chance(50)) return;
    std::vector<Rank> all(static_cast<std::size_t>(size_));
    std::iota(all.begin(), all.end(), 0);
    std::ranges::shuffle(all, random_);
    const auto first = all.begin() + between(1, size_ - 1);
    const auto last = first + between(1, static_cast<int>(all.end() - first));
    between_groups_ = program_.add_communicator({all.begin(), first}, {first, last});
  }

  CommunicatorId any_communicator() { return static_cast<CommunicatorId>(between(0, static_cast<int>(created_) - 1)); }

  CommunicatorId communicator_of(Rank rank) {
    for (;;) {
      const CommunicatorId id = any_communicator();
      if (std::ranges::count(members(id), rank) > 0) return id;
    }
  }

  RequestId new_request(Rank rank, Pending pending) {
    RequestId id = 0;
    while (state(rank).requests.contains(id))
      ++id;
    if (chance(2)) id += 100000;
    if (state(rank).requests.contains(id)) return new_request(rank, pending);
    state(rank).requests[id] = pending;
    return id;
  }

  std::uint16_t maybe_persistent() { return chance(20) ? trace::flag_persistent : 0; }

  // ---- threads

  /// Now and then another of the rank's threads takes over, and threads wait for what others have done before: so all
  /// goes on in the order written down, and in many others.
  void turn_to_thread(Rank rank) {
    if (limits_.most_threads < 2 || !chance(40)) return;
    const auto mark = [&](ActionKind kind, int most) { program_.add(rank, {.kind = kind, .peer = between(0, most)}); };
    if (chance(15)) mark(ActionKind::thread_signal, 2);
    if (chance(70)) mark(ActionKind::thread, limits_.most_threads - 1);
    if (chance(15)) mark(ActionKind::thread_await, 2);
  }

  void add(Rank rank, const Action& action) {
    turn_to_thread(rank);
    program_.add(rank, action);
  }

  void compute(Rank rank, std::uint64_t volume, trace::KernelId kernel) {
    turn_to_thread(rank);
    program_.compute(rank, volume, kernel);
  }

  // ---- messages

  void compute() {
    const auto volume = static_cast<std::uint64_t>(between(0, 3000));
    compute(any_rank(), volume, static_cast<trace::KernelId>(volume % kernels));
  }

  void send() {
    const Rank from = any_rank();
    const CommunicatorId id = communicator_of(from);
    if (chance(3)) {
      send_nowhere(from, id);
      return;
    }
    send(from, id, members(id)[static_cast<std::size_t>(between(0, static_cast<int>(members(id).size()) - 1))],
         between(0, 2));
  }

  void send_nowhere(Rank from, CommunicatorId id) {
    Action action{.kind = ActionKind::send, .communicator = id, .bytes = 8};
    if (chance(50)) action.request = new_request(from, {Pending::Of::nothing});
    add(from, action);
  }

  void send(Rank from, CommunicatorId id, Rank to, Tag tag) {
    const Path path{from, to, id, tag};
    if (chance(limits_.posted_before))
      while (paths_[path].posted <= paths_[path].sent)
        post(path);
    ++paths_[path].sent;
    Action action{.kind = ActionKind::send,
                  .mode = any_mode(),
                  .communicator = id,
                  .peer = rank_in(id, to),
                  .tag = tag,
                  .bytes = any_size()};
    if (chance(50)) {
      action.flags = maybe_persistent();
      action.request = new_request(from, {Pending::Of::send});
    }
    add(from, action);
  }

  trace::SendMode any_mode() {
    using trace::SendMode;
    if (chance(limits_.synchronous)) return SendMode::synchronous;
    constexpr std::array others{SendMode::standard, SendMode::standard, SendMode::buffered, SendMode::ready};
    return others[static_cast<std::size_t>(between(0, 3))];
  }

  Action receive_action(const Path& path) {
    const auto& [from, to, id, tag] = path;
    return {.kind = ActionKind::receive,
            .flags = static_cast<std::uint16_t>(chance(20) ? trace::flag_wildcard : 0),
            .communicator = id,
            .peer = rank_in(id, from),
            .tag = tag,
            .bytes = 100000};
  }

  void post(const Path& path) {
    const Rank to = std::get<1>(path);
    Action action = receive_action(path);
    action.flags |= maybe_persistent();
    Pending pending{Pending::Of::receive, path, paths_[path].posted++};
    pending.probes = paths_[path].probes;
    action.request = new_request(to, pending);
    add(to, action);
  }

  /// Returns a path on which something may yet be received, used before or new.
  Path any_path() {
    if (!paths_.empty() && chance(80)) {
      auto path = paths_.begin();
      std::advance(path, between(0, static_cast<int>(paths_.size()) - 1));
      return path->first;
    }
    const Rank to = any_rank();
    const CommunicatorId id = communicator_of(to);
    return {members(id)[static_cast<std::size_t>(between(0, static_cast<int>(members(id).size()) - 1))], to, id,
            between(0, 2)};
  }

  void receive() {
    const Path path = any_path();
    PathState& so_far = paths_[path];
    if (so_far.posted >= so_far.sent) return post(path);
    const int what = between(1, 10);
    if (what <= 3) return post(path);
    Action action = receive_action(path);
    if (what <= 5) action.kind = chance(50) ? ActionKind::probe : ActionKind::poll;
    ++(what > 5 ? so_far.posted : so_far.probes);
    add(std::get<1>(path), action);
  }

  void post_wildcard() {
    const Rank to = any_rank();
    const CommunicatorId id = communicator_of(to);
    const auto& group = members(id);
    const Path path{group[static_cast<std::size_t>(between(0, static_cast<int>(group.size()) - 1))], to, id,
                    between(0, 2)};
    Pending pending{Pending::Of::wildcard, path, paths_[path].posted++};
    pending.probes = paths_[path].probes;
    const RequestId request = new_request(to, pending);
    const bool known_source = chance(30);
    add(to, {.kind = ActionKind::receive,
             .flags = trace::flag_wildcard,
             .communicator = id,
             .peer = known_source ? rank_in(id, std::get<0>(path)) : trace::any_rank,
             .tag = known_source || chance(50) ? trace::any_tag : std::get<3>(path),
             .bytes = 100000,
             .request = request});
  }

  void resolve(Rank to, RequestId request) {
    Pending& pending = state(to).requests[request];
    pending.of = Pending::Of::receive;
    const auto& [from, receiver, id, tag] = pending.path;
    add(to, {.kind = ActionKind::resolved,
             .communicator = id,
             .peer = rank_in(id, from),
             .tag = tag,
             .bytes = 8,
             .request = request});
  }

  void resolve_one() {
    const Rank rank = any_rank();
    for (const auto& [id, request] : state(rank).requests)
      if (request.of == Pending::Of::wildcard) return resolve(rank, id);
  }

  void exchange() {
    const Rank rank = any_rank();
    const CommunicatorId id = communicator_of(rank);
    Action action{.kind = chance(50) ? ActionKind::exchange : ActionKind::exchange_replace, .communicator = id};
    if (chance(90)) {
      const Rank to = members(id)[static_cast<std::size_t>(between(0, static_cast<int>(members(id).size()) - 1))];
      action.peer = rank_in(id, to);
      action.tag = between(0, 2);
      action.bytes = any_size();
      ++paths_[{rank, to, id, action.tag}].sent;
    }
    for (auto& [path, so_far] : paths_) {
      const auto& [from, to, communicator, tag] = path;
      if (to != rank || communicator != id || so_far.posted >= so_far.sent || chance(30)) continue;
      action.receive_peer = rank_in(id, from);
      action.receive_tag = tag;
      action.receive_bytes = 100000;
      ++so_far.posted;
      break;
    }
    add(rank, action);
  }

  /// Some members of a communicator, in a ring: each sends to the next, in one call with its receive from the one
  /// before. A message left over on one of the paths would make the receives take that one; so there must be none.
  void shift() {
    const CommunicatorId id = any_communicator();
    std::vector<Rank> ring = members(id);
    std::ranges::shuffle(ring, random_);
    ring.resize(static_cast<std::size_t>(between(1, static_cast<int>(ring.size()))));
    const Tag tag = between(0, 2);
    const auto next = [&](std::size_t index) { return ring[(index + 1) % ring.size()]; };
    for (std::size_t index = 0; index < ring.size(); ++index)
      if (const PathState& path = paths_[{ring[index], next(index), id, tag}]; path.sent != path.posted) return;
    const bool nonblocking = chance(30);
    for (std::size_t index = 0; index < ring.size(); ++index) {
      const Rank rank = ring[index];
      const Rank from = ring[(index + ring.size() - 1) % ring.size()];
      Action action{.kind = chance(50) ? ActionKind::exchange : ActionKind::exchange_replace,
                    .communicator = id,
                    .peer = rank_in(id, next(index)),
                    .tag = tag,
                    .bytes = any_size(),
                    .receive_peer = rank_in(id, from),
                    .receive_tag = tag,
                    .receive_bytes = 100000};
      const Path path{from, rank, id, tag};
      if (nonblocking) action.request = new_request(rank, {Pending::Of::exchange, path, paths_[path].posted});
      ++paths_[{rank, next(index), id, tag}].sent;
      ++paths_[path].posted;
      add(rank, action);
    }
  }

  // ---- requests

  bool available(const Pending& pending) {
    switch (pending.of) {
    case Pending::Of::receive:
    case Pending::Of::exchange:
      return pending.ticket < paths_[pending.path].sent;
    case Pending::Of::wildcard:
      return false;
    case Pending::Of::collective:
      return pending.ticket < all_called(pending.communicator);
    default:
      return true;
    }
  }

  void complete() {
    const Rank rank = any_rank();
    std::vector<RequestId> done;
    const bool one = chance(40);
    for (const auto& [id, request] : state(rank).requests)
      if (available(request) && chance(70) && !(one && !done.empty())) done.push_back(id);
    std::ranges::shuffle(done, random_);
    complete(rank, done);
  }

  void complete(Rank rank, const std::vector<RequestId>& done) {
    if (done.empty()) return;
    for (const RequestId id : done)
      state(rank).requests.erase(id);
    constexpr std::array one{ActionKind::wait, ActionKind::test, ActionKind::wait_any, ActionKind::test_any};
    constexpr std::array many{ActionKind::wait_all, ActionKind::wait_some, ActionKind::test_all, ActionKind::test_some};
    const auto which = static_cast<std::size_t>(between(0, 3));
    add(rank, {.kind = done.size() == 1 ? one[which] : many[which], .requests = done});
  }

  void cancel() {
    const Rank rank = any_rank();
    for (auto& [id, request] : state(rank).requests) {
      if (request.of != Pending::Of::receive) continue;
      // Nothing may have gone past it: then it would have received something.
      const PathState& path = paths_[request.path];
      if (request.ticket + 1 != path.posted || request.probes != path.probes) continue;
      --paths_[request.path].posted;
      request = {Pending::Of::nothing};
      add(rank, {.kind = ActionKind::cancelled, .request = id});
      return;
    }
  }

  void free_request() {
    const Rank rank = any_rank();
    for (const auto& [id, request] : state(rank).requests) {
      if (request.of != Pending::Of::send) continue;
      add(rank, {.kind = ActionKind::request_free, .request = id});
      state(rank).requests.erase(id);
      return;
    }
  }

  // ---- collectives

  std::size_t all_called(CommunicatorId id) {
    std::size_t least = communicators_[id].collectives.size();
    for (const Rank member : everyone(id))
      least = std::min(least, communicators_[id].called[member]);
    return least;
  }

  /// The next collective of the communicator that this rank has not called yet.
  void call(CommunicatorId id, Rank rank) {
    CommunicatorState& communicator = communicators_[id];
    const std::size_t ordinal = communicator.called[rank]++;
    Action action = part_of(communicator.collectives[ordinal], id, rank);
    if (action.request != trace::no_request) {
      Pending pending{Pending::Of::collective};
      pending.communicator = id;
      pending.ticket = ordinal;
      action.request = new_request(rank, pending);
    }
    add(rank, action);
  }

  void catch_up(CommunicatorId id) {
    std::vector<Rank> order = everyone(id);
    std::ranges::shuffle(order, random_);
    for (const Rank member : order)
      while (communicators_[id].called[member] < communicators_[id].collectives.size())
        call(id, member);
  }

  void call_one() {
    const Rank rank = any_rank();
    CommunicatorId id = communicator_of(rank);
    if (between_groups_ && chance(30)) id = *between_groups_;
    if (std::ranges::count(everyone(id), rank) == 0) return;
    if (communicators_[id].called[rank] < communicators_[id].collectives.size()) call(id, rank);
  }

  void collective() {
    const CommunicatorId id = between_groups_ && chance(20) ? *between_groups_ : any_communicator();
    Collective collective{any_collective(id), random_(), chance(70)};
    const bool nonblocking = chance(50);
    // Blocking ones are called by all at once, after whatever nonblocking ones are still to be called.
    if (!nonblocking) catch_up(id);
    collective.action.request = nonblocking ? 0 : trace::no_request;
    communicators_[id].collectives.push_back(collective);
    if (!nonblocking) catch_up(id);
  }

  Action any_collective(CommunicatorId id) {
    constexpr std::array kinds{ActionKind::barrier,
                               ActionKind::broadcast,
                               ActionKind::reduce,
                               ActionKind::allreduce,
                               ActionKind::gather,
                               ActionKind::gatherv,
                               ActionKind::scatter,
                               ActionKind::scatterv,
                               ActionKind::allgather,
                               ActionKind::allgatherv,
                               ActionKind::alltoall,
                               ActionKind::alltoallv,
                               ActionKind::alltoallw,
                               ActionKind::scan,
                               ActionKind::reduce_scatter,
                               ActionKind::reduce_scatter_block,
                               ActionKind::exscan,
                               ActionKind::comm_dup,
                               ActionKind::comm_split,
                               ActionKind::neighbor_alltoall,
                               ActionKind::neighbor_allgather,
                               ActionKind::neighbor_alltoallv,
                               ActionKind::comm_create_group};
    Action action{.kind = kinds[static_cast<std::size_t>(between(0, static_cast<int>(kinds.size()) - 1))],
                  .communicator = id};
    // What there is between groups.
    while (between_groups(id) &&
           (action.kind == ActionKind::scan || action.kind == ActionKind::exscan ||
            action.kind == ActionKind::neighbor_alltoall || action.kind == ActionKind::neighbor_allgather ||
            action.kind == ActionKind::neighbor_alltoallv))
      action.kind = kinds[static_cast<std::size_t>(between(0, static_cast<int>(kinds.size()) - 1))];
    constexpr std::array<Bytes, 6> multiples{0, 1, 2, 7, 50, 400};
    action.bytes = collective_unit * multiples[static_cast<std::size_t>(between(0, 5))];
    action.element_bytes = static_cast<std::uint32_t>(between(0, 1) * 8);
    if (chance(20)) action.flags |= trace::flag_user_operation;
    if (chance(20)) action.flags |= trace::flag_noncommutative;
    action.peer = between(0, static_cast<int>(everyone(id).size()) - 1); // the root's place
    if (trace::family(action.kind) == trace::ActionFamily::communicator)
      action.new_communicator = action.kind == ActionKind::comm_create_group ? id : created_;
    return action;
  }

  /// Returns a whole number of units below `limit`, decided by the collective and two places.
  static Bytes units(const Collective& collective, std::size_t from, std::size_t to, std::uint64_t limit) {
    std::uint64_t state = collective.parts + 1000 * from + to;
    state = (state ^ (state >> 30U)) * 0xbf58476d1ce4e5b9U;
    return collective_unit * ((state ^ (state >> 31U)) % limit);
  }

  /// Mirrors the fields and lists of what each member records of a collective (see trace::Action).
  Action part_of(const Collective& collective, CommunicatorId id, Rank rank) {
    Action action = collective.action;
    const auto all = everyone(id);
    const std::size_t here = place_of(all, rank);
    const std::size_t first = members(id).size();
    const bool two = between_groups(id);
    // The own group and the peers, as places.
    const std::size_t own = two && here >= first ? first : 0;
    const std::size_t own_end = two && here < first ? first : all.size();
    const std::size_t peers = !two ? 0 : here < first ? first : 0;
    const std::size_t peers_end = !two ? all.size() : here < first ? all.size() : first;
    const auto root = static_cast<std::size_t>(action.peer);
    action.peer = root_as_seen(collective, id, here);
    const bool is_root = here == root;
    const bool takes_part = !two || is_root || action.peer >= 0;
    counts_.clear();
    receive_counts_.clear();
    neighbours_.clear();
    switch (action.kind) {
    case ActionKind::barrier:
      action.bytes = 0;
      break;
    case ActionKind::gatherv:
      action.bytes = takes_part && !(two && is_root) ? units(collective, here, 0, 4) : 0;
      for (std::size_t peer = peers; is_root && peer < peers_end; ++peer)
        receive_counts_.push_back(units(collective, peer, 0, 4));
      break;
    case ActionKind::scatterv:
      action.bytes = 0;
      action.receive_bytes = takes_part && !(two && is_root) ? units(collective, here, 0, 4) : 0;
      for (std::size_t peer = peers; is_root && peer < peers_end; ++peer)
        counts_.push_back(units(collective, peer, 0, 4));
      break;
    case ActionKind::allgatherv:
      action.bytes = units(collective, here, 0, 4);
      for (std::size_t peer = peers; peer < peers_end; ++peer)
        receive_counts_.push_back(units(collective, peer, 0, 4));
      break;
    case ActionKind::alltoallv:
    case ActionKind::alltoallw:
      action.bytes = 0;
      for (std::size_t peer = peers; peer < peers_end; ++peer) {
        counts_.push_back(units(collective, here, peer, 3));
        receive_counts_.push_back(units(collective, peer, here, 3));
      }
      break;
    case ActionKind::reduce_scatter:
      // Both groups scatter as much.
      action.bytes = 0;
      for (std::size_t place = own; place < own_end; ++place)
        counts_.push_back(two ? 840 * collective_unit / (own_end - own) : units(collective, place, 0, 4));
      break;
    case ActionKind::reduce_scatter_block:
      if (two) action.bytes = 840 * collective_unit / (own_end - own);
      break;
    case ActionKind::scatter:
    case ActionKind::gather:
    case ActionKind::allgather:
    case ActionKind::alltoall:
      action.receive_bytes = action.bytes;
      break;
    case ActionKind::neighbor_allgather:
    case ActionKind::neighbor_alltoall:
    case ActionKind::neighbor_alltoallv:
      if (collective.neighbours_known) add_neighbours(collective, action, here, all.size());
      break;
    default:
      break;
    }
    action.counts = counts_;
    action.receive_counts = receive_counts_;
    action.ranks = neighbours_;
    return action;
  }

  /// Returns what a member passes as the root: between groups, MPI_ROOT or MPI_PROC_NULL on the root's side.
  Rank root_as_seen(const Collective& collective, CommunicatorId id, std::size_t here) {
    const auto root = static_cast<std::size_t>(collective.action.peer);
    if (!between_groups(id)) return collective.action.peer;
    const std::size_t first = members(id).size();
    if (here == root) return trace::root_of_remote_group;
    if ((here < first) == (root < first)) return trace::no_rank;
    return static_cast<Rank>(root < first ? root : root - first);
  }

  static std::size_t place_of(const std::vector<Rank>& all, Rank rank) {
    return static_cast<std::size_t>(std::ranges::find(all, rank) - all.begin());
  }

  /// A graph decided by the collective, with edges to oneself and places without a neighbour.
  void add_neighbours(const Collective& collective, Action& action, std::size_t here, std::size_t members) {
    const auto edge = [&](std::size_t from, std::size_t to) { return units(collective, from, to, 3) > 0; };
    const bool counted = action.kind == ActionKind::neighbor_alltoallv;
    action.tag = 1;
    for (std::size_t from = 0; from < members; ++from)
      if (edge(from, here)) {
        neighbours_.push_back(static_cast<Rank>(from));
        if (counted) receive_counts_.push_back(units(collective, from, here, 30));
        ++action.tag;
      }
    if (here % 3 == 0) {
      neighbours_.push_back(trace::no_rank);
      if (counted) counts_.push_back(77 * collective_unit);
    }
    for (std::size_t to = 0; to < members; ++to)
      if (edge(here, to)) {
        neighbours_.push_back(static_cast<Rank>(to));
        if (counted) counts_.push_back(units(collective, here, to, 30));
      }
  }

  // ---- the whole

  void happen() {
    const int what = between(1, 100);
    if (what <= 20) return compute();
    if (what <= 40) return send();
    if (what <= 58) return receive();
    if (what <= 61) return post_wildcard();
    if (what <= 64) return resolve_one();
    if (what <= 67) return exchange();
    if (what <= 70) return shift();
    if (what <= 82) return complete();
    if (what <= 84) return cancel();
    if (what <= 86) return free_request();
    if (what <= 93) return collective();
    call_one();
  }

  /// Whatever was begun is brought to its end, and everyone finalizes.
  void finish() {
    for (CommunicatorId id = 0; id < created_; ++id)
      catch_up(id);
    if (between_groups_) catch_up(*between_groups_);
    for (Rank rank = 0; rank < size_; ++rank)
      for (const auto& [id, request] : state(rank).requests)
        if (request.of == Pending::Of::wildcard) resolve(rank, id);
    for (auto& [path, so_far] : paths_) {
      const auto& [from, to, id, tag] = path;
      while (so_far.sent < so_far.posted)
        send(from, id, to, tag);
    }
    for (auto& [path, so_far] : paths_)
      for (; so_far.posted < so_far.sent; ++so_far.posted)
        add(std::get<1>(path), receive_action(path));
    for (Rank rank = 0; rank < size_; ++rank) {
      std::vector<RequestId> all;
      for (const auto& [id, request] : state(rank).requests)
        all.push_back(id);
      complete(rank, all);
    }
    program_.finalize();
  }

  std::mt19937_64 random_;
  ProgramLimits limits_;
  Rank size_;
  MemorySource program_;
  CommunicatorId created_ = 0;
  std::optional<CommunicatorId> between_groups_;
  std::vector<RankState> ranks_;
  std::map<Path, PathState> paths_;
  std::map<CommunicatorId, CommunicatorState> communicators_;
  // Lists of the action being made.
  std::vector<Bytes> counts_;
  std::vector<Bytes> receive_counts_;
  std::vector<Rank> neighbours_;
};

} // namespace

MemorySource random_program(std::uint64_t seed, const ProgramLimits& limits) {
  return Writer(seed, limits).take();
}

} // namespace timeless::replay::test
