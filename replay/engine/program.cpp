#include "replay/engine/program.h"

#include "replay/engine/contradiction.h"

#include <algorithm>
#include <fmt/format.h>

namespace timeless::replay {

using trace::Action;
using trace::ActionKind;
using trace::CommunicatorId;
using trace::Rank;

namespace {

constexpr std::string_view one_sided_note =
    "one-sided transfers take no time; fences and windows synchronise like a barrier";
constexpr std::string_view file_note = "files take no time; collective calls on them synchronise like a barrier";
constexpr std::string_view process_note =
    "processes of another MPI_COMM_WORLD are not replayed: calls on communicators that they share take no time";
constexpr std::string_view generalized_note = "generalized requests are complete as soon as they start";
constexpr std::string_view thread_note =
    "the threads of a rank that call MPI are replayed as one, in the order recorded";
constexpr std::string_view intercommunicator_note =
    "collectives on intercommunicators cost what one among the members of both groups would";

/// The world rank that a rank in an action stands for.
Rank world_rank(const Communicators::View& view, Rank peer, const char* what) {
  if (peer < 0 || static_cast<std::size_t>(peer) >= view.peers.size())
    fail(fmt::format("the {} {} is no rank of communicator {}, which has {}", what, peer, view.id, view.peers.size()));
  return view.peers[static_cast<std::size_t>(peer)];
}

Operation nothing_but_request(const Action& action) {
  Operation operation;
  if (trace::nonblocking(action)) operation = {.step = Step::start_nothing, .request = action.request};
  return operation;
}

bool rooted(ActionKind kind) {
  switch (kind) {
  case ActionKind::broadcast:
  case ActionKind::reduce:
  case ActionKind::gather:
  case ActionKind::gatherv:
  case ActionKind::scatter:
  case ActionKind::scatterv:
    return true;
  default:
    return false;
  }
}

bool neighbourhood(ActionKind kind) {
  return kind >= ActionKind::neighbor_allgather && kind <= ActionKind::neighbor_alltoallw;
}

void require_one_per_member(std::span<const trace::Bytes> counts, std::size_t members) {
  if (!counts.empty() && counts.size() != members)
    fail(fmt::format("a collective lists {} counts for {} members", counts.size(), members));
}

} // namespace

Compiler::Compiler(const trace::Run& run, Network& network, const Communicators& communicators, Channels& channels,
                   CostRows& rows, bool care)
    : run_(run), network_(network), communicators_(communicators), channels_(channels), rows_(rows), care_(care) {}

void Compiler::compile(const trace::ActionBlock& block, Rank rank, Program& program) {
  program.operations.clear();
  program.calls.clear();
  program.requests.clear();
  program.problems.clear();
  program.workers = std::ranges::any_of(block.dictionary(), [](const Action& action) {
    return trace::has_volume(action.kind) && action.kind != ActionKind::compute;
  });
  for (const Action& action : block.dictionary()) {
    try {
      Operation& operation = program.operations.emplace_back(compile(action, rank, program));
      operation.touches = operation.channel != no_channel           ? operation.channel
                          : operation.receive_channel != no_channel ? operation.receive_channel
                                                                    : 0;
    } catch (const Error& error) {
      if (error.failure() != Failure::invalid_input) throw;
      program.operations.push_back(
          {.step = Step::invalid, .call = static_cast<std::uint32_t>(program.problems.size())});
      program.problems.push_back(error.description());
    }
  }
}

Operation Compiler::compile(const Action& action, Rank rank, Program& program) {
  if (!trace::action_kind(static_cast<std::uint8_t>(action.kind))) fail("an action of no known kind");
  if (communicators_.foreign(action.communicator)) {
    notes_.insert(process_note);
    communicators_.view(action.communicator, rank);
    return nothing_but_request(action);
  }
  switch (action.kind) {
  case ActionKind::compute:
  case ActionKind::workers_sum:
  case ActionKind::workers_maximum:
    if (action.kernel != trace::no_kernel && action.kernel >= run_.kernels.size())
      fail(fmt::format("there is no kernel {} in this run", action.kernel));
    if (action.kind == ActionKind::workers_sum) return {.step = Step::skip_volume};
    if (action.kind == ActionKind::workers_maximum) return {.step = Step::workers};
    return {.step = program.workers ? Step::compute_beside_workers : Step::compute};
  case ActionKind::send:
    return send(action, rank);
  case ActionKind::receive:
    return receive(action, rank);
  case ActionKind::exchange:
  case ActionKind::exchange_replace:
    return exchange(action, rank);
  case ActionKind::probe:
  case ActionKind::poll:
    return probe(action, rank);
  case ActionKind::cancelled:
    return {.step = Step::cancel, .request = action.request};
  case ActionKind::request_free:
    return {.step = Step::release, .request = action.request};
  case ActionKind::resolved:
    return {.step = Step::resolve,
            .receive_channel = incoming_channel(action.communicator, action.peer, action.tag, rank),
            .request = action.request};
  case ActionKind::comm_free:
  case ActionKind::comm_disconnect:
    return nothing_but_request(action);
  case ActionKind::finalize:
    return {.step = Step::finalize};
  default:
    break;
  }
  switch (trace::family(action.kind)) {
  case trace::ActionFamily::completion:
    if (action.requests.empty()) return {};
    if (action.requests.size() == 1) return {.step = Step::complete_one, .request = action.requests.front()};
    return completion(action, program);
  case trace::ActionFamily::communicator:
    return creation(action, rank, program);
  case trace::ActionFamily::process:
    notes_.insert(process_note);
    if (action.kind == ActionKind::comm_join) return {};
    return synchronisation(action, rank, program);
  case trace::ActionFamily::window:
    notes_.insert(one_sided_note);
    return synchronisation(action, rank, program);
  case trace::ActionFamily::file_collective:
    notes_.insert(file_note);
    return synchronisation(action, rank, program);
  case trace::ActionFamily::one_sided:
  case trace::ActionFamily::epoch:
    notes_.insert(one_sided_note);
    return nothing_but_request(action);
  case trace::ActionFamily::file:
    notes_.insert(file_note);
    return nothing_but_request(action);
  case trace::ActionFamily::generalized:
    notes_.insert(generalized_note);
    return nothing_but_request(action);
  case trace::ActionFamily::mark:
    if (action.kind == ActionKind::thread) notes_.insert(thread_note);
    return {};
  default:
    return collective(action, rank, program);
  }
}

Operation Compiler::completion(const Action& action, Program& program) {
  const auto first = static_cast<std::uint32_t>(program.requests.size());
  program.requests.insert(program.requests.end(), action.requests.begin(), action.requests.end());
  return {
      .step = Step::complete, .requests = static_cast<std::uint32_t>(action.requests.size()), .first_request = first};
}

Operation Compiler::synchronisation(const Action& action, Rank rank, Program& program) {
  return meeting(action, ActionKind::barrier, action.communicator, trace::no_rank, rank, program);
}

std::uint32_t Compiler::incoming_channel(CommunicatorId communicator, Rank from, trace::Tag tag, Rank rank) {
  if (from == trace::any_rank) fail("the source of a message is unknown");
  const auto view = communicators_.view(communicator, rank);
  return channels_.number({world_rank(view, from, "source"), rank, view.id, tag});
}

void Compiler::set_send(Operation& operation, const Action& action, Rank rank, bool nonblocking) {
  const auto view = communicators_.view(action.communicator, rank);
  const Rank to = world_rank(view, action.peer, "destination");
  operation.channel = channels_.number({rank, to, view.id, action.tag});
  operation.bytes = static_cast<double>(action.bytes);
  operation.synchronous = action.mode == trace::SendMode::synchronous;
  if (operation.synchronous && !care_) throw NeedsCare();
  operation.row = care_ && action.mode != trace::SendMode::buffered
                      ? rows_.rendezvous(rank, to, operation.bytes, operation.synchronous)
                      : rows_.message(rank, to, operation.bytes);
  operation.send_overhead = nonblocking ? network_.isend_overhead(action.bytes) : network_.send_overhead(action.bytes);
  operation.receive_overhead = network_.receive_overhead(action.bytes);
}

Operation Compiler::send(const Action& action, Rank rank) {
  if (action.peer == trace::no_rank) return nothing_but_request(action);
  Operation operation{.step = care_ ? Step::send_with_care : Step::send, .request = action.request};
  set_send(operation, action, rank, trace::nonblocking(action));
  return operation;
}

Operation Compiler::receive(const Action& action, Rank rank) {
  if (action.peer == trace::no_rank) return nothing_but_request(action);
  const bool nonblocking = trace::nonblocking(action);
  if (nonblocking && action.peer == trace::any_rank) return {.step = Step::post_wildcard, .request = action.request};
  const Step post = care_ ? Step::post_with_care : Step::post;
  const Step wait = care_ ? Step::receive_with_care : Step::receive;
  return {.step = nonblocking ? post : wait,
          .receive_channel = incoming_channel(action.communicator, action.peer, action.tag, rank),
          .request = action.request};
}

Operation Compiler::exchange(const Action& action, Rank rank) {
  Operation operation{.step = Step::exchange, .request = action.request};
  if (action.peer != trace::no_rank) set_send(operation, action, rank, true);
  if (action.receive_peer != trace::no_rank)
    operation.receive_channel = incoming_channel(action.communicator, action.receive_peer, action.receive_tag, rank);
  return operation;
}

Operation Compiler::probe(const Action& action, Rank rank) {
  if (action.peer == trace::no_rank) return {};
  return {.step = Step::probe, .receive_channel = incoming_channel(action.communicator, action.peer, action.tag, rank)};
}

Operation Compiler::collective(const Action& action, Rank rank, Program& program) {
  const auto view = communicators_.view(action.communicator, rank);
  const bool inter = communicators_.inter(view.id);
  if (!neighbourhood(action.kind)) {
    require_one_per_member(action.counts, view.peers.size());
    require_one_per_member(action.receive_counts, view.peers.size());
  }
  // The root of an intercommunicator's collective is MPI_ROOT or MPI_PROC_NULL on its own side.
  const bool has_root = rooted(action.kind) && !inter;
  if (has_root) world_rank(view, action.peer, "root");
  if (inter) notes_.insert(intercommunicator_note);
  if (const std::string_view note = collective_simplification(action.kind); !note.empty()) notes_.insert(note);
  return meeting(action, action.kind, action.communicator, has_root ? action.peer : trace::no_rank, rank, program);
}

/// Members of a new group meet on its communicator; all other creations are collective over the parent.
Operation Compiler::creation(const Action& action, Rank rank, Program& program) {
  const bool by_new_members =
      action.kind == ActionKind::comm_create_group || action.kind == ActionKind::intercomm_create;
  if (!by_new_members) return meeting(action, action.kind, action.communicator, trace::no_rank, rank, program);
  if (action.new_communicator == trace::no_communicator) return nothing_but_request(action);
  return meeting(action, action.kind, action.new_communicator, trace::no_rank, rank, program);
}

Operation Compiler::meeting(const Action& action, ActionKind costs_as, CommunicatorId on, Rank root, Rank rank,
                            Program& program) {
  const auto view = communicators_.view(on, rank);
  if (communicators_.foreign(view.id)) {
    notes_.insert(process_note);
    return nothing_but_request(action);
  }
  const auto members = static_cast<std::uint32_t>(communicators_.members(view.id).size());
  const bool nonblocking = trace::nonblocking(action);
  const auto call = static_cast<std::uint32_t>(program.calls.size());
  program.calls.push_back({.communicator = view.id,
                           .member = view.member,
                           .root = root,
                           .nonblocking = nonblocking,
                           .shape = {.kind = costs_as,
                                     .members = members,
                                     .bytes = costs_as == action.kind ? collective_bytes(action, members) : 0,
                                     .element_bytes = action.element_bytes,
                                     .user_operation = (action.flags & trace::flag_user_operation) != 0,
                                     .commutative = (action.flags & trace::flag_noncommutative) == 0}});
  return {.step = nonblocking ? Step::start_meeting : Step::meet, .call = call, .request = action.request};
}

} // namespace timeless::replay
