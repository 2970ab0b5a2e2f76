#pragma once

#include "replay/collectives/collectives.h"
#include "replay/collectives/schedules/schedule_plan.h"
#include "tests/replay/scalar_replay.h"

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

/// What the scalar replay knows of each rank.
namespace timeless::replay::test::scalar {

using trace::Action;
using trace::ActionBlock;
using trace::ActionKind;
using trace::CommunicatorId;
using trace::RequestId;

/// What a rank waits for: begun at `start`, on its way for `latency`, then `bandwidth`; then the rank works for
/// `after`, before it takes the next.
struct Arrival {
  double start = 0;
  double latency = 0;
  double bandwidth = 0;
  double after = 0;
  Sensitivity path_to_start{};
  bool scales = true; ///< its latency and bandwidth count in the path
  bool port = false;  ///< it comes in through its rank's port
  std::optional<Sensitivity> path_through_port{};
  double end() const { return start + latency + bandwidth; }
  Sensitivity path() const {
    if (path_through_port) return *path_through_port;
    if (!scales) return path_to_start;
    return {path_to_start.latency + latency, path_to_start.bandwidth + bandwidth, path_to_start.compute};
  }
};

/// A moment of a rank, and the path to it.
struct Since {
  double time = 0;
  Sensitivity path{};
};

/// The last time a port was busy.
struct Busy {
  Since begin;
  Since end;
};

/// A message that is on its way, or waits for its receive.
struct SentMessage {
  Rank source;
  Since start;
  Bytes bytes;
  bool rendezvous; ///< it leaves no earlier than its receive is posted
  bool synchronous = false;
  bool keeps_sender = rendezvous; ///< who waits with it
};

/// The messages of one channel, and the receives that take them, in their order.
struct Path {
  std::vector<SentMessage> sent;
  std::vector<Since> posted; ///< when the receives were posted that take them
};

using PathKey = std::tuple<Rank, Rank, CommunicatorId, trace::Tag>;

/// A collective, and who has come to it.
struct Gathering {
  std::map<Rank, std::pair<double, Sensitivity>> came; ///< when, and the path to there
  CollectiveShape shape;
  Bytes moved = 0; ///< by calls on a file
};

/// Within collectives: communicator, ordinal, and places from and to.
using Way = std::tuple<CommunicatorId, std::size_t, std::uint32_t, std::uint32_t>;
using WaySent = std::pair<Way, std::size_t>;

/// A member's way through a collective that is carried out step by step.
struct Course {
  schedules::SchedulePlan plan;
  schedules::Cursor cursor;
  schedules::Transfer transfer;
  bool standing = false; ///< `transfer` has begun
  bool ended = false;
  CommunicatorId communicator = 0;
  std::size_t ordinal = 0;
  std::uint32_t here = 0;            ///< the member's place
  std::size_t receives = 0;          ///< which message of its way `transfer` takes
  std::size_t sends = 0;             ///< which one of its way it sends
  std::vector<WaySent> sent = {};    ///< by transfers that receive nothing, or that are on their way with others
  std::vector<WaySent> awaited = {}; ///< messages to those that are on their way with others
};

/// Carries out a nonblocking collective beside its rank, with a time of its own.
struct AsyncCollective {
  Course course;
  ScalarTimes times;
};

/// What a request stands for until it completes.
struct OpenRequest {
  enum class Of { send, receive, wildcard, collective, async, transfer, file_transfer, file } of = Of::send;
  PathKey path{};
  std::size_t place = 0; ///< on the path, or of the collective, or the asynchronous collective's number
  CommunicatorId communicator = 0;
  Arrival way{};   ///< of a transfer
  Bytes bytes = 0; ///< of a collective call on a file
};

/// A port carries one transfer's bytes after the other's.
struct ScalarPort {
  double began = 0;
  double free = 0;
  Sensitivity path{}; ///< to when it is free
};

/// A rank's epochs on one window, and the transfer it has not waited for that ends last.
struct ScalarWindow {
  std::optional<Arrival> transfers;
  std::vector<Rank> targets; ///< of the epoch of access, as world ranks
  std::vector<Rank> origins; ///< of the epoch of exposure
  std::vector<std::size_t> places;
};

/// The first half of a split collective call on a file.
struct SplitCall {
  std::size_t place = 0;
  Bytes bytes = 0;
};

/// What a thread was at when another took over.
struct ScalarThread {
  ScalarTimes times;
  RankTimes beyond{};
  ScalarPort port;
  ScalarPort file_port;
  Busy busy;
  std::string kernel;
};

/// The time of a thread when it passed a signal, or had begun a request, and what its rank had counted.
struct Told {
  Rank thread = 0;
  Since since;
  RankTimes counted{};
};

/// A rank's actions, and how far it is.
struct RankProgram {
  std::vector<ActionBlock> blocks;
  std::vector<std::pair<const Action*, std::uint64_t>> actions;
  std::set<std::size_t> cancelled;               ///< positions of what is cancelled later
  std::map<std::size_t, const Action*> resolved; ///< what tells a wildcard's source, by the wildcard's position
  std::size_t position = 0;
  bool begun = false;    ///< the action at `position` has had its effect on others
  std::size_t place = 0; ///< of its receive or its collective
  OpenRequest sent;      ///< its message
  ScalarTimes times;     ///< of the present thread, as are its ports, and what it has computed last
  std::string kernel;    ///< computed last
  Rank thread = 0;       ///< the present one
  bool several = false;
  bool marked = false; ///< some mark of threads has come
  RankTimes beyond{};  ///< what the rank has counted by now beyond what the present thread has
  std::vector<std::pair<Rank, ScalarThread>> others; ///< by the order in which they were met; also the present one
  std::map<Rank, std::vector<Told>> signals;         ///< by collective point: of each thread the last
  std::map<RequestId, Told> begun_by;
  std::map<std::string, RankTimes> parts;
  Course course;                                          ///< of the collective at `position`
  std::map<RequestId, std::vector<OpenRequest>> requests; ///< both halves of an exchange, otherwise one
  std::map<CommunicatorId, std::size_t> collectives;
  ScalarPort port;
  ScalarPort file_port;
  std::map<CommunicatorId, ScalarWindow> windows;
  std::map<CommunicatorId, SplitCall> splits;
};

} // namespace timeless::replay::test::scalar
