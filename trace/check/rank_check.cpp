#include "trace/check/rank_check.h"

#include "base/error.h"

#include <algorithm>
#include <utility>

namespace timeless::trace::checking {

namespace {

/// Collective calls a rank may be ahead of the slowest member before it waits for it.
constexpr std::uint64_t most_calls_ahead = 256;

Rank find_place(const std::vector<Rank>& members, Rank rank) {
  // Most communicators with all ranks keep their order.
  if (static_cast<std::size_t>(rank) < members.size() && members[static_cast<std::size_t>(rank)] == rank) return rank;
  const auto found = std::ranges::find(members, rank);
  return found == members.end() ? no_rank : static_cast<Rank>(found - members.begin());
}

/// Returns the communicator whose members make this collective call together.
CommunicatorId called_on(const Action& action) {
  return action.kind == ActionKind::comm_create_group ? action.new_communicator : action.communicator;
}

/// Returns true for the families whose calls all members of a communicator make together.
bool collective_family(ActionFamily of) {
  return of == ActionFamily::collective || of == ActionFamily::communicator || of == ActionFamily::process ||
         of == ActionFamily::window || of == ActionFamily::file_collective;
}

} // namespace

std::string RankCheck::quoted_region(RegionId region) const {
  return region < shared_.run.regions.size() ? "'" + shared_.run.regions[region] + "'" : "of no name";
}

RankCheck::RankCheck(CheckState& shared, const RankRecord& record, std::unique_ptr<RankStream> stream)
    : shared_(shared), record_(record), stream_(std::move(stream)), times_(shared.findings, record.rank) {}

void RankCheck::complain(std::string words) {
  shared_.findings.add(Severity::inconsistent, rank(), number_, std::move(words));
}

bool RankCheck::refill() {
  while (position_ == block_.size()) {
    position_ = 0;
    try {
      if (!stream_->next(block_)) {
        end(true);
        return false;
      }
      stream_->read_times(block_);
      times_.follow(block_, number_);
    } catch (const Error& error) {
      complain(error.what());
      end(false);
      return false;
    }
  }
  return true;
}

bool RankCheck::far_ahead(const Action& action) const {
  if (shared_.messages.waiting(rank()) > shared_.most_waiting && family(action.kind) == ActionFamily::point_to_point)
    return true;
  const ActionFamily of = family(action.kind);
  if (!collective_family(of)) return false;
  const auto used = memberships_.find(called_on(action));
  return used != memberships_.end() && used->second.place != no_rank &&
         shared_.collectives.ahead(used->first, used->second) > most_calls_ahead;
}

std::uint64_t RankCheck::advance(std::uint64_t budget, bool hurry) {
  std::uint64_t looked = 0;
  while (!ended_ && looked < budget && refill()) {
    const Action& action = block_.dictionary()[block_.sequence()[position_]];
    if (!hurry && far_ahead(action)) break;
    look(action);
    ++position_;
    ++number_;
    ++looked;
  }
  return looked;
}

std::uint64_t RankCheck::calls(CommunicatorId communicator) const {
  const auto used = memberships_.find(communicator);
  return used == memberships_.end() ? 0 : used->second.calls;
}

void RankCheck::look(const Action& action) {
  if (finalized_) {
    complain("calls " + mpi_name(action) + " after MPI_Finalize");
    return;
  }
  unordered_ = order_.follow(action);
  messages_unordered_ += unordered_.number();
  if (action.kind == ActionKind::resolved) return resolve(action);
  if (with_another_world(action)) {
    membership(action.communicator);
    if (nonblocking(action)) begin(action);
    return;
  }
  switch (family(action.kind)) {
  case ActionFamily::computation:
    return;
  case ActionFamily::mark:
    return mark(action);
  case ActionFamily::point_to_point:
    return point_to_point(action);
  case ActionFamily::generalized:
    if (action.kind == ActionKind::grequest_start) begin(action);
    return;
  case ActionFamily::one_sided:
  case ActionFamily::epoch:
    return one_sided(action);
  case ActionFamily::file:
    if (action.request != no_request) begin(action);
    if (names_communicator(action.kind)) membership(action.communicator);
    return;
  case ActionFamily::completion:
    for (const RequestId request : action.requests)
      complete(request, HalfState::done, true);
    return;
  case ActionFamily::request:
    return end_early(action);
  case ActionFamily::collective:
    return collective(action);
  case ActionFamily::process:
    if (action.kind == ActionKind::comm_join) return;
    return collective(action);
  case ActionFamily::window:
    if (action.new_communicator == no_communicator)
      follow_epoch(action);
    else
      epochs_.made(action.new_communicator);
    return create_communicator(action);
  case ActionFamily::file_collective:
    follow_file(action);
    return create_communicator(action);
  case ActionFamily::communicator:
    return create_communicator(action);
  case ActionFamily::lifecycle:
    return finalize();
  }
}

bool RankCheck::with_another_world(const Action& action) const {
  const auto foreign = [this](CommunicatorId communicator) {
    return communicator < shared_.foreign.size() && shared_.foreign[communicator];
  };
  return foreign(action.communicator) || foreign(called_on(action));
}

Membership* RankCheck::membership(CommunicatorId communicator) {
  if (communicator >= shared_.run.communicators.size()) {
    complain("uses an undefined communicator");
    return nullptr;
  }
  const auto [entry, fresh] = memberships_.try_emplace(communicator);
  Membership& membership = entry->second;
  if (fresh) {
    const Communicator& known = shared_.run.communicators[communicator];
    membership.place = find_place(known.members, rank());
    if (membership.place == no_rank) {
      membership.place = find_place(known.remote_members, rank());
      membership.remote = membership.place != no_rank;
    }
  }
  if (membership.place != no_rank) return &membership;
  complain("uses " + words(communicator) + ", of which it is no member");
  return nullptr;
}

std::optional<Rank> RankCheck::world_rank(CommunicatorId communicator, Rank peer, const char* what) {
  const Membership* const used = membership(communicator);
  if (used == nullptr) return std::nullopt;
  const Communicator& known = shared_.run.communicators[communicator];
  const bool to_remote = !known.remote_members.empty() && !used->remote;
  const auto& group = to_remote ? known.remote_members : known.members;
  if (peer >= 0 && static_cast<std::size_t>(peer) < group.size()) return group[static_cast<std::size_t>(peer)];
  complain(std::string(what) + " rank " + std::to_string(peer) + " of " + words(communicator) + ", which has " +
           std::to_string(group.size()));
  return std::nullopt;
}

// Collectives -----------------------------------------------------------------------------------------------------

void RankCheck::collective(const Action& action) {
  if (action.request != no_request) begin(action);
  if (Membership* const used = membership(action.communicator))
    shared_.collectives.enter(rank(), number_, action, action.communicator, *used);
}

void RankCheck::one_sided(const Action& action) {
  if (action.request != no_request) begin(action);
  if (membership(action.communicator) == nullptr) return;
  if (needs_target(action) || action.peer != no_rank) world_rank(action.communicator, action.peer, "has as its target");
  for (const Rank member : action.ranks) {
    const auto other = world_rank(action.communicator, member, "has in its group");
    if (other && action.kind == ActionKind::win_start)
      shared_.exposures.started(action.communicator, rank(), *other);
    else if (other && action.kind == ActionKind::win_post)
      shared_.exposures.posted(action.communicator, rank(), *other);
  }
  follow_epoch(action);
}

void RankCheck::follow_epoch(const Action& action) {
  const std::string mistake = epochs_.follow(action);
  if (!mistake.empty())
    complain("calls " + mpi_name(action) + " on " + words(action.communicator) + " " + mistake);
}

void RankCheck::follow_file(const Action& action) {
  if (action.kind == ActionKind::file_open && action.new_communicator != no_communicator)
    open_files_.insert(action.new_communicator);
  else if (action.kind == ActionKind::file_close)
    open_files_.erase(action.communicator);
}

void RankCheck::create_communicator(const Action& action) {
  if (action.request != no_request) begin(action);
  Membership* const parent = membership(action.communicator);
  Membership* created = nullptr;
  if (action.new_communicator != no_communicator) created = membership(action.new_communicator);
  const CommunicatorId place = called_on(action);
  Membership* const used = place == action.communicator ? parent : created;
  if (used != nullptr) shared_.collectives.enter(rank(), number_, action, place, *used);
}

// The end ---------------------------------------------------------------------------------------------------------

void RankCheck::mark(const Action& action) {
  const bool of_region = action.kind == ActionKind::region_begin || action.kind == ActionKind::region_end;
  if (!of_region && action.peer < 0)
    complain("has a mark '" + mpi_name(action) + "' that names no " +
             (action.kind == ActionKind::thread ? "thread" : "meeting point"));
  if (!regions_.follow(action, number_))
    shared_.findings.add(Severity::note, rank(), number_,
                         "ends region " + quoted_region(action.region) + ", which it has not begun");
}

void RankCheck::finalize() {
  finalized_ = true;
  if (!requests_.empty()) {
    const auto first = std::ranges::min_element(requests_, {}, [](const auto& entry) { return entry.second.action; });
    complain("finalizes with " + counted(requests_.size(), "request") + " under way, the first from " +
             mpi_name(Action{.kind = first->second.kind, .request = 0}) + " (its action " +
             std::to_string(first->second.action) + ")");
  }
  // What is freed or closed while recording is switched off is not in the trace; the end of an epoch always is.
  for (const auto& [window, made, open] : epochs_.remaining()) {
    if (!open.empty()) complain("finalizes with " + open + " open on " + words(window));
    if (made) shared_.findings.add(Severity::note, rank(), number_, "never frees the window of " + words(window));
  }
  for (const CommunicatorId file : open_files_)
    shared_.findings.add(Severity::note, rank(), number_, "never closes the file of " + words(file));
  for (const auto& [channel, count] : matched_)
    complain("never receives " + counted(count, "message") + " from rank " + std::to_string(channel.sender) +
             " that it has probed for");
}

void RankCheck::end(bool whole) {
  ended_ = true;
  stream_.reset();
  block_ = ActionBlock();
  cut_short_ = !whole || record_.ending != Ending::finalized;
  if (!cut_short_ && !finalized_) complain("ends without MPI_Finalize");
  if (!cut_short_)
    for (const OpenRegions::Open& open : regions_.all())
      shared_.findings.add(Severity::note, rank(), open.begin,
                           "begins region " + quoted_region(open.region) + " and never ends it");
  if (messages_unordered_ > 0)
    shared_.findings.add(Severity::note, rank(), no_action,
                         "sends or receives " + counted(messages_unordered_, "message") +
                             " in several threads at once that may have been in another order: only their number and "
                             "sizes are compared");
  if (record_.ending == Ending::finalized || !whole) return;
  shared_.findings.add(Severity::incomplete, rank(), number_,
                       "is not finalized: " +
                           (record_.ending_reason.empty() ? std::string(name(record_.ending)) : record_.ending_reason));
}

} // namespace timeless::trace::checking
