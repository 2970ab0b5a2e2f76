#include "analysis/extrapolation/patterns.h"

#include "analysis/extrapolation/not_understood.h"

#include <fmt/format.h>

#include <algorithm>

namespace timeless::analysis {

namespace {

using trace::Action;
using trace::Bytes;

std::size_t index(ActionFigure figure) {
  return static_cast<std::size_t>(figure);
}

std::string called(const Action& action) {
  const std::string name = mpi_name(action);
  const auto of = family(action.kind);
  return of == trace::ActionFamily::computation || of == trace::ActionFamily::mark ? name : "MPI_" + name;
}

/// Throws unless two actions are the same but for partners and figures.
void demand_same_call(const Action& one, const Action& other) {
  if (one.kind != other.kind || one.mode != other.mode || called(one) != called(other))
    throw NotUnderstood(fmt::format("{} where others call {}", called(other), called(one)));
  const auto demand = [&](bool same, const char* what) {
    if (same) return;
    const bool by_chance = traits(one.kind).by_chance;
    throw NotUnderstood(
        fmt::format("{} with {} than on others{}", called(one), what, by_chance ? ": what it finds is by chance" : ""));
  };
  demand(one.kernel == other.kernel, "another place in the program");
  demand(one.communicator == other.communicator && one.new_communicator == other.new_communicator,
         "another communicator");
  demand(one.request == other.request && std::ranges::equal(one.requests, other.requests), "other requests");
  demand(one.flags == other.flags, "other flags");
  demand(one.element_bytes == other.element_bytes, "another type of elements");
  demand(one.region == other.region, "another region");
  demand(one.counts.empty() == other.counts.empty() && one.receive_counts.empty() == other.receive_counts.empty(),
         "other lists of counts");
}

/// Returns the count that each member has. Throws where they differ.
Bytes count_of_each(const Action& action, std::span<const Bytes> counts, const CommunicatorView& communicator) {
  if (counts.size() != static_cast<std::size_t>(communicator.size()))
    throw NotUnderstood(fmt::format("{} counts something else than the communicator's members", called(action)));
  const auto [least, most] = std::ranges::minmax(counts);
  if (least != most)
    throw NotUnderstood(fmt::format("{} has counts from {} to {}, one for each rank", called(action), least, most));
  return least;
}

} // namespace

namespace {

Pattern described_pattern(const SharedAction& shared) {
  const Action& action = shared.action;
  Pattern pattern{.action = action};
  if (!action.ranks.empty()) throw NotUnderstood(fmt::format("{} names a group of ranks", called(action)));
  if (names_communicator(action.kind)) {
    pattern.peer.emplace(shared.communicator, action.peer);
    pattern.receive_peer.emplace(shared.communicator, action.receive_peer);
  }
  pattern.tag.emplace(shared.communicator, action.tag);
  pattern.receive_tag.emplace(shared.communicator, action.receive_tag);
  pattern.has_counts = !action.counts.empty();
  pattern.has_receive_counts = !action.receive_counts.empty();
  return pattern;
}

/// Adds an action's figures to those of a pattern.
void observe(Pattern& pattern, FigureTable& figures, const SharedAction& shared, const Observer& by) {
  const Action& action = shared.action;
  const auto add = [&](ActionFigure figure, Bytes value) {
    FigureId& of = pattern.figures[index(figure)];
    of = figures.add(of, {by.run, by.rank, value, by.trip});
  };
  if (!has_volume(action.kind)) {
    add(ActionFigure::bytes, action.bytes);
    add(ActionFigure::receive_bytes, action.receive_bytes);
  }
  if (family(action.kind) == trace::ActionFamily::point_to_point) {
    if (action.tag >= 0) add(ActionFigure::tag, static_cast<Bytes>(action.tag));
    if (action.receive_tag >= 0) add(ActionFigure::receive_tag, static_cast<Bytes>(action.receive_tag));
  }
  if (pattern.has_counts) add(ActionFigure::count, count_of_each(action, action.counts, shared.communicator));
  if (pattern.has_receive_counts)
    add(ActionFigure::receive_count, count_of_each(action, action.receive_counts, shared.communicator));
}

/// Keeps what tags have in common; nothing where they are numbers that only a law of where ranks are may tell.
void keep_tag(std::optional<CountRelation>& kept, const CountRelation& other, trace::Tag tag, const Action& action) {
  if (kept && kept->keep_common(other)) return;
  if (family(action.kind) != trace::ActionFamily::point_to_point || tag < 0)
    throw NotUnderstood(fmt::format("{} with another tag than on others", called(action)));
  kept.reset();
}

} // namespace

std::uint32_t PatternTable::first(const SharedAction& action, const Observer& by) {
  Pattern pattern = described_pattern(action);
  observe(pattern, figures_, action, by);
  pattern.action.requests = lists_.keep(action.action.requests);
  patterns_.push_back(std::move(pattern));
  return static_cast<std::uint32_t>(patterns_.size() - 1);
}

std::uint32_t PatternTable::join(std::uint32_t number, const SharedAction& action, const Observer& by) {
  Pattern joined = patterns_[number];
  demand_same_call(joined.action, action.action);
  const Pattern other = described_pattern(action);
  if (!names_communicator(action.action.kind) && joined.action.peer != action.action.peer)
    throw NotUnderstood(fmt::format("{} of another thread than on others", called(action.action)));
  if ((joined.peer && !joined.peer->keep_common(*other.peer)) ||
      (joined.receive_peer && !joined.receive_peer->keep_common(*other.receive_peer)))
    throw NotUnderstood(
        fmt::format("{}: its partner's position is not that of the partners of others", called(action.action)));
  keep_tag(joined.tag, *other.tag, action.action.tag, action.action);
  keep_tag(joined.receive_tag, *other.receive_tag, action.action.receive_tag, action.action);
  observe(joined, figures_, action, by);
  patterns_.push_back(std::move(joined));
  return static_cast<std::uint32_t>(patterns_.size() - 1);
}

} // namespace timeless::analysis
