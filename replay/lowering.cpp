#include "replay/lowering.h"

#include "replay/collectives/collectives.h"
#include "replay/collectives/schedules/schedule_plan.h"
#include "replay/engine/matching/communicators.h"

#include <algorithm>
#include <memory>
#include <optional>

namespace timeless::replay {

namespace {

using trace::Action;
using trace::ActionKind;
using trace::Rank;

schedules::GroupPosition place_of(const Communicators& communicators, const Communicators::View& view, Rank root) {
  const auto members = static_cast<std::uint32_t>(communicators.members(view.id).size());
  const std::uint32_t first = communicators.first_group(view.id);
  schedules::GroupPosition place{.members = members, .me = view.member};
  if (root != trace::no_rank) place.root = static_cast<std::uint32_t>(root);
  if (first == 0) return place;
  const bool in_first = view.member < first;
  place.base = in_first ? 0 : first;
  place.members = in_first ? first : members - first;
  place.remote_base = in_first ? first : 0;
  place.remote_members = in_first ? members - first : first;
  place.me = view.member - place.base;
  return place;
}

/// Returns the root's place; nothing for a member of an intercommunicator that has no part in the call.
std::optional<Rank> root_place(const Communicators& communicators, const Communicators::View& view,
                               const Action& action) {
  if (!rooted(action.kind)) return trace::no_rank;
  const bool inter = communicators.inter(view.id);
  if (inter && action.peer == trace::root_of_remote_group) return static_cast<Rank>(view.member);
  if (inter && action.peer == trace::no_rank) return std::nullopt;
  world_rank(view, action.peer, "root");
  const std::uint32_t first = communicators.first_group(view.id);
  return action.peer + static_cast<Rank>(inter && view.member < first ? first : 0);
}

trace::Bytes capped_bytes(double bytes) {
  return bytes < 0x1p62 ? static_cast<trace::Bytes>(bytes) : trace::Bytes{1} << 62U;
}

using Visit = std::function<void(const trace::formats::LoweredStep&)>;

/// Visits all that a member sends and receives, in the order it lists its neighbours; false where these are not known.
bool lower_neighbours(const Communicators::View& view, const Action& action, const Visit& visit) {
  if (action.tag == 0) return false;
  const auto sources = std::min(static_cast<std::size_t>(action.tag) - 1, action.ranks.size());
  const auto listed = [](std::span<const trace::Bytes> counts, std::size_t index, trace::Bytes otherwise) {
    return counts.empty() ? otherwise : index < counts.size() ? counts[index] : 0;
  };
  for (std::size_t i = 0; i < sources; ++i)
    if (action.ranks[i] != trace::no_rank)
      visit({.from = world_rank(view, action.ranks[i], "neighbour"),
             .receive_bytes = listed(action.receive_counts, i, action.receive_bytes)});
  for (std::size_t i = sources; i < action.ranks.size(); ++i)
    if (action.ranks[i] != trace::no_rank)
      visit({.to = world_rank(view, action.ranks[i], "neighbour"),
             .bytes = listed(action.counts, i - sources, action.bytes)});
  return true;
}

bool lower(const Communicators& communicators, Rank rank, const Action& action, const Visit& visit) {
  const trace::ActionFamily of = trace::family(action.kind);
  if (of != trace::ActionFamily::collective && of != trace::ActionFamily::communicator) return false;
  const auto on = trace::creating_communicator(action);
  if (!on) return true;
  const auto view = communicators.view(*on, rank);
  if (communicators.foreign(view.id)) return false;
  if (neighbourhood(action.kind)) return lower_neighbours(view, action, visit);
  const auto root = root_place(communicators, view, action);
  if (!root) return true;
  const schedules::GroupPosition place = place_of(communicators, view, *root);
  const std::span<const Rank> members = communicators.members(view.id);
  const CollectiveShape shape{.kind = action.kind,
                              .members = static_cast<std::uint32_t>(members.size()),
                              .bytes =
                                  of == trace::ActionFamily::collective
                                      ? cost_bytes(action, place.members, static_cast<std::uint32_t>(view.peers.size()))
                                      : 0,
                              .element_bytes = action.element_bytes,
                              .user_operation = (action.flags & trace::flag_user_operation) != 0,
                              .commutative = (action.flags & trace::flag_noncommutative) == 0};
  const schedules::SchedulePlan plan = schedules::plan(shape, action, place);
  schedules::Cursor cursor;
  for (schedules::Transfer transfer; schedules::next(plan, cursor, transfer);) {
    trace::formats::LoweredStep step;
    if (transfer.to != schedules::nobody) {
      step.to = members[transfer.to];
      step.bytes = capped_bytes(transfer.bytes);
    }
    if (transfer.from != schedules::nobody) {
      step.from = members[transfer.from];
      step.receive_bytes = capped_bytes(transfer.expected);
    }
    // Of several on their way together, one may be empty.
    if (transfer.to != schedules::nobody || transfer.from != schedules::nobody) visit(step);
  }
  return true;
}

} // namespace

trace::formats::Lowering lowering(const trace::Run& run) {
  return [communicators = std::make_shared<const Communicators>(run)](
             const trace::Run&, Rank rank, const Action& action,
             const std::function<void(const trace::formats::LoweredStep&)>& visit) {
    return lower(*communicators, rank, action, visit);
  };
}

} // namespace timeless::replay
