#include "replay/timeline/writers.h"

#include "base/error.h"
#include "replay/timeline/otf2_directory.h"

#include <otf2/otf2.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdarg>
#include <cstring>
#include <deque>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace timeless::replay::timeline {

namespace {

/// Of the clock: times are whole picoseconds.
constexpr double ticks_per_second = 1e12;

struct Collective {
  std::string_view call;
  OTF2_CollectiveOp operation;
  OTF2_RegionRole role;
};
constexpr std::array<Collective, 17> collectives = {{
    {"Barrier", OTF2_COLLECTIVE_OP_BARRIER, OTF2_REGION_ROLE_BARRIER},
    {"Bcast", OTF2_COLLECTIVE_OP_BCAST, OTF2_REGION_ROLE_COLL_ONE2ALL},
    {"Gather", OTF2_COLLECTIVE_OP_GATHER, OTF2_REGION_ROLE_COLL_ALL2ONE},
    {"Gatherv", OTF2_COLLECTIVE_OP_GATHERV, OTF2_REGION_ROLE_COLL_ALL2ONE},
    {"Scatter", OTF2_COLLECTIVE_OP_SCATTER, OTF2_REGION_ROLE_COLL_ONE2ALL},
    {"Scatterv", OTF2_COLLECTIVE_OP_SCATTERV, OTF2_REGION_ROLE_COLL_ONE2ALL},
    {"Allgather", OTF2_COLLECTIVE_OP_ALLGATHER, OTF2_REGION_ROLE_COLL_ALL2ALL},
    {"Allgatherv", OTF2_COLLECTIVE_OP_ALLGATHERV, OTF2_REGION_ROLE_COLL_ALL2ALL},
    {"Alltoall", OTF2_COLLECTIVE_OP_ALLTOALL, OTF2_REGION_ROLE_COLL_ALL2ALL},
    {"Alltoallv", OTF2_COLLECTIVE_OP_ALLTOALLV, OTF2_REGION_ROLE_COLL_ALL2ALL},
    {"Alltoallw", OTF2_COLLECTIVE_OP_ALLTOALLW, OTF2_REGION_ROLE_COLL_ALL2ALL},
    {"Allreduce", OTF2_COLLECTIVE_OP_ALLREDUCE, OTF2_REGION_ROLE_COLL_ALL2ALL},
    {"Reduce", OTF2_COLLECTIVE_OP_REDUCE, OTF2_REGION_ROLE_COLL_ALL2ONE},
    {"Reduce_scatter", OTF2_COLLECTIVE_OP_REDUCE_SCATTER, OTF2_REGION_ROLE_COLL_OTHER},
    {"Scan", OTF2_COLLECTIVE_OP_SCAN, OTF2_REGION_ROLE_COLL_OTHER},
    {"Exscan", OTF2_COLLECTIVE_OP_EXSCAN, OTF2_REGION_ROLE_COLL_OTHER},
    {"Reduce_scatter_block", OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK, OTF2_REGION_ROLE_COLL_OTHER},
}};

const Collective* collective(std::string_view call) {
  const auto* const found = std::ranges::find(collectives, call, &Collective::call);
  return found == collectives.end() ? nullptr : found;
}

OTF2_RegionRole role_of(std::string_view call) {
  if (const Collective* const known = collective(call)) return known->role;
  if (call.starts_with("File_")) return OTF2_REGION_ROLE_FILE_IO;
  if (call.starts_with("Win_") || call == "Put" || call == "Get" || call == "Accumulate") return OTF2_REGION_ROLE_RMA;
  for (const std::string_view part : {"send", "Send", "recv", "Recv"})
    if (call.find(part) != std::string_view::npos) return OTF2_REGION_ROLE_POINT2POINT;
  return OTF2_REGION_ROLE_FUNCTION;
}

OTF2_TimeStamp ticks(double seconds) {
  if (!(seconds < 9e6))
    throw Error(Failure::missing_capability, "more than 9 million seconds: OTF2 counts picoseconds here", {},
                "choose another format");
  return static_cast<OTF2_TimeStamp>(std::llround(seconds * ticks_per_second));
}

OTF2_FlushType flush_always(void*, OTF2_FileType, OTF2_LocationRef, void*, bool) {
  return OTF2_FLUSH;
}

/// An archive of OTF2, by its library: a location for each rank, a region for each call and each kernel.
///
/// An event waits until all messages that it has taken are known. They left before it ended: no rank's next event is
/// held up for long.
class Otf2Writer : public TimelineWriter {
public:
  Otf2Writer(const std::filesystem::path& name, Existing existing, const Labels& labels)
      : labels_(labels), directory_(name, existing), ranks_(labels.communicators.at(0).members.size()) {
    OTF2_Error_RegisterCallback(&keep, &first_problem_);
    archive_ =
        OTF2_Archive_Open(directory_.written().c_str(), otf2_archive_name, OTF2_FILEMODE_WRITE, OTF2_CHUNK_SIZE_MIN,
                          OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (archive_ == nullptr) fail(OTF2_ERROR_INVALID);
    static const OTF2_FlushCallbacks flush{.otf2_pre_flush = &flush_always, .otf2_post_flush = nullptr};
    demand(OTF2_Archive_SetFlushCallbacks(archive_, &flush, nullptr));
    demand(OTF2_Archive_SetSerialCollectiveCallbacks(archive_));
    demand(OTF2_Archive_SetCreator(archive_, "timeless"));
    demand(OTF2_Archive_OpenEvtFiles(archive_));
    for (trace::Rank rank = 0; static_cast<std::size_t>(rank) < ranks_.size(); ++rank)
      open(rank, std::ranges::binary_search(labels.ranks, rank));
    for (const std::string& call : labels.calls) {
      if (call == "compute" || call.starts_with("workers_") || call == not_started_name)
        regions_.push_back({call, OTF2_REGION_ROLE_CODE, OTF2_PARADIGM_USER});
      else
        regions_.push_back({"MPI_" + call, role_of(call), OTF2_PARADIGM_MPI});
    }
  }

  ~Otf2Writer() override {
    if (archive_ != nullptr) OTF2_Archive_Close(archive_);
    OTF2_Error_RegisterCallback(&keep, nullptr);
  }

  void event(const Event& event, std::span<const std::uint64_t> received) override {
    if (event.marks) return;
    if (event.sent != 0 && shown(event.sent))
      messages_[event.sent] = {event.rank, event.communicator, event.tag, event.bytes};
    RankState& state = state_of(event);
    state.waiting.push_back({event, {}});
    for (const std::uint64_t message : received)
      if (shown(message)) state.waiting.back().received.push_back(message);
    write_known(state);
    // A send may have been what another rank waits for; it is looked at with that rank's next event, or at the end.
    if (event.sent != 0 && event.destination >= 0) write_known(state_of(event.destination));
  }

  std::uint64_t end() override {
    for (const trace::Rank rank : labels_.ranks) {
      write_known(state_of(rank));
      while (!state_of(rank).waiting.empty())
        write_first(state_of(rank));
    }
    for (auto& [place, state] : threads_)
      while (!state.waiting.empty())
        write_first(state);
    close();
    return directory_.finish();
  }

private:
  struct Message {
    trace::Rank source;
    trace::CommunicatorId communicator;
    trace::Tag tag;
    std::uint64_t bytes;
  };
  struct Waiting {
    Event event;
    std::vector<std::uint64_t> received;
  };
  struct RankState {
    OTF2_LocationRef location = 0;
    OTF2_EvtWriter* writer = nullptr;
    std::deque<Waiting> waiting;
  };
  struct Region {
    std::string name;
    OTF2_RegionRole role;
    OTF2_Paradigm paradigm;
  };

  struct Problem {
    OTF2_ErrorCode code = OTF2_SUCCESS;
    int system = 0; ///< errno when OTF2 told of it
  };

  /// The library tells of a full disk here alone: what closes its files returns success.
  static OTF2_ErrorCode keep(void* first, const char*, std::uint64_t, const char*, OTF2_ErrorCode code, const char*,
                             va_list) {
    auto* const problem = static_cast<Problem*>(first);
    if (problem != nullptr && problem->code == OTF2_SUCCESS) *problem = {code, errno};
    return code;
  }

  [[noreturn]] void fail(OTF2_ErrorCode code) const {
    const bool full =
        first_problem_.system == ENOSPC || first_problem_.system == EDQUOT || first_problem_.system == EFBIG;
    throw Error(Failure::runtime,
                std::string("cannot write the timeline: ") +
                    (full ? std::strerror(first_problem_.system) : OTF2_Error_GetDescription(code)),
                directory_.name().string(), full ? "free some space, or choose a window of time or fewer ranks" : "");
  }
  void demand(OTF2_ErrorCode code) const {
    if (code != OTF2_SUCCESS) fail(code);
  }

  /// OTF2's tools want a file of each location, also of one that is not shown.
  void open(trace::Rank rank, bool is_shown) {
    OTF2_EvtWriter* const writer = OTF2_Archive_GetEvtWriter(archive_, static_cast<OTF2_LocationRef>(rank));
    if (writer == nullptr) fail(OTF2_ERROR_INVALID);
    if (is_shown)
      state_of(rank).writer = writer;
    else
      demand(OTF2_Archive_CloseEvtWriter(archive_, writer));
  }

  /// A rank's first thread has the rank's location, the others come behind all ranks'.
  RankState& state_of(const Event& event) {
    if (event.thread == 0) return state_of(event.rank);
    const auto [found, added] = threads_.try_emplace({event.rank, event.thread});
    RankState& state = found->second;
    if (!added) return state;
    state.location = ranks_.size() + threads_.size() - 1;
    state.writer = OTF2_Archive_GetEvtWriter(archive_, state.location);
    if (state.writer == nullptr) fail(OTF2_ERROR_INVALID);
    return state;
  }
  RankState& state_of(trace::Rank rank) { return ranks_.at(static_cast<std::size_t>(rank)); }
  bool shown(std::uint64_t message) const {
    return !labels_.messages || std::ranges::binary_search(*labels_.messages, message);
  }

  void write_known(RankState& state) {
    while (!state.waiting.empty() && std::ranges::all_of(state.waiting.front().received, [&](std::uint64_t message) {
      return messages_.contains(message);
    }))
      write_first(state);
  }

  void write_first(RankState& state) {
    const Waiting one = std::move(state.waiting.front());
    state.waiting.pop_front();
    const Event& event = one.event;
    const OTF2_TimeStamp begin = ticks(event.start);
    const OTF2_TimeStamp end = std::max(begin, ticks(event.end));
    last_ = std::max(last_, end);
    const std::uint32_t region = region_of(event);
    const Collective* const all = collective(labels_.calls[event.call]);
    const bool known = communicator_known(event.communicator);
    demand(OTF2_EvtWriter_Enter(state.writer, nullptr, begin, region));
    if (event.sent != 0 && known) write_send(state, event, begin);
    if (all != nullptr && known) demand(OTF2_EvtWriter_MpiCollectiveBegin(state.writer, nullptr, begin));
    for (const std::uint64_t message : one.received)
      write_receive(state, event.rank, message, end);
    if (all != nullptr && known)
      demand(OTF2_EvtWriter_MpiCollectiveEnd(state.writer, nullptr, end, all->operation, event.communicator,
                                             event.root >= 0 ? static_cast<std::uint32_t>(event.root)
                                                             : OTF2_UNDEFINED_UINT32,
                                             event.bytes, event.receive_bytes));
    demand(OTF2_EvtWriter_Leave(state.writer, nullptr, end, region));
  }

  void write_send(RankState& state, const Event& event, OTF2_TimeStamp time) {
    demand(OTF2_EvtWriter_MpiSend(state.writer, nullptr, time,
                                  place_in(event.communicator, event.rank, event.destination), event.communicator,
                                  static_cast<std::uint32_t>(event.tag), event.bytes));
  }

  void write_receive(RankState& state, trace::Rank rank, std::uint64_t number, OTF2_TimeStamp time) {
    const auto found = messages_.find(number);
    if (found == messages_.end()) return;
    const Message message = found->second;
    messages_.erase(found);
    if (!communicator_known(message.communicator)) return;
    demand(OTF2_EvtWriter_MpiRecv(state.writer, nullptr, time, place_in(message.communicator, rank, message.source),
                                  message.communicator, static_cast<std::uint32_t>(message.tag), message.bytes));
  }

  /// Members of other worlds have no location.
  bool communicator_known(trace::CommunicatorId id) const {
    return id < labels_.communicators.size() && labels_.communicators[id].foreign_members() == 0;
  }

  /// Returns a partner's rank in the communicator; of an intercommunicator, in the group that `rank` is not of.
  std::uint32_t place_in(trace::CommunicatorId id, trace::Rank rank, trace::Rank partner) {
    const trace::Communicator& communicator = labels_.communicators[id];
    const bool in_first = communicator.remote_members.empty() || places_of(id, false).contains(rank);
    const bool in_remote = !communicator.remote_members.empty() && in_first;
    const auto& places = places_of(id, in_remote);
    const auto found = places.find(partner);
    return found == places.end() ? OTF2_UNDEFINED_UINT32 : found->second;
  }

  const std::unordered_map<trace::Rank, std::uint32_t>& places_of(trace::CommunicatorId id, bool remote) {
    const auto [entry, is_new] = places_.try_emplace({id, remote});
    if (is_new) {
      const trace::Communicator& communicator = labels_.communicators[id];
      const auto& members = remote ? communicator.remote_members : communicator.members;
      for (std::uint32_t i = 0; i < members.size(); ++i)
        entry->second.emplace(members[i], i);
    }
    return entry->second;
  }

  std::uint32_t region_of(const Event& event) {
    if (!event.computes || event.kernel == trace::no_kernel || !labels_.kernel) return event.call;
    const auto [entry, is_new] = kernels_.try_emplace(event.kernel, static_cast<std::uint32_t>(regions_.size()));
    if (is_new)
      regions_.push_back(
          {labels_.calls[event.call] + " " + labels_.kernel(event.kernel), OTF2_REGION_ROLE_CODE, OTF2_PARADIGM_USER});
    return entry->second;
  }

  void close() {
    std::map<trace::Rank, std::uint64_t> events;
    std::map<OTF2_LocationRef, std::uint64_t> events_of_threads;
    for (const auto& [place, state] : threads_) {
      demand(OTF2_EvtWriter_GetNumberOfEvents(state.writer, &events_of_threads[state.location]));
      demand(OTF2_Archive_CloseEvtWriter(archive_, state.writer));
    }
    for (const trace::Rank rank : labels_.ranks) {
      RankState& state = state_of(rank);
      demand(OTF2_EvtWriter_GetNumberOfEvents(state.writer, &events[rank]));
      demand(OTF2_Archive_CloseEvtWriter(archive_, state.writer));
    }
    demand(OTF2_Archive_CloseEvtFiles(archive_));
    demand(OTF2_Archive_OpenDefFiles(archive_));
    for (OTF2_LocationRef location = 0; location < ranks_.size() + threads_.size(); ++location) {
      OTF2_DefWriter* const local = OTF2_Archive_GetDefWriter(archive_, location);
      if (local == nullptr) fail(OTF2_ERROR_INVALID);
      demand(OTF2_Archive_CloseDefWriter(archive_, local));
    }
    demand(OTF2_Archive_CloseDefFiles(archive_));
    definitions_ = OTF2_Archive_GetGlobalDefWriter(archive_);
    if (definitions_ == nullptr) fail(OTF2_ERROR_INVALID);
    define(events, events_of_threads);
    demand(OTF2_Archive_CloseGlobalDefWriter(archive_, definitions_));
    demand(OTF2_Archive_Close(std::exchange(archive_, nullptr)));
    demand(first_problem_.code);
  }

  OTF2_StringRef text(const std::string& words) {
    const auto [entry, is_new] = texts_.try_emplace(words, static_cast<OTF2_StringRef>(texts_.size()));
    if (is_new) demand(OTF2_GlobalDefWriter_WriteString(definitions_, entry->second, words.c_str()));
    return entry->second;
  }

  void define(const std::map<trace::Rank, std::uint64_t>& events,
              const std::map<OTF2_LocationRef, std::uint64_t>& events_of_threads) {
    demand(OTF2_GlobalDefWriter_WriteClockProperties(definitions_, static_cast<std::uint64_t>(ticks_per_second), 0,
                                                     last_, OTF2_UNDEFINED_TIMESTAMP));
    const OTF2_StringRef nothing = text("");
    for (std::uint32_t i = 0; i < regions_.size(); ++i) {
      const OTF2_StringRef name = text(regions_[i].name);
      demand(OTF2_GlobalDefWriter_WriteRegion(definitions_, i, name, name, nothing, regions_[i].role,
                                              regions_[i].paradigm, OTF2_REGION_FLAG_NONE, nothing, 0, 0));
    }
    const OTF2_StringRef machine = text(labels_.lane);
    const OTF2_StringRef kind = text("machine");
    demand(OTF2_GlobalDefWriter_WriteSystemTreeNode(definitions_, 0, machine, kind, OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    std::vector<std::uint64_t> locations;
    for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
      const OTF2_StringRef name = text("rank " + std::to_string(rank));
      demand(OTF2_GlobalDefWriter_WriteLocationGroup(definitions_, rank, name, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                                     OTF2_UNDEFINED_LOCATION_GROUP));
      const auto counted = events.find(static_cast<trace::Rank>(rank));
      demand(OTF2_GlobalDefWriter_WriteLocation(definitions_, rank, name, OTF2_LOCATION_TYPE_CPU_THREAD,
                                                counted == events.end() ? 0 : counted->second, rank));
      locations.push_back(rank);
    }
    for (const auto& [place, state] : threads_) {
      const auto& [rank, thread] = place;
      demand(OTF2_GlobalDefWriter_WriteLocation(
          definitions_, state.location, text("rank " + std::to_string(rank) + ", thread " + std::to_string(thread)),
          OTF2_LOCATION_TYPE_CPU_THREAD, events_of_threads.at(state.location), static_cast<std::uint32_t>(rank)));
    }
    group("ranks", OTF2_GROUP_TYPE_COMM_LOCATIONS, locations);
    define_communicators();
  }

  OTF2_GroupRef group(const std::string& name, OTF2_GroupType type, const std::vector<std::uint64_t>& members) {
    const OTF2_GroupRef self = groups_++;
    demand(OTF2_GlobalDefWriter_WriteGroup(definitions_, self, text(name), type, OTF2_PARADIGM_MPI,
                                           OTF2_GROUP_FLAG_NONE, static_cast<std::uint32_t>(members.size()),
                                           members.data()));
    return self;
  }

  OTF2_GroupRef group_of(const std::string& name, const std::vector<trace::Rank>& members) {
    std::vector<std::uint64_t> numbers;
    for (const trace::Rank member : members)
      numbers.push_back(static_cast<std::uint64_t>(member));
    return group(name, OTF2_GROUP_TYPE_COMM_GROUP, numbers);
  }

  void define_communicators() {
    for (trace::CommunicatorId id = 0; id < labels_.communicators.size(); ++id) {
      if (!communicator_known(id)) continue;
      const trace::Communicator& communicator = labels_.communicators[id];
      const std::string name =
          id == trace::world_communicator ? "MPI_COMM_WORLD" : "communicator " + std::to_string(id);
      const OTF2_GroupRef members = group_of(name, communicator.members);
      if (communicator.remote_members.empty())
        demand(OTF2_GlobalDefWriter_WriteComm(definitions_, id, text(name), members, OTF2_UNDEFINED_COMM,
                                              OTF2_COMM_FLAG_NONE));
      else
        demand(OTF2_GlobalDefWriter_WriteInterComm(definitions_, id, text(name), members,
                                                   group_of(name, communicator.remote_members),
                                                   trace::world_communicator, OTF2_COMM_FLAG_NONE));
    }
  }

  const Labels& labels_;
  Otf2Directory directory_;
  OTF2_Archive* archive_ = nullptr;
  OTF2_GlobalDefWriter* definitions_ = nullptr;
  std::vector<RankState> ranks_;                                     ///< of MPI_COMM_WORLD
  std::map<std::pair<trace::Rank, trace::Rank>, RankState> threads_; ///< of ranks, beyond their first
  std::unordered_map<std::uint64_t, Message> messages_;              ///< sent, and not yet written as taken
  std::vector<Region> regions_;                                      ///< calls by their number, then kernels
  std::unordered_map<trace::KernelId, std::uint32_t> kernels_;
  std::map<std::pair<trace::CommunicatorId, bool>, std::unordered_map<trace::Rank, std::uint32_t>> places_;
  std::map<std::string, OTF2_StringRef> texts_;
  OTF2_GroupRef groups_ = 0;
  OTF2_TimeStamp last_ = 0;
  Problem first_problem_;
};

} // namespace

std::unique_ptr<TimelineWriter> otf2_writer(const std::filesystem::path& directory, Existing existing,
                                            const Labels& labels) {
  return std::make_unique<Otf2Writer>(directory, existing, labels);
}

} // namespace timeless::replay::timeline
