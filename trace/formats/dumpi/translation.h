#pragma once

#include "trace/formats/common/format.h"
#include "trace/formats/dumpi/call_times.h"
#include "trace/formats/dumpi/communicators.h"
#include "trace/formats/dumpi/pending_requests.h"
#include "trace/formats/dumpi/type_sizes.h"
#include "trace/model/action_block.h"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace timeless::trace::formats::dumpi {

/// What a run's ranks share when their records become actions.
struct RunState {
  Rank size = 0;
  Communicators communicators;
  /// MPI_PROC_NULL as the MPI library had it: -1 (MPICH and Cray, where it looks like MPI_ANY_SOURCE), or -2.
  std::int32_t no_process = -2;
  CallsAsComputation counted;
  std::vector<std::uint64_t> starts; ///< by rank, as Clocks::starts() says
  /// Kernels by the calls around them; complete after the first translation of all ranks.
  std::map<std::pair<std::uint16_t, std::uint16_t>, KernelId> kernels;
};

/// What a translation has come across that its actions do not tell.
struct Remarks {
  std::map<std::string, std::uint64_t> unrecorded; ///< calls without an action, by name
  std::uint64_t unknown_sizes = 0;                 ///< messages of datatypes whose size nobody knows
  std::uint64_t unknown_sources = 0;               ///< receives from any source that say not which it was
  std::uint64_t shared_requests = 0;               ///< requests begun anew before they were completed
  std::uint64_t unknown_communicators = 0;         ///< calls on communicators that could not be found out
  std::uint64_t left_open = 0;                     ///< requests freed at the end
  bool finalized = false;
  std::uint64_t duration = 0; ///< ns, from the end of MPI_Init to the end of the last call
};

/// Turns a rank's records into actions, with the times of each where the records have some.
///
/// A receive gets its source and size when a completion tells them: in its own action as long as that stands in the
/// block being filled, else by an action that follows. So new_block() is called whenever a block is given away.
class Translation {
public:
  /// Translates a rank's file. `file` and `shared` must live as long. The kernels of `growing`, when it is given, are
  /// numbered as they come.
  Translation(const RankFile& file, const RunState& shared, Rank rank, RunState* growing = nullptr);

  /// Adds what a record did to the block, which must be the one of the call before, or empty.
  void translate(const Record& record, ActionBlock& block);
  /// Begins a new block: what stands in the last one can no longer be changed.
  void new_block() { ++block_number_; }

  const std::vector<ActionTimes>& times() const {
    return times_.all();
  } ///< of the block's actions, since MPI_Init's end
  void clear_times() { times_.clear(); }
  const Remarks& remarks() const { return remarks_; }

private:
  void point_to_point(const Record& record);
  bool collective(const Record& record);
  void set_sizes(Action& action);
  bool at_root() const;
  std::span<const Bytes> parts(Field counts, Field type, std::vector<Bytes>& sizes);
  std::span<const Bytes> typed_parts(Field counts, Field types, std::vector<Bytes>& sizes);
  bool file_call(const Record& record);
  bool window_call(const Record& record);
  void send(const Record& record, SendMode mode, bool nonblocking);
  void receive();
  void begin_receive(const Record& record);
  void exchange(const Record& record, bool replace);
  void exchange_into_buffer(const Action& both);
  void probe(const Record& record);
  void persistent(const Record& record, SendMode mode, bool sends);
  void start(std::int32_t number);
  void begin(std::int32_t number, Action action);
  void free_request(std::int32_t number);
  void complete_generalized(std::int32_t number);
  void finalize();
  void completion(const Record& record);
  void complete(ActionKind kind, std::span<const std::int32_t> numbers, std::span<const Status> statuses);
  void settle(const PendingRequest& pending, const Status* status);
  void free_all_requests();
  bool posted(Action& action, Field source, Field tag, Bytes bytes) const;
  bool nobody_sent(const Status* status) const;
  void creation(const Creation& made);

  /// Returns when a call ends that matters: with its entry where the time inside it is computation.
  std::uint64_t end_of(const Record& record) const;
  void compute(const Record& record);
  std::size_t append(const Action& action);
  Bytes bytes(Field count, Field type) { return bytes(record_->word(count), record_->half(type)); }
  Bytes bytes(std::int32_t count, std::uint16_t type);
  std::uint64_t type_size(std::uint16_t type);
  std::optional<CommunicatorId> known(Ordinal ordinal);
  bool set_communicator(Action& action, Field field);
  bool set_window(Action& action);
  bool set_epoch_members(const Record& record, Action& action);
  bool between_groups(CommunicatorId communicator) const;
  Rank root(const Action& action) const;
  const Status* only_status() const { return record_->statuses.empty() ? nullptr : record_->statuses.data(); }
  void not_told();

  const RunState& shared_;
  Rank rank_;
  RunState* growing_;
  LocalObjects objects_;
  TypeSizes types_;
  ActionBlock* block_ = nullptr;
  const Record* record_ = nullptr;
  std::uint64_t block_number_ = 0;
  CallTimes times_;
  Remarks remarks_;
  PendingRequests pending_;
  std::unordered_map<std::int32_t, Action> persistent_;
  std::vector<RequestId> ids_;
  std::vector<std::int32_t> numbers_;
  std::vector<Status> chosen_statuses_;
  std::vector<Bytes> out_;
  std::vector<Bytes> in_;
  std::vector<Rank> ranks_;
  std::uint16_t last_call_ = 0;
};

} // namespace timeless::trace::formats::dumpi
